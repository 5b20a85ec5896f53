import { describe, expect, it } from "vitest";
import { createSession } from "../../src/session/live-session.ts";

const claim = Object.freeze({ sessionId: "mcp-1700000000000000000", agentId: "builder" });

function session(activeProfile?: () => string | null) {
  return createSession({ claim, user: "erika", groups: ["staff"], startedAt: 0, activeProfile });
}

describe("createSession", () => {
  it("gives plain data of one moment", () => {
    const live = session();
    const before = live.view("a", 0);
    live.identity.recordIdentityRead("x");
    live.usage.judged("a", 0);
    expect(before).toEqual({
      claim: { sessionId: "mcp-1700000000000000000", agentId: "builder" },
      user: "erika",
      groups: ["staff"],
      identity: { identity_confirmed: false, confirmed_profile: null, epoch: 0 },
      profile: { active: null },
      variables: {},
      client: { elicitation: false },
      usage: { calls: 0, tool_calls: 0, calls_last_minute: 0, running: 0, denied: 0, elapsed_seconds: 0 },
    });
    expect(live.view("a", 0)).toMatchObject({ identity: { identity_confirmed: true }, usage: { calls: 1 } });
  });

  it("reads the active profile anew for each call", () => {
    let active: string | null = "one";
    const live = session(() => active);
    expect(live.view("a", 0).profile.active).toBe("one");
    active = null;
    expect(live.view("a", 0).profile.active).toBeNull();
  });

  it("keeps a claim that a client cannot touch", () => {
    const live = session();
    const said = { elicitation: true, name: "host", version: "1", claim: { agentId: "evil" }, sessionId: "evil" };
    live.setClient(said);
    expect(live.view("a", 0)).toMatchObject({ claim, client: { elicitation: true, name: "host", version: "1" } });
    expect(Object.keys(live.view("a", 0).client)).toEqual(["elicitation", "name", "version"]);
  });

  it("drops what a client calls itself when it cannot be logged", () => {
    const live = session();
    live.setClient({ elicitation: true, name: "x\ud800", version: "v".repeat(300) });
    expect(live.view("a", 0).client).toEqual({ elicitation: true });
  });
});

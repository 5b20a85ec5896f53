import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openAuthorities } from "../../src/govern/authorities.ts";
import { grantElevation, listElevations } from "../../src/govern/elevations.ts";
import type { Signed } from "../../src/govern/elevations.ts";
import { createKey, openKey } from "../../src/govern/keys.ts";
import { liftStop, listStops, placeStop } from "../../src/govern/stops.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { makeClaim } from "../../src/session/claim.ts";
import { ALLOW, codeOf, counted, DENY, openCorridor, removeFolders, temporaryFolder } from "./support.ts";

afterAll(removeFolders);

const HALT: Decision = { ...DENY, halt: true, reasons: [{ code: "x.halt", rule: "x", message: "no" }] };

/** A state directory with a key, and corridors of one session on it. */
function kit() {
  const stateDir = temporaryFolder();
  const keysDir = join(stateDir, "private");
  createKey({ stateDir, keysDir }, { name: "anna", owner: "anna", now: new Date() });
  const claim = makeClaim({ agentId: "tester" });
  const clock = { ahead: 0 };
  const now = () => new Date(Date.now() + clock.ahead);
  const problems: string[] = [];
  const open = (decide: () => Decision = () => ALLOW) => {
    const caller = { sessionId: claim.sessionId, agentId: claim.agentId };
    const authorities = openAuthorities({ stateDir, caller, environment: {}, now, report: (problem) => problems.push(problem) });
    return openCorridor({ claim, authorities, decide, now });
  };
  const by = (): Signed => ({ key: openKey({ stateDir, keysDir }, "anna"), now: new Date() });
  return { stateDir, claim, open, by, problems, clock };
}

describe("a denial with halt", () => {
  it("is on record, holds after a restart of the same session, and is lifted by a later resumption of the session or of all", async () => {
    for (const scope of [{ session: "SELF" }, { all: true as const }]) {
      const { stateDir, claim, open, by } = kit();
      liftStop(stateDir, { scope: { all: true }, reason: "earlier" }, by());
      let isHalting = true;
      const first = open(() => (isHalting ? HALT : ALLOW));
      expect(codeOf(await first.corridor.call(counted("a").request))).toBe("policy.denied");
      isHalting = false;
      expect(codeOf(await first.corridor.call(counted("a").request))).toBe("gate.stopped");
      expect(listStops(stateDir)).toMatchObject({
        stops: [],
        halts: [{ session: claim.sessionId, code: "x.halt", rule: "x", after_seq: 1 }],
      });
      expect(codeOf(await open().corridor.call(counted("a").request))).toBe("gate.stopped");
      liftStop(stateDir, { scope: { agent: "tester" }, reason: "not enough" }, by());
      expect(codeOf(await first.corridor.call(counted("a").request))).toBe("gate.stopped");
      const lifted = liftStop(stateDir, { scope: "all" in scope ? scope : { session: claim.sessionId }, reason: "over" }, by());
      expect(lifted.halts).toHaveLength(1);
      for (const { corridor } of [first, open()]) expect(codeOf(await corridor.call(counted("a").request))).toBe("ok");
      expect(listStops(stateDir).halts).toEqual([]);
      isHalting = true;
      await first.corridor.call(counted("a").request);
      isHalting = false;
      expect(codeOf(await first.corridor.call(counted("a").request))).toBe("gate.stopped");
    }
  });

  it("holds in this process when it cannot be filed, and a record that cannot be read stops the session", async () => {
    const { stateDir, claim, open, by, problems } = kit();
    liftStop(stateDir, { scope: { all: true }, reason: "earlier" }, by());
    let decision = HALT;
    const { corridor } = open(() => decision);
    writeFileSync(join(stateDir, "halts"), "");
    await corridor.call(counted("a").request);
    decision = ALLOW;
    expect(codeOf(await corridor.call(counted("a").request))).toBe("gate.stopped");
    expect(problems).toEqual([expect.stringContaining("cannot be written")]);
    rmSync(join(stateDir, "halts"));
    mkdirSync(join(stateDir, "halts"), { mode: 0o700 });
    writeFileSync(join(stateDir, "halts", `${claim.sessionId}.json`), "{", { mode: 0o600 });
    expect(codeOf(await open().corridor.call(counted("a").request))).toBe("gate.stopped");
  });
});

describe("a stop", () => {
  it("gives its id and reason to the log, redacted, and the handler is never reached", async () => {
    const { stateDir, open, by } = kit();
    const { corridor, events } = open();
    const { id } = placeStop(stateDir, { scope: { all: true }, reason: "password=EXAMPLE-SECRET-1 leaked" }, by());
    const { request, state } = counted("a");
    expect(codeOf(await corridor.call(request))).toBe("gate.stopped");
    expect(state.runs).toBe(0);
    expect(events().at(-1)?.custom.regate["stop"]).toMatchObject({ id, reason: expect.stringContaining("[REDACTED]") });
    expect(JSON.stringify(events())).not.toContain("EXAMPLE-SECRET-1");
  });
});

describe("an elevation", () => {
  const TOOLS = { tools: ["a"], reason: "r", agent: "tester" };

  it("a clock that is set back extends nothing", async () => {
    const { stateDir, open, by, clock } = kit();
    const { corridor, engine } = open();
    grantElevation(stateDir, { ...TOOLS, seconds: 60 }, by());
    const has = async () => {
      await corridor.call(counted("a").request);
      return engine.asked.at(-1)?.["elevation"] !== undefined;
    };
    expect(await has()).toBe(true);
    clock.ahead = -3_000;
    expect(await has()).toBe(true);
    clock.ahead = -3_600_000;
    expect(await has()).toBe(false);
    clock.ahead = -900;
    const running = process.hrtime.bigint.bind(process.hrtime);
    const further = vi.spyOn(process.hrtime, "bigint").mockImplementation(() => running() + 61_000_000_000n);
    onTestFinished(() => further.mockRestore());
    expect(await has()).toBe(false);
  });

  it("when its uses cannot be counted, the call is judged without it", async () => {
    const { stateDir, open, by } = kit();
    const { corridor, events } = open();
    grantElevation(stateDir, { ...TOOLS, seconds: 60, uses: 3 }, by());
    writeFileSync(join(stateDir, "elevation-uses"), "");
    await corridor.call(counted("a").request);
    expect(JSON.stringify(events())).not.toContain('"elevation":');
  });

  it("of two processes one gets the last use", async () => {
    const { stateDir, open, by } = kit();
    const covered = (input: object): Decision => ("elevation" in input ? ALLOW : DENY);
    const { id } = grantElevation(stateDir, { ...TOOLS, seconds: 60, uses: 5 }, by());
    const corridors = [1, 2, 3].map(() => open(covered as () => Decision).corridor);
    const codes = await Promise.all(
      corridors.flatMap((corridor) => [1, 2, 3, 4].map(async () => codeOf(await corridor.call(counted("a").request)))),
    );
    expect(codes.filter((code) => code === "ok")).toHaveLength(5);
    expect(listElevations(stateDir, new Date()).elevations).toMatchObject([{ id, used: 5, state: "used_up" }]);
    expect(readFileSync(join(stateDir, "elevation-uses", id, "5"), "utf8")).toContain("session");
  });

  it("a preview counts nothing", async () => {
    const { stateDir, open, by } = kit();
    const { corridor } = open();
    grantElevation(stateDir, { ...TOOLS, seconds: 60, uses: 1 }, by());
    for (const _ of [1, 2, 3]) expect(corridor.decide(counted("a").request).admitted).toBe(true);
    expect(listElevations(stateDir, new Date()).active).toMatchObject([{ used: 0 }]);
  });
});

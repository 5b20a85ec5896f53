import { appendFileSync, renameSync, truncateSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { CallRequest } from "../../src/server/corridor-types.ts";
import { ALLOW, codeOf, counted, DONE, eventsOf, openCorridor, removeFolders, resultOf, wordOf } from "./support.ts";

afterEach(removeFolders);

/** Takes the log's file away, as a broken mount does, and brings it back. */
function faultOf(file: string) {
  return { begin: () => renameSync(file, `${file}.away`), end: () => renameSync(`${file}.away`, file) };
}

describe("a decision that cannot be recorded", () => {
  it("is refused, and so is every later one, until it can be", async () => {
    const { corridor, file, reports } = openCorridor();
    const fault = faultOf(file);
    const { request, state } = counted("whoami");
    await corridor.call(request);
    fault.begin();
    for (const tool of ["whoami", "run_shell", "nothing"]) {
      const answer = await corridor.call({ ...request, tool, arguments: { command: "echo" } });
      expect(resultOf(answer)).toMatchObject({
        content: [{ type: "text", text: "audit: the decision could not be recorded, nothing was executed" }],
        isError: true,
        _meta: { "regate/decision": { code: "audit.unavailable", retryable: true } },
      });
    }
    expect(state.runs).toBe(1);
    expect(reports).toHaveLength(3);
    fault.end();
    expect(codeOf(await corridor.call(request))).toBe("ok");
    expect(state.runs).toBe(2);
    expect(eventsOf(file).map(({ custom }) => custom.regate["seq"])).toEqual([1, 2, 3, 4]);
  });

  it("changes nothing of the session", async () => {
    const { corridor, file, identity } = openCorridor({ decide: () => ({ ...ALLOW, effect: "rearm" }) });
    identity.recordIdentityRead("erika");
    faultOf(file).begin();
    expect(codeOf(await corridor.call(counted("config_switch").request))).toBe("audit.unavailable");
    expect(identity.view()).toEqual({ identity_confirmed: true, confirmed_profile: "erika", epoch: 0 });
  });

  it("is not a decision either when it would have been a refusal", async () => {
    const { corridor, file } = openCorridor({ allowlist: new Set() });
    faultOf(file).begin();
    expect(codeOf(await corridor.call(counted("run_shell").request))).toBe("audit.unavailable");
  });

  it("is refused when somebody else wrote into the log", async () => {
    const { corridor, file } = openCorridor();
    const { request, state } = counted("whoami");
    appendFileSync(file, "x");
    expect(codeOf(await corridor.call(request))).toBe("audit.unavailable");
    expect(state.runs).toBe(0);
    truncateSync(file, 0);
    expect(codeOf(await corridor.call(request))).toBe("ok");
  });

  it("is refused after the human agreed, too", async () => {
    let agree: () => void = () => undefined;
    const { corridor, file } = openCorridor({
      decide: () => ({ ...ALLOW, confirm: "elicit" }),
      confirm: () => new Promise((resolve) => (agree = () => resolve("accepted"))),
    });
    corridor.setClient({ elicitation: true });
    const { request, state } = counted("drop");
    const waiting = corridor.call(request);
    faultOf(file).begin();
    agree();
    expect(codeOf(await waiting)).toBe("audit.unavailable");
    expect(state.runs).toBe(0);
  });
});

describe("an outcome that cannot be recorded", () => {
  it("does not take back what has run, but nothing else runs before it is on record", async () => {
    const { corridor, file } = openCorridor();
    const fault = faultOf(file);
    const breaking: CallRequest = {
      tool: "whoami",
      arguments: {},
      path: "direct",
      handler: () => {
        fault.begin();
        return Promise.resolve(DONE);
      },
    };
    expect(codeOf(await corridor.call(breaking))).toBe("ok");
    const { request, state } = counted("whoami");
    expect(codeOf(await corridor.call(request))).toBe("audit.unavailable");
    expect(state.runs).toBe(0);
    fault.end();
    expect(codeOf(await corridor.call(request))).toBe("ok");
    expect(eventsOf(file).map(({ custom }) => custom.regate.event)).toEqual(["decision", "outcome", "decision", "outcome"]);
  });
});

describe("closing", () => {
  it("stops what runs, records how it ended and lets nothing in any more", async () => {
    const { corridor, file } = openCorridor();
    let stopped = false;
    const waiting = corridor.call({
      tool: "slow",
      arguments: {},
      path: "direct",
      handler: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped = true;
            setTimeout(() => resolve(DONE), 20);
          });
        }),
    });
    await Promise.all([corridor.close(), corridor.close()]);
    expect(stopped).toBe(true);
    expect(codeOf(await waiting)).toBe("call.cancelled");
    const { request, state } = counted("whoami");
    expect(codeOf(await corridor.call(request))).toBe("gate.closed");
    expect(state.runs).toBe(0);
    expect(eventsOf(file).map(wordOf)).toEqual(["admitted", "cancelled"]);
  });

  it("does not wait for a handler that never ends", async () => {
    const { corridor } = openCorridor();
    const waiting = corridor.call({ tool: "deaf", arguments: {}, path: "direct", handler: () => new Promise(() => undefined) });
    await corridor.close();
    expect(codeOf(await waiting)).toBe("call.cancelled");
  });

  it("withdraws a question to the human", async () => {
    const { corridor } = openCorridor({ decide: () => ({ ...ALLOW, confirm: "elicit" }), confirm: () => new Promise(() => undefined) });
    corridor.setClient({ elicitation: true });
    const { request, state } = counted("drop");
    const waiting = corridor.call(request);
    await corridor.close();
    expect(codeOf(await waiting)).toBe("call.cancelled");
    expect(state.runs).toBe(0);
  });
});

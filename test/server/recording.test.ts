import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { openRecording } from "../../src/govern/recordings.ts";
import { makeClaim } from "../../src/session/claim.ts";
import { createSessionRegistry } from "../../src/session/registry.ts";
import { codeOf, counted, DENY, openCorridor, removeFolders, resultOf, temporaryFolder, wordOf } from "./support.ts";

afterEach(removeFolders);

function opened(stateDir = temporaryFolder(), parts: Parameters<typeof openCorridor>[0] = {}) {
  const claim = makeClaim({ agentId: "tester" });
  const recording = openRecording({ stateDir, sessionId: claim.sessionId, now: () => new Date() });
  const file = join(stateDir, "recordings", `${claim.sessionId}.jsonl`);
  const lines = (): Record<string, any>[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, any>);
  return { ...openCorridor({ claim, recording, ...parts }), lines, file, recordings: join(stateDir, "recordings") };
}

describe("the corridor records", () => {
  it("input and output of an admitted call, under its decision id", async () => {
    const { corridor, lines, events } = opened();
    const { request } = counted("t", { a: 1 });
    await corridor.call(request);
    const id = events()[0]?.decision_id;
    expect(lines().map(({ type, decision_id, tool, data }) => ({ type, decision_id, tool, data }))).toEqual([
      { type: "input", decision_id: id, tool: "t", data: { a: 1 } },
      { type: "output", decision_id: id, tool: "t", data: { content: [{ type: "text", text: "done" }] } },
    ]);
  });

  it("nothing of a refused call", async () => {
    const { corridor, file } = opened(undefined, { decide: () => DENY });
    await corridor.call(counted("t").request);
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });

  it("an input that cannot be recorded refuses the call and leaves the handler untouched; the server stays up", async () => {
    const stateDir = temporaryFolder();
    writeFileSync(join(stateDir, "recordings"), "in the way");
    const { corridor, events, reports } = opened(stateDir);
    const { request, state } = counted("t");
    const answer = await corridor.call(request);
    expect([codeOf(answer), state.runs, reports.length]).toEqual(["audit.unavailable", 0, 1]);
    expect(resultOf(answer).content).toEqual([{ type: "text", text: "audit: the decision could not be recorded, nothing was executed" }]);
    expect(events().map(wordOf)).toEqual(["admitted", "error"]);
    expect(events()[1]?.custom.regate.outcome["code"]).toBe("audit.unavailable");
  });

  it("of a call that was cancelled what its caller was told, whatever comes of it afterwards", async () => {
    const { corridor, lines } = opened(undefined, { answersFirst: true });
    const cancel = new AbortController();
    let late: JsonObject | undefined;
    const handler = async (): Promise<{ content: [] }> => {
      cancel.abort();
      await Promise.resolve();
      queueMicrotask(() => queueMicrotask(() => (late = { content: [{ type: "text", text: "late" }] })));
      return { content: [] };
    };
    const answer = await corridor.call({ ...counted("t").request, signal: cancel.signal, handler, answered: () => late });
    await Promise.resolve();
    await corridor.close();
    expect([codeOf(answer), late === undefined]).toEqual(["call.cancelled", false]);
    expect(lines().map(({ type }) => type)).toEqual(["input", "output"]);
    expect(lines()[1]?.["data"]["content"]).toEqual(resultOf(answer).content);
  });

  it("an output that cannot be recorded is reported; what has run has run", async () => {
    const { corridor, reports, file } = opened();
    const { request, state } = counted(
      "t",
      {},
      {
        handler: () => {
          state.runs += 1;
          writeFileSync(file, "someone else's\n");
          return Promise.resolve({ content: [] });
        },
      },
    );
    expect(codeOf(await corridor.call(request))).toBe("ok");
    expect([state.runs, reports.length]).toEqual([1, 1]);
    expect(codeOf(await corridor.call(request))).toBe("audit.unavailable");
  });
});

it("an identity that is set shows in the session's view and in the registry, with no groups", async () => {
  const sessions = createSessionRegistry();
  const { corridor, claim, engine } = opened(undefined, { sessions });
  await corridor.call(counted("t").request);
  corridor.identify("erik", []);
  await corridor.call(counted("t").request);
  expect(engine.asked.map(({ user, groups }) => [user, groups])).toEqual([
    ["erika", ["staff"]],
    ["erik", []],
  ]);
  expect(sessions.list()).toMatchObject([{ id: claim.sessionId, user: "erik", principals: [] }]);
});

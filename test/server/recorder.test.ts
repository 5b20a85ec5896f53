import { describe, expect, it } from "vitest";
import type { DecisionLog, DecisionRecord, OutcomeRecord } from "../../src/audit/log.ts";
import { createRecorder } from "../../src/server/recorder.ts";

/** A log on a disk that can be full. */
function disk() {
  const lines: string[] = [];
  const state = { full: false, closed: false };
  const write = (line: string): void => {
    if (state.full) throw new Error("no space left");
    lines.push(line);
  };
  const log: DecisionLog = {
    decision: (record) => write(`decision ${record.decisionId}`),
    outcome: (record) => write(`outcome ${record.decisionId}`),
    close: () => (state.closed = true),
  };
  return { log, lines, state };
}
const decision = (decisionId: string): DecisionRecord => ({ decisionId }) as DecisionRecord;
const outcome = (decisionId: string): OutcomeRecord => ({ decisionId, tool: "t", status: "ok", durationMs: 0 });

describe("createRecorder", () => {
  it("throws when a decision cannot be written", () => {
    const { log, state } = disk();
    state.full = true;
    const recorder = createRecorder(log, () => undefined);
    expect(() => recorder.decision(decision("1"))).toThrow("no space left");
  });

  it("keeps an outcome that cannot be written, and admits nothing before it is", () => {
    const { log, lines, state } = disk();
    const problems: unknown[] = [];
    const recorder = createRecorder(log, (problem) => problems.push(problem));
    recorder.decision(decision("1"));
    recorder.decision(decision("2"));
    state.full = true;
    recorder.outcome(outcome("1"));
    recorder.outcome(outcome("2"));
    expect(problems).toHaveLength(2);
    expect(() => recorder.decision(decision("3"))).toThrow("no space left");
    state.full = false;
    recorder.decision(decision("4"));
    expect(lines).toEqual(["decision 1", "decision 2", "outcome 1", "outcome 2", "decision 4"]);
  });

  it("writes outcomes after the answer, but before the next decision and before it closes, if it is told to", async () => {
    const { log, lines } = disk();
    const recorder = createRecorder(log, () => undefined, true);
    const over = (id: string): void => {
      recorder.outcome(outcome(id));
      recorder.afterwards(() => lines.push(`output ${id}`));
    };
    recorder.decision(decision("1"));
    over("1");
    expect(lines).toEqual(["decision 1"]);
    recorder.decision(decision("2"));
    expect(lines).toEqual(["decision 1", "outcome 1", "decision 2"]);
    await expect.poll(() => lines.slice(3)).toEqual(["output 1"]);
    over("2");
    recorder.close();
    expect(lines.slice(4)).toEqual(["outcome 2", "output 2"]);
  });

  it("keeps no more than so many outputs back", () => {
    const { log, lines } = disk();
    const recorder = createRecorder(log, () => undefined, true);
    for (let id = 1; id < 64; id += 1) recorder.afterwards(() => lines.push("output"));
    expect(lines).toEqual([]);
    recorder.afterwards(() => lines.push("output"));
    expect(lines).toHaveLength(64);
  });

  it("writes what is owed before it closes, and closes whatever happens", () => {
    const { log, lines, state } = disk();
    const recorder = createRecorder(log, () => undefined);
    state.full = true;
    recorder.outcome(outcome("1"));
    recorder.close();
    expect(state.closed).toBe(true);
    state.full = false;
    recorder.close();
    expect(lines).toEqual(["outcome 1"]);
  });
});

import { describe, expect, it } from "vitest";
import type { DecisionLog, DecisionRecord, OutcomeRecord } from "../../src/audit/log.ts";
import { openLateLog } from "../../src/server/late-log.ts";

const DECISION = { decisionId: "d" } as DecisionRecord;
const OUTCOME = { decisionId: "d" } as OutcomeRecord;

function attempts(failures: number) {
  const seen: string[] = [];
  const reported: unknown[] = [];
  let left = failures;
  const inner: DecisionLog = {
    decision: () => seen.push("decision"),
    outcome: () => seen.push("outcome"),
    close: () => seen.push("close"),
  };
  const open = (): DecisionLog => {
    seen.push("open");
    if (left === 0) return inner;
    left -= 1;
    throw new Error("not yet");
  };
  return { seen, reported, log: openLateLog({ open, report: (problem) => reported.push(problem) }) };
}

describe("openLateLog", () => {
  it("opens at once and only once", () => {
    const { log, seen, reported } = attempts(0);
    log.decision(DECISION);
    log.outcome(OUTCOME);
    log.close();
    expect(seen).toEqual(["open", "decision", "outcome", "close"]);
    expect(reported).toEqual([]);
  });
  it("throws for each decision until it can be opened, and reports the first failure", () => {
    const { log, seen, reported } = attempts(3);
    expect(() => log.decision(DECISION)).toThrow("not yet");
    expect(() => log.outcome(OUTCOME)).toThrow("not yet");
    log.decision(DECISION);
    expect(seen).toEqual(["open", "open", "open", "open", "decision"]);
    expect(reported).toHaveLength(1);
  });
  it("closes nothing when nothing was opened", () => {
    const { log, seen } = attempts(1);
    log.close();
    expect(seen).toEqual(["open"]);
  });
});

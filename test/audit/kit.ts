import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { DecisionRecord, OutcomeRecord } from "../../src/audit/log.ts";
import { openDecisionLog } from "../../src/audit/decision-log.ts";
import type { DecisionLog } from "../../src/audit/log.ts";
import type { JsonObject } from "../../src/call/json.ts";
import { shellCall } from "../tools/kit.ts";

/** A fresh folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "regate-audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A log in a fresh state directory, with a clock that gives odd nanoseconds; closed when the test ends. */
export function openLog(
  stateDir = temporaryFolder(),
  sessionId = "mcp-1764520000000000001",
): { log: DecisionLog; file: string; stateDir: string } {
  let time = 1_764_520_000_123_456_789n;
  const log = openDecisionLog({ stateDir, sessionId, labels: { id: "test", version: "0.1.0" }, now: () => (time += 1_000_000_001n) });
  onTestFinished(() => log.close());
  return { log, file: join(stateDir, "decisions", `${sessionId}.jsonl`), stateDir };
}

/** A recorded decision over an input. */
export function recordOf(input: JsonObject, more: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    decisionId: "d290f1ee-6c54-4b01-90e6-d701748f0851",
    call: CALL,
    input,
    verdict: { admitted: true, decision: { allow: true, reasons: [], effect: "none", confirm: "none" } },
    bundle: { name: "default", digest: `sha256:${"ab".repeat(32)}` },
    before: { identity_confirmed: false, epoch: 0 },
    after: { identity_confirmed: false, epoch: 0 },
    metrics: { timer_rego_query_eval_ns: 12_345 },
    ...more,
  };
}

/** A recorded outcome. */
export function outcomeOf(more: Partial<OutcomeRecord> = {}): OutcomeRecord {
  return {
    decisionId: "d290f1ee-6c54-4b01-90e6-d701748f0851",
    tool: "run_shell",
    status: "ok",
    durationMs: 12.5,
    facts: { exit_code: 0 },
    ...more,
  };
}

/** An event as tests look at it. */
export interface LoggedEvent {
  readonly decision_id: string;
  readonly erased?: readonly string[];
  readonly custom: { readonly regate: { readonly seq: number; readonly prev_hash: string; hash?: string } };
}

/** The events of a log file. */
export function eventsOf(file: string): LoggedEvent[] {
  return linesOf(file).map((line) => JSON.parse(line) as LoggedEvent);
}

/** The lines of a log file; the last one must end in a line feed. */
export function linesOf(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  if (lines.pop() !== "") throw new Error("the last line is not whole");
  return lines;
}

const CALL = shellCall({}, { live_write: true });

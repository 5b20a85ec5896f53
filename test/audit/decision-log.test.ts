import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decisionLogFile, openDecisionLog } from "../../src/audit/decision-log.ts";
import { timestampOf } from "../../src/audit/event.ts";
import type { JsonValue } from "../../src/call/json.ts";
import { eventsOf, linesOf, openLog, outcomeOf, recordOf, temporaryFolder } from "./kit.ts";

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });
const options = (stateDir: string, sessionId = "mcp-1764520000000000001") => ({ stateDir, sessionId, labels: {}, now: () => 1n });

describe("events", () => {
  test("a decision, pinned whole", () => {
    const { log, file } = openLog();
    const refusal = { stage: "policy", code: "policy.denied", text: "no", retryable: false } as const;
    const decision = { allow: false, reasons: [{ code: "a.b", rule: "r", message: "no" }], effect: "none", confirm: "none" } as const;
    log.decision(
      recordOf(
        { session_id: "mcp-1", agent: { id: "a", session_id: "mcp-1" }, args: ["password=x1", "q=1"], arguments: { q: 1, password: "x1" } },
        { verdict: { admitted: false, refusal, decision }, after: { identity_confirmed: true, epoch: 3 } },
      ),
    );
    const [event] = eventsOf(file);
    expect(event?.custom.regate.hash).toMatch(/^[0-9a-f]{64}$/);
    delete event?.custom.regate.hash;
    expect(event).toEqual({
      labels: { id: "test", version: "0.1.0" },
      decision_id: "d290f1ee-6c54-4b01-90e6-d701748f0851",
      bundles: { default: { revision: `sha256:${"ab".repeat(32)}` } },
      path: "gate/decision",
      timestamp: "2025-11-30T16:26:41.123456790Z",
      input: { session_id: "mcp-1", agent: { id: "a", session_id: "mcp-1" }, args: ["password=[REDACTED]", "q=1"], arguments: { q: 1 } },
      result: { allow: false, reasons: [{ code: "a.b", rule: "r", message: "no" }], effect: "none", confirm: "none" },
      metrics: { timer_rego_query_eval_ns: 12_345 },
      erased: ["/input/args/0", "/input/arguments/password"],
      masked: ["/input/args/0"],
      custom: {
        regate: {
          event: "decision",
          seq: 1,
          prev_hash: "0".repeat(64),
          bundle: `sha256:${"ab".repeat(32)}`,
          session: { before: { identity_confirmed: false, epoch: 0 }, after: { identity_confirmed: true, epoch: 3 } },
          admitted: false,
          stage: "policy",
          code: "policy.denied",
        },
      },
    });
  });

  test("an outcome has the decision's id, no input, and the next number of the same sequence", () => {
    const { log, file } = openLog();
    log.decision(recordOf({}));
    log.outcome(
      outcomeOf({ status: "error", code: "call.failed", durationMs: 35.625_598_000_000_08, facts: { exit_code: 1, note: "token=abc" } }),
    );
    const [first, second] = eventsOf(file);
    expect(second).toMatchObject({
      decision_id: first?.decision_id,
      path: "gate/decision",
      erased: ["/custom/regate/outcome/facts/note"],
    });
    expect(second).not.toHaveProperty("input");
    expect(second?.custom.regate).toEqual({
      event: "outcome",
      seq: 2,
      prev_hash: first?.custom.regate.hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      outcome: {
        tool: "run_shell",
        status: "error",
        code: "call.failed",
        duration_ms: 35.626,
        facts: { exit_code: 1, note: "token=[REDACTED]" },
      },
    });
  });

  test("an admitted call reached the handler; a call that policy never saw has no result and may have no bundle", () => {
    const { log, file } = openLog();
    log.decision(recordOf({}));
    const { bundle: _bundle, ...unbound } = recordOf(
      {},
      {
        verdict: { admitted: false, refusal: { stage: "entitlement", code: "agent.not_entitled", text: "x", retryable: false } },
      },
    );
    log.decision(unbound);
    const [admitted, refused] = eventsOf(file);
    expect(admitted?.custom.regate).toMatchObject({ admitted: true, stage: "handler", code: null });
    expect(refused?.custom.regate).toMatchObject({ admitted: false, stage: "entitlement", code: "agent.not_entitled", bundle: null });
    expect(refused).not.toHaveProperty("result");
    expect(refused).not.toHaveProperty("bundles");
  });

  test("nothing erased: no lists", () => {
    const { log, file } = openLog();
    log.decision(recordOf({ arguments: { command: "ls" } }));
    expect(Object.keys(eventsOf(file)[0] ?? {})).toEqual([
      "bundles",
      "custom",
      "decision_id",
      "input",
      "labels",
      "metrics",
      "path",
      "result",
      "timestamp",
    ]);
  });

  test("nine fraction digits survive (trial E02)", () => {
    expect(timestampOf(1_764_520_000_000_000_001n)).toBe("2025-11-30T16:26:40.000000001Z");
    expect(timestampOf(1_764_520_000_999_999_999n)).toBe("2025-11-30T16:26:40.999999999Z");
  });
});

describe("when redaction fails", () => {
  let deep: JsonValue = "password=x1";
  for (let level = 0; level < 300; level += 1) deep = [deep];

  test("input and result are erased whole, the event is in the file, and a call that was to run is refused", () => {
    const { log, file } = openLog();
    expect(() => log.decision(recordOf({ arguments: { deep } }))).toThrow(code("audit.redaction_failed"));
    const [event] = eventsOf(file);
    expect(event).toMatchObject({
      erased: ["/input", "/result"],
      error: { code: "audit.redaction_failed", message: "the event is nested too deep to be redacted" },
    });
    expect(event).not.toHaveProperty("input");
    expect(event).not.toHaveProperty("result");
  });

  test("a call that is refused anyway keeps its own refusal", () => {
    const { log, file } = openLog();
    const refusal = { stage: "entitlement", code: "agent.not_entitled", text: "x", retryable: false } as const;
    log.decision(recordOf({ arguments: { deep } }, { verdict: { admitted: false, refusal } }));
    expect(eventsOf(file)[0]).toMatchObject({ erased: ["/input"], custom: { regate: { code: "agent.not_entitled" } } });
  });

  test("what has no canonical form is treated alike, and the chain goes on", () => {
    const { log, file } = openLog();
    expect(() => log.decision(recordOf({ context: { odd: "\ud800" } }))).toThrow(code("audit.redaction_failed"));
    log.outcome(outcomeOf({ facts: { odd: Number.NaN } }));
    log.decision(recordOf({}));
    expect(eventsOf(file).map((event) => [event.custom.regate.seq, event.erased])).toEqual([
      [1, ["/input", "/result"]],
      [2, ["/custom/regate/outcome/facts"]],
      [3, undefined],
    ]);
  });
});

describe("the file", () => {
  test("is made with the log, folders 0700 and file 0600, whatever the umask", () => {
    const stateDir = join(temporaryFolder(), "a", "state");
    const before = process.umask(0o000);
    try {
      openLog(stateDir).log.decision(recordOf({}));
    } finally {
      process.umask(before);
    }
    const modes = ["", "decisions", "locks", "decisions/mcp-1764520000000000001.jsonl"].map(
      (name) => statSync(join(stateDir, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  test("an existing folder is closed to others", () => {
    const stateDir = temporaryFolder();
    mkdirSync(join(stateDir, "decisions"), { mode: 0o755 });
    openLog(stateDir);
    expect(statSync(join(stateDir, "decisions")).mode & 0o777).toBe(0o700);
  });

  test.each(["", ".", "..", "../x", "a/b", "a\u0000b", "-a", "é", "x".repeat(129)])("session id %j cannot name it", (sessionId) => {
    const stateDir = temporaryFolder();
    expect(() => openDecisionLog(options(stateDir, sessionId))).toThrow(code("audit.session_id_invalid"));
    expect(existsSync(join(stateDir, "decisions"))).toBe(false);
  });

  test("a state directory that is a file, a linked folder and a linked log are refused", () => {
    const stateDir = temporaryFolder();
    writeFileSync(join(stateDir, "file"), "");
    expect(() => openDecisionLog(options(join(stateDir, "file")))).toThrow(code("audit.unavailable"));
    mkdirSync(join(stateDir, "linked"));
    symlinkSync(temporaryFolder(), join(stateDir, "linked", "decisions"));
    expect(() => openDecisionLog(options(join(stateDir, "linked")))).toThrow(code("audit.unavailable"));
    const { log, file } = openLog(join(stateDir, "fine"), "mcp-1");
    log.close();
    symlinkSync(file, decisionLogFile(join(stateDir, "fine"), "mcp-2"));
    expect(() => openDecisionLog(options(join(stateDir, "fine"), "mcp-2"))).toThrow(code("audit.unavailable"));
  });

  test("a closed log takes nothing more", () => {
    const { log } = openLog();
    log.close();
    expect(() => log.decision(recordOf({}))).toThrow(code("audit.unavailable"));
    log.close();
  });
});

describe("a log of a session that ended is continued", () => {
  test("with the next number and the last hash", () => {
    const { log, stateDir, file } = openLog();
    log.decision(recordOf({}));
    log.close();
    openLog(stateDir).log.decision(recordOf({}));
    const [first, second] = eventsOf(file);
    expect(second?.custom.regate).toMatchObject({ seq: 2, prev_hash: first?.custom.regate.hash });
  });

  test("a part of a line at its end, as a crash leaves it, is cut off", () => {
    const { log, stateDir, file } = openLog();
    log.decision(recordOf({ arguments: { big: "x".repeat(200_000) } }));
    log.close();
    appendFileSync(file, `{"custom":{"regate":${"y".repeat(150_000)}`);
    openLog(stateDir).log.decision(recordOf({}));
    expect(eventsOf(file).map((event) => event.custom.regate.seq)).toEqual([1, 2]);
  });

  test.each<[string, (file: string) => void]>([
    ["whose last line is not JSON", (file) => appendFileSync(file, "not json\n")],
    ["whose last event was changed", (file) => writeFileSync(file, readFileSync(file, "utf8").replace("gate/decision", "gate/Decision"))],
    ["whose last line has no chain", (file) => appendFileSync(file, "{}\n")],
  ])("one %s is not", (_name, damage) => {
    const { log, stateDir, file } = openLog();
    log.decision(recordOf({}));
    log.close();
    damage(file);
    expect(() => openDecisionLog(options(stateDir))).toThrow(code("audit.log_damaged"));
    // The lock was given back: a repaired log can be opened.
    truncateSync(file, 0);
    openLog(stateDir).log.decision(recordOf({}));
    expect(linesOf(file)).toHaveLength(1);
  });
});

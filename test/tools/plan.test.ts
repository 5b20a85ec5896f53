import { describe, expect, it } from "vitest";
import { factsOf } from "../../src/call/risk-table.ts";
import type { ToolCall } from "../../src/call/tool-call.ts";
import type { Decision } from "../../src/policy/decision.ts";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { planOf, planSchema } from "../../src/tools/plan.ts";

const call: ToolCall = {
  tool: "run_shell",
  arguments: { command: "sudo rm -r $dir > log", dry_run: true },
  path: "direct",
  time: "2026-01-01T00:00:00.000Z",
  facts: factsOf("run_shell"),
  risk: "destructive",
  dryRun: true,
  shell: {
    verdict: "destructive",
    verifiable: true,
    destructive: true,
    findings: [{ rule: "destructive.rm", verdict: "destructive", word: "rm\u202e", start: 5, end: 7 }],
    commands: [{ name: "rm", argv: ["rm", "-r", { dynamic: true, text: "$dir" }], via: ["sudo"] }],
    redirects: [{ op: ">", target: "log" }],
  },
};
const decision: Decision = {
  allow: true,
  reasons: [],
  warnings: [{ code: "house.careful", rule: "house", message: "mind the log" }],
  effect: "none",
  confirm: "none",
};

describe("planOf", () => {
  it("says what would run, what was found and what policy said", () => {
    const { structured, text } = planOf(call, decision);
    expect(structured).toEqual({
      dry_run: true,
      command: "sudo rm -r $dir > log",
      verdict: "destructive",
      commands: [{ name: "rm", argv: ["rm", "-r", { dynamic: true, text: "$dir" }], via: ["sudo"] }],
      findings: [{ rule: "destructive.rm", verdict: "destructive", word: "rm\u202e", start: 5, end: 7 }],
      redirects: [{ op: ">", target: "log" }],
      policy: { allow: true, reasons: [], warnings: [{ code: "house.careful", rule: "house", message: "mind the log" }] },
    });
    expect(text).toBe(
      [
        "dry run: nothing was executed",
        "verdict: destructive",
        "would run: rm -r {$dir} (through sudo)",
        "would redirect: > log",
        "finding: destructive.rm (destructive) at `rm\\u{202e}`",
        "policy: allow",
        "warning: mind the log (house.careful)",
      ].join("\n"),
    );
  });

  it.each(["echo hi", "sudo rm -r $dir > log", "$(echo rm) x", "a='", "for f in *; do cat $f; done 2>&1 | tee x", ""])(
    "has the form that run_shell publishes, for %j",
    (command) => {
      const { structured } = planOf({ ...call, arguments: { command }, shell: analyseCommand(command) }, decision);
      expect(planSchema.safeParse(structured).error).toBeUndefined();
    },
  );

  it("shares nothing with the call", () => {
    const { structured } = planOf(call, decision);
    (structured["commands"] as unknown[]).length = 0;
    expect(call.shell?.commands).toHaveLength(1);
  });

  it("exists only for a run_shell call with a command", () => {
    const { shell: _, ...bare } = call;
    expect(() => planOf(bare, decision)).toThrow("only a run_shell call with a command has a plan");
    expect(() => planOf({ ...call, arguments: {} }, decision)).toThrow("only a run_shell call with a command has a plan");
  });
});

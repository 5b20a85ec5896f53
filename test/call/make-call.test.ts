import { describe, expect, it } from "vitest";
import { makeCall } from "../../src/call/make-call.ts";
import type { CallParts } from "../../src/call/make-call.ts";
import { factsOf, riskClass } from "../../src/call/risk-table.ts";
import type { ShellAnalysis } from "../../src/call/tool-call.ts";

const analysis = (verdict: ShellAnalysis["verdict"]): ShellAnalysis => ({
  verdict,
  verifiable: verdict !== "unverifiable",
  destructive: verdict !== "clear",
  findings: [],
  commands: [],
  redirects: [],
});

function made(parts: Partial<CallParts>) {
  return makeCall({
    tool: "run_shell",
    arguments: {},
    path: "direct",
    time: "2026-01-01T00:00:00.000Z",
    factsOf,
    analyse: (command) => analysis(command.startsWith("rm") ? "destructive" : "clear"),
    riskOf: riskClass,
    ...parts,
  });
}

describe("makeCall", () => {
  it("builds one frozen call", () => {
    const { call, problem } = made({ arguments: { command: "rm x", dry_run: true } });
    expect(problem).toBeUndefined();
    expect(call).toMatchObject({ tool: "run_shell", risk: "destructive", dryRun: true, path: "direct" });
    expect(Object.isFrozen(call)).toBe(true);
    expect(Object.isFrozen(call.arguments)).toBe(true);
  });

  const dryRuns: [string, unknown, boolean][] = [
    ["true", true, true],
    ["false", false, false],
    ['the string "true"', "true", false],
    ["1", 1, false],
    ["yes", "yes", false],
    ["null", null, false],
    ["[]", [], false],
    ["[true]", [true], false],
    ["{}", {}, false],
  ];
  it.each(dryRuns)("takes dry_run %s for what it is", (_, value, dryRun) => {
    expect(made({ arguments: { command: "echo", dry_run: value } }).call.dryRun).toBe(dryRun);
  });

  it("gives dry_run no meaning on any other tool", () => {
    expect(made({ tool: "list_sessions", arguments: { dry_run: true } }).call.dryRun).toBe(false);
    expect(made({ tool: "Run_Shell", arguments: { command: "rm x", dry_run: true } }).call.dryRun).toBe(false);
  });

  it("takes neither risk nor facts from arguments [P03]", () => {
    const { call } = made({ arguments: { command: "rm x", risk: "read", tool: { known: true }, shell: { verdict: "clear" } } });
    expect(call.risk).toBe("destructive");
    expect(call.shell?.verdict).toBe("destructive");
  });

  it("analyses run_shell alone", () => {
    expect(made({ tool: "eval_starlark", arguments: { command: "rm x" } }).call.shell).toBeUndefined();
    expect(made({ arguments: { command: 7 } }).call).toMatchObject({ risk: "mutable", shell: { verdict: "clear", commands: [] } });
  });

  it("keeps nothing of arguments that cannot be judged, and counts a command among them as destructive", () => {
    const { call, problem } = made({ arguments: { command: "echo \ud800", dry_run: true } });
    expect(problem).toBe("malformed");
    expect(call).toMatchObject({ arguments: {}, risk: "destructive", dryRun: false, shell: { verdict: "unverifiable" } });
  });

  const names: [string, string][] = [
    ["a lone surrogate", "run_shell\ud800"],
    ["2,000 characters", "x".repeat(2_000)],
    ["a cut through a pair", `${"x".repeat(1_023)}\ud83d\ude00`],
  ];
  it.each(names)("replaces a tool name with %s by one that can be written and is never a real one", (_, tool) => {
    const { call, problem } = made({ tool, arguments: { command: "echo" } });
    expect(problem).toBe("malformed");
    expect(call.tool.endsWith("\ufffd")).toBe(true);
    expect(call.tool.length).toBeLessThanOrEqual(1_025);
    expect(/\p{Surrogate}/u.test(call.tool)).toBe(false);
    expect(call.risk).toBe("unknown");
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("knows nothing of a tool named %s", (tool) => {
    expect(made({ tool }).call).toMatchObject({ risk: "unknown", facts: { known: false, read_only: false } });
  });
});

import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { regate } from "./run.ts";

function explained(words: readonly string[], flags: readonly string[] = []) {
  const run = regate(["explain", "--json", "--sandbox", "none", ...flags, "--", ...words]);
  expect([run.status, run.stderr]).toEqual([0, ""]);
  return JSON.parse(run.stdout) as Record<string, any>;
}

describe("regate explain", () => {
  it("names file, line and source of the conditions that failed, and what would help (U09)", () => {
    const { outcome, reasons, failed_conditions, next_steps } = explained(["rm", "-rf", "build"], ["--bundle", "ai-agent"]);
    expect([outcome, reasons[0].code]).toEqual(["denied", "ai_agent.destructive"]);
    expect(failed_conditions).toContainEqual({
      rule: "ai_agent",
      code: "ai_agent.destructive",
      file: "policy/gate/rules/ai_agent/ai-agent.rego",
      line: expect.any(Number),
      source: "_command_is_covered if input.agent.dry_run == true",
      found: "does not hold: `input.agent.dry_run` is false",
    });
    expect(next_steps).toEqual(["repeat the call with dry_run=true: nothing is executed, and the plan is shown"]);
  });

  it("executes nothing and makes no state", () => {
    const folder = temporaryFolder();
    explained([`touch ${folder}/marker`], ["--state-dir", join(folder, "state")]);
    expect([existsSync(join(folder, "marker")), existsSync(join(folder, "state"))]).toEqual([false, false]);
  });

  it("reads one word as a command line and several as the words of one command", () => {
    expect(explained(["ls | rm x"])["input"].shell.commands).toHaveLength(2);
    const { input } = explained(["kubectl", "delete", "ns", "a b"]);
    expect(input.arguments.command).toBe("kubectl delete ns 'a b'");
    expect(input.shell.commands[0].argv[3]).toBe("a b");
  });

  it("works with a copied bundle, without conditions", () => {
    const folder = join(temporaryFolder(), "ai-agent");
    cpSync("wasm/ai-agent", folder, { recursive: true });
    const answer = explained(["rm x"], ["--bundle", folder]);
    expect(answer).toMatchObject({ outcome: "denied", failed_conditions: [], reasons: [{ code: "ai_agent.destructive" }] });
    expect(answer["conditions_unavailable"]).toMatch(/from which the bundle was built, is not there/);
  });

  it("explains other tools, allowlist and dry run with the settings of serve", () => {
    const list = join(temporaryFolder(), "tools.txt");
    writeFileSync(list, "list_sessions\n");
    const run = regate([
      "explain",
      "--bundle",
      "ai-agent",
      "--agent-tools-file",
      list,
      "--tool",
      "admin_explain",
      "--arguments",
      '{"command":"ls"}',
    ]);
    expect([run.status, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toContain("entitlement  denied (agent.not_entitled): agent: tool is not entitled");
    expect(run.stdout).toContain("input.command in data.regate.ai_agent.tools");
  });

  it.each([
    [[], "a command is required"],
    [["--", " "], "a command is required"],
    [["--tool", "x", "--", "ls"], "give a command or `--tool`, not both"],
    [["--arguments", "{}", "--", "ls"], "`--arguments` belongs to `--tool NAME`"],
    [["--tool", "x", "--arguments", "[1]"], "`--arguments` must be a JSON object"],
    [["--tool", "x", "--arguments", '{"a":1,"a":2}'], "`--arguments` must be a JSON object"],
  ])("refuses %j with one line", (words, line) => {
    const run = regate(["explain", ...words]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    expect(run.stderr).toContain(line);
  });
});

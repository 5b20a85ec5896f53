import { array, assert, asyncProperty, boolean, constantFrom, record, string, subarray } from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { codeOf, counted, openCorridor, removeFolders, resultOf } from "../server/support.ts";
import { exactArguments, exactJson } from "./arbitraries.ts";

const BUNDLES = ["ai-agent", "agent-session", "identity-gate", "default"] as const;
const engines = new Map<string, Engine>();
beforeAll(async () => {
  for (const name of BUNDLES) engines.set(name, await loadEngine(name));
});
afterAll(() => {
  for (const engine of engines.values()) engine.close();
});
afterEach(removeFolders);

const DESTRUCTIVE = [
  "rm -rf /srv/app",
  "kubectl delete ns x",
  "terraform apply",
  "git push --force",
  "chmod 777 /",
  "sudo docker rmi x",
  "$(echo rm) x",
];
const HARMLESS = ["echo hi", "ls -l", "cat notes.txt"];
const PATHS = ["direct", "execute", "script", "delegated"] as const;

describe("law 6: an unentitled destructive call answers with the entitlement error", () => {
  it("whatever the bundle, the path, the switch, the list and the other arguments", async () => {
    const call = record({
      bundle: constantFrom(...BUNDLES),
      command: constantFrom(...DESTRUCTIVE),
      path: constantFrom(...PATHS),
      requireDryRun: boolean(),
      others: subarray(["Run_Shell", "run_shell ", "RUN_SHELL", "run_shel", "list_sessions", "run\u200b_shell"]),
      extra: exactArguments(string()),
    });
    await assert(
      asyncProperty(call, async ({ bundle, command, path, requireDryRun, others, extra }) => {
        const { corridor } = openCorridor({ engine: engines.get(bundle), allowlist: new Set(others), requireDryRun });
        const { request, state } = counted("run_shell", { ...extra, command }, { path });
        const answer = await corridor.call(request);
        expect(resultOf(answer).content).toEqual([{ type: "text", text: "agent: tool is not entitled" }]);
        expect(state.runs).toBe(0);
        await corridor.close();
      }),
      { numRuns: 150 },
    );
  });
});

describe("the gate order over the shipped ai-agent bundle, as a full matrix", () => {
  // Only the strict boolean is a dry run; every other form is one more argument.
  const forms: [string, JsonObject][] = [
    ["absent", {}],
    ["true", { dry_run: true }],
    ["false", { dry_run: false }],
    ['"true"', { dry_run: "true" }],
    ["1", { dry_run: 1 }],
    ["yes", { dry_run: "yes" }],
    ["null", { dry_run: null }],
    ["[]", { dry_run: [] }],
    ["[true]", { dry_run: [true] }],
    ["nested", { options: { dry_run: true } }],
    ["another case", { Dry_Run: true }],
  ];
  const rows = forms.flatMap(([form, extra]) =>
    [true, false].flatMap((entitled) =>
      [true, false].flatMap((required) => [...DESTRUCTIVE, ...HARMLESS].map((command) => ({ form, extra, entitled, required, command }))),
    ),
  );

  it.each(rows)("dry_run $form, entitled $entitled, required $required: $command", async ({ form, extra, entitled, required, command }) => {
    const { corridor, events } = openCorridor({
      engine: engines.get("ai-agent"),
      allowlist: new Set(entitled ? ["run_shell"] : ["list_sessions"]),
      requireDryRun: required,
    });
    const { request, state } = counted("run_shell", { command, ...extra });
    const answer = await corridor.call(request);
    const destructive = DESTRUCTIVE.includes(command);
    const dry = form === "true";
    const code = !entitled ? "agent.not_entitled" : !destructive || dry ? "ok" : required ? "agent.dry_run_required" : "policy.denied";
    expect(codeOf(answer)).toBe(code);
    expect(state.runs).toBe(code === "ok" && !dry ? 1 : 0);
    expect(resultOf(answer).structuredContent?.["dry_run"]).toBe(code === "ok" && dry ? true : undefined);
    expect(events()[0]).toMatchObject({ input: { agent: { dry_run: dry, risk: destructive ? "destructive" : "mutable" } } });
    await corridor.close();
  });

  it("has no second meaning for dry_run on other tools", async () => {
    for (const tool of ["eval_starlark", "list_sessions", "cloud_query", "audit_log"]) {
      const { corridor, events } = openCorridor({ engine: engines.get("ai-agent"), requireDryRun: true });
      const { request, state } = counted(tool, { dry_run: true });
      expect(codeOf(await corridor.call(request))).toBe("ok");
      expect(state.runs).toBe(1);
      expect(events()[0]).toMatchObject({ input: { agent: { dry_run: false } } });
    }
  });
});

describe("laws 5 and 9: every path gives the same decision and the same bytes, and a refusal leaves the handler untouched", () => {
  it("whatever is called", async () => {
    const call = record({
      bundle: constantFrom(...BUNDLES),
      tool: constantFrom(
        "run_shell",
        "audit_log",
        "admin_explain",
        "identity_status",
        "config_switch",
        "whoami",
        "constructor",
        "__proto__",
        "no_such_tool",
      ),
      command: constantFrom(...DESTRUCTIVE, ...HARMLESS),
      requireDryRun: boolean(),
      args: array(exactJson(), { maxLength: 3 }),
    });
    await assert(
      asyncProperty(call, async ({ bundle, tool, command, requireDryRun, args }) => {
        const answers = [];
        for (const path of PATHS) {
          const { corridor } = openCorridor({ engine: engines.get(bundle), requireDryRun });
          const { request, state } = counted(tool, { command, args }, { path });
          const answer = await corridor.call(request);
          const { content, isError = false } = resultOf(answer);
          expect(codeOf(answer) === "ok" || state.runs === 0).toBe(true);
          answers.push(JSON.stringify({ content, isError, code: codeOf(answer), runs: state.runs }));
          await corridor.close();
        }
        expect(new Set(answers).size).toBe(1);
      }),
      { numRuns: 60 },
    );
  });
});

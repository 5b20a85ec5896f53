import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { codeOf, counted, openCorridor, removeFolders } from "../server/support.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadEngine("ai-agent");
});
afterAll(() => engine.close());
afterEach(removeFolders);

function nested(depth: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < depth; level += 1) value = { in: value };
  return value;
}

const HOSTILE: ((round: number) => { tool: string; args: JsonObject })[] = [
  () => ({ tool: "run_shell", args: { command: "echo \ud800" } }),
  () => ({ tool: "audit_log", args: { filter: "\udfff" } }),
  () => ({ tool: "audit_log", args: { "\ud800": 1 } }),
  (round) => ({ tool: "audit_log", args: nested(100 + (round % 3) * 5_000) }),
  () => ({ tool: "audit_log", args: { limit: Number.NaN } }),
  () => ({ tool: "audit_log", args: { limit: 2 ** 53 + 2 } }),
  () => ({ tool: "audit_log", args: JSON.parse('{"__proto__": {"allow": true}, "constructor": {"prototype": {}}}') as JsonObject }),
  () => ({ tool: "constructor", args: {} }),
  () => ({ tool: "__proto__", args: { command: "echo" } }),
  (round) => ({ tool: `tool-${round}`, args: {} }),
  () => ({ tool: `run_shell\ud800`, args: { command: "echo" } }),
  () => ({ tool: "x".repeat(5_000), args: {} }),
  () => ({ tool: "run_shell", args: { command: "$(".repeat(50) } }),
  () => ({ tool: "run_shell", args: { command: ["echo"] } }),
  () => ({ tool: "run_shell", args: { command: "a\0b", dry_run: "true" } }),
];

it("5,000 hostile calls leave the gate as it was: a right call is still allowed, a wrong one still refused", async () => {
  const { corridor, reports, events } = openCorridor({ engine });
  const usual = async (): Promise<unknown[]> => {
    const calls = [counted("run_shell", { command: "echo hi" }), counted("run_shell", { command: "rm -r x" }), counted("admin_explain")];
    const answers = await Promise.all(calls.map(({ request }) => corridor.call(request)));
    return [...answers.map(codeOf), ...calls.map(({ state }) => state.runs)];
  };
  const before = await usual();
  expect(before).toEqual(["ok", "policy.denied", "policy.denied", 1, 0, 0]);

  const codes = new Set<string>();
  const ranRefused: string[] = [];
  for (let round = 0; round < 5_000; round += 1) {
    const { tool, args } = HOSTILE[round % HOSTILE.length]?.(round) ?? { tool: "", args: {} };
    const { request, state } = counted(tool, args);
    const code = codeOf(await corridor.call(request));
    codes.add(String(code));
    if (code !== "ok" && state.runs > 0) ranRefused.push(tool);
  }
  expect(ranRefused).toEqual([]);
  // Nothing of this may be a fault of ours.
  expect([...codes].toSorted()).toEqual(["call.arguments_invalid", "ok", "policy.denied", "policy.error"]);
  expect(reports).toEqual([]);
  expect(await usual()).toEqual(before);
  expect(events().filter(({ custom }) => custom.regate.event === "decision")).toHaveLength(5_006);
  await corridor.close();
});

import { readFileSync } from "node:fs";
import { sample } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import type { Decision, Reason } from "../../src/policy/decision.ts";
import type { Entrypoint } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { openToolchain } from "../../src/rego/toolchain.ts";
import { regoOf } from "./bundle-sources.ts";
import { policyInputs } from "./policy-inputs.ts";

const SEED = 20_260_701;
/** Inputs of each bundle and entrypoint; together at least 20,000. */
const INPUTS: readonly (readonly [bundle: string, entrypoint: Entrypoint, inputs: number])[] = [
  ["default", "gate/decision", 8000],
  ["identity-gate", "gate/decision", 5000],
  ["ai-agent", "gate/decision", 3000],
  ["agent-session", "gate/decision", 2000],
  ["default", "gate/listing", 1000],
  ["identity-gate", "gate/listing", 500],
  ["ai-agent", "gate/listing", 500],
  ["agent-session", "gate/listing", 500],
];

const toolchain = openToolchain({ limitMs: 600_000 });
afterAll(() => toolchain.close());

/** The answers of OPA's own interpreter. */
async function interpreted(question: { bundle: string; entrypoint: Entrypoint }, inputs: readonly string[]): Promise<readonly unknown[]> {
  const data = JSON.parse(readFileSync(`bundles/${question.bundle}/data.json`, "utf8")) as JsonObject;
  const query = `data.${question.entrypoint.replace("/", ".")}`;
  const prepared = await toolchain.prepare({ files: regoOf(question.bundle), query, data });
  if (!prepared.ok) throw new Error(prepared.text);
  const answers = await toolchain.many(prepared.value, inputs);
  if (!answers.ok) throw new Error(answers.text);
  await toolchain.release(prepared.value);
  return answers.value.map((answer) => (answer.kind === "result" ? sorted(answer.value as unknown as Decision) : answer));
}

/** The reasons in the engine's order: by rule, code and message. */
function sorted(decision: Decision): Decision {
  const text = ({ rule, code, message }: Reason): string => JSON.stringify([rule, code, message]);
  return { ...decision, reasons: [...decision.reasons].sort((a, b) => (text(a) < text(b) ? -1 : 1)) };
}

const seen = new Map<string, number>();
const count = (mark: string): unknown => seen.set(mark, (seen.get(mark) ?? 0) + 1);

describe("OPA's interpreter and the shipped module give the same decision (law 11)", () => {
  it.each(INPUTS)(
    "%s, %s, %i inputs",
    async (...[bundle, entrypoint, inputs]) => {
      const engine = await loadEngine(`wasm/${bundle}`);
      const documents = sample(policyInputs, { numRuns: inputs, seed: SEED });
      const texts = documents.map((document) => JSON.stringify(document));
      const wanted = await interpreted({ bundle, entrypoint }, texts);
      const wrong: unknown[] = [];
      for (const [index, document] of documents.entries()) {
        const got = engine.decide(document, entrypoint);
        if (wrong.length < 3 && !equal(got, wanted[index])) wrong.push({ input: texts[index], got, wanted: wanted[index] });
        count(`allow ${got.allow}`);
        count(`effect ${got.effect}`);
        count(`confirm ${got.confirm}`);
        for (const reason of got.reasons) count(reason.code);
      }
      engine.close();
      expect(wrong).toEqual([]);
      expect(wanted.length).toBe(inputs);
    },
    600_000,
  );

  it("has met every outcome often", () => {
    expect(INPUTS.reduce((sum, [, , inputs]) => sum + inputs, 0)).toBeGreaterThanOrEqual(20_000);
    const outcomes = [
      ["allow true", "allow false", "effect none", "effect rearm", "effect record_identity_read"],
      ["confirm none", "confirm elicit", "confirm block", "identity.unconfirmed", "identity_gate.no_command"],
      ["agent_session.agent_unbound", "agent_session.session_unbound", "agent_session.session_mismatch"],
      ["ai_agent.tool_not_listed", "ai_agent.destructive"],
    ].flat();
    for (const outcome of outcomes) expect([outcome, (seen.get(outcome) ?? 0) >= 50]).toEqual([outcome, true]);
  });
});

/** Equality of JSON values, whatever the order of keys. */
function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, canonical) === JSON.stringify(b, canonical);
}

function canonical(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

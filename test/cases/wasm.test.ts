import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Decision } from "../../src/policy/decision.ts";
import type { Engine, Entrypoint } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";

/** One row of the decision table; the same rows run through OPA's interpreter in decisions_test.rego. */
interface Row {
  readonly note: string;
  readonly bundle: string;
  readonly entrypoint: Entrypoint;
  readonly input: unknown;
  readonly want: Decision;
}

const BUNDLES = ["ai-agent", "agent-session", "identity-gate", "default", "shell-commands", "tools-service"] as const;
const rows = (JSON.parse(readFileSync("test/cases/decisions.json", "utf8")) as { decisions: readonly Row[] }).decisions;
const engines = new Map<string, Engine>();
for (const bundle of BUNDLES) engines.set(bundle, await loadEngine(`wasm/${bundle}`));
afterAll(() => {
  for (const engine of engines.values()) engine.close();
});

describe("the decision table over the built modules", () => {
  it("has a good number of rows for every bundle", () => {
    // The last is ai-agent again, with one rule more.
    const least = (bundle: string): number => (bundle === "shell-commands" ? 8 : 40);
    for (const bundle of BUNDLES) expect(rows.filter((row) => row.bundle === bundle).length).toBeGreaterThanOrEqual(least(bundle));
  });

  it.each(rows.map((row) => [row.note, row] as const))("%s", (_note, { bundle, entrypoint, input, want }) => {
    expect(engines.get(bundle)?.decide(input, entrypoint)).toEqual(want);
  });

  it("lists the same whatever the state of the session", () => {
    const states = [
      { session: { identity_confirmed: true, confirmed_profile: "a", epoch: 3 }, profile: { active: "a" } },
      { session: { identity_confirmed: false }, usage: { calls: 10_000, denied: 10_000 } },
      { session: null, usage: null, approval: { approved: true } },
    ];
    for (const { bundle, input } of rows) {
      const listed = states.map((state) => engines.get(bundle)?.decide({ ...(input as object), ...state }, "gate/listing"));
      expect(new Set(listed.map((decision) => JSON.stringify(decision))).size).toBe(1);
    }
  });

  it("is the same again after all of it, on the same instances", () => {
    for (const { bundle, entrypoint, input, want } of rows.toReversed()) {
      expect(engines.get(bundle)?.decide(input, entrypoint)).toEqual(want);
    }
  });
});

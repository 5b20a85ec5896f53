import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Decision } from "../../src/policy/decision.ts";
import type { Entrypoint } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { openToolchain } from "../../src/rego/toolchain.ts";
import { regoOf } from "./bundle-sources.ts";

interface Row {
  readonly note: string;
  readonly bundle: string;
  readonly entrypoint: Entrypoint;
  readonly input: unknown;
  readonly want: Decision;
}

const rows = (JSON.parse(readFileSync("test/cases/decisions.json", "utf8")) as { decisions: readonly Row[] }).decisions;
const toolchain = openToolchain({ limitMs: 600_000 });
afterAll(() => toolchain.close());

const BUNDLES = ["ai-agent", "agent-session", "identity-gate", "default", "tools-service"];
const CELLS = BUNDLES.flatMap((bundle) => [1, 2].map((optimize) => [bundle, optimize] as const));

/** Sources of a bundle whose only entrypoint is `gate/decision`. */
function withOneEntrypoint(bundle: string): ReadonlyMap<string, string> {
  const main = "policy/gate/main.rego";
  const files = new Map(regoOf(bundle));
  files.set(main, (files.get(main) ?? "").replaceAll("# entrypoint: true\n", ""));
  return files.set("data.json", readFileSync(`bundles/${bundle}/data.json`, "utf8"));
}

describe("the optimiser (trial W12)", () => {
  it.each(CELLS)("keeps the decisions of %s at level %i, with one entrypoint", async (bundle, optimize) => {
    const built = await toolchain.build({ files: withOneEntrypoint(bundle), optimize, entrypoints: ["gate/decision"] });
    if (!built.ok) throw new Error(built.text);
    const engine = await loadEngine(built.value.archive);
    const own = rows.filter((row) => row.bundle === bundle && row.entrypoint === "gate/decision");
    expect(own.length).toBeGreaterThan(0);
    const wrong = own.filter(({ input, want }) => JSON.stringify(canonical(engine.decide(input))) !== JSON.stringify(canonical(want)));
    engine.close();
    expect(wrong.map(({ note }) => note)).toEqual([]);
  });

  // OPA names what it negates anew for each entrypoint, and the names collide: the second entrypoint's condition replaces the first's.
  // When this fails, the fault is gone, and bundles may be built at other levels.
  it("loses a denial when two entrypoints negate rules, so bundles are built at level 0", async () => {
    const text = `package gate\n
# METADATA\n# entrypoint: true
decision contains "denied" if not _named\n\n_named if input.x == 1\n
# METADATA\n# entrypoint: true
listing contains "hidden" if not _seen\n\n_seen if input.y == 1\n`;
    const answers = await Promise.all(
      [0, 1].map(async (optimize) => {
        const built = await toolchain.build({ files: new Map([["gate.rego", text]]), optimize, target: "rego" });
        if (!built.ok) throw new Error(built.text);
        const asked = {
          binary: new Map([["bundle.tar.gz", built.value.archive]]),
          bundle: true,
          query: "data.gate.decision",
          input: '{"y":1}',
        };
        const evaluation = await toolchain.evaluate(asked);
        return evaluation.ok ? evaluation.value.result[0]?.expressions[0]?.value : evaluation.text;
      }),
    );
    expect(answers).toEqual([["denied"], []]);
  });

  it.each(BUNDLES)("is off for %s", (bundle) => {
    expect(JSON.parse(readFileSync(`wasm/${bundle}/manifest.json`, "utf8"))).toMatchObject({ optimize: 0 });
  });
});

/** The same JSON value with its keys in order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member)]));
}

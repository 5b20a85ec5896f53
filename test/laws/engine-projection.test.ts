import { mkdtempSync, readFileSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, integer, property } from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { packagedFolder } from "../../src/policy/locate.ts";

/** Inputs of one run; 100 runs of the default bundle are 100,000 inputs. */
const PER_RUN = 1000;

/** The same bundle with a manifest that says it reads the whole input. */
async function withoutProjection(name: string): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "regate-whole-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ["policy.wasm", "data.json"]) copyFileSync(join(packagedFolder(name), file), join(folder, file));
  const manifest = JSON.parse(readFileSync(join(packagedFolder(name), "manifest.json"), "utf8")) as object;
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...manifest, input_paths: [[]] }));
  return loadEngine(folder);
}

/** A stream of choices from a seed; fast-check chooses and shrinks the seed. */
function chooser(seed: number) {
  let state = seed | 1;
  const below = (limit: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  return { below, pick };
}

const TOOLS = [
  "whoami",
  "run_shell",
  "execute",
  "config_switch",
  "list_sessions",
  "admin_explain",
  "harness_load",
  "config_profile_edit",
  "constructor",
  "",
  "unknown tool",
];
const KEYS = [
  "config.switch",
  "config.profile.status",
  "overview.status",
  "run_shell",
  "whoami",
  "config.profile.edit",
  "",
  null,
  7,
  ["config.switch"],
];
const ODD: readonly unknown[] = [null, true, false, 0, 1, -1.5, "", "x", "0", [], [1], {}, { a: 1 }, { 0: "x" }, ["run_shell"], "é😀"];

const texts = new WeakMap<object, string>();

/** JSON of a decision; the engine gives the same frozen object for the same answer. */
function textOf(decision: object): string {
  const text = texts.get(decision) ?? JSON.stringify(decision);
  texts.set(decision, text);
  return text;
}

type Chooser = ReturnType<typeof chooser>;

/** A value of the field mostly, something odd or nothing at all now and then. */
function field({ below, pick }: Chooser, make: () => unknown): unknown {
  const choice = below(12);
  if (choice === 0) return pick(ODD);
  return choice === 1 ? undefined : make();
}

function someInput(choose: Chooser): Record<string, unknown> {
  const { below, pick } = choose;
  const flag = () => field(choose, () => pick([true, false]));
  const input = {
    session_id: field(choose, () => pick(["s", "t", ""])),
    agent: field(choose, () =>
      present({
        id: field(choose, () => pick(["a", ""])),
        session_id: field(choose, () => "s"),
        kind: "mcp",
        risk: field(choose, () => pick(["read", "mutable", "destructive", "unknown"])),
        dry_run: flag(),
        extra: pick(ODD),
      }),
    ),
    command: field(choose, () => pick(TOOLS)),
    args: pick([[], ["a=1"], ODD]),
    arguments: pick([{}, { agent_id: "x", session_id: "y" }, { command: "rm -rf /" }, { n: below(100) }]),
    tool: field(choose, () =>
      present({
        name: pick(TOOLS),
        command_key: field(choose, () => pick(KEYS)),
        known: flag(),
        read_only: flag(),
        destructive: flag(),
        handoff: flag(),
        live_write: flag(),
        open_world: flag(),
        pinned: flag(),
      }),
    ),
    session: field(choose, () => present({ identity_confirmed: flag(), confirmed_profile: null, epoch: below(3) })),
    elevation:
      below(3) === 0
        ? field(choose, () =>
            present({
              role: field(choose, () => pick(["human-approved-agent", "other"])),
              reason: field(choose, () => pick(["why", " ", ""])),
              tools: field(choose, () => pick([["run_shell"], [], TOOLS])),
            }),
          )
        : undefined,
    usage: { calls: below(5) },
    [pick(["context", "extra", "__proto__x", "toString"])]: pick(ODD),
  };
  return present(input);
}

function present(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

describe("what a policy does not read cannot change its decision", () => {
  it.each([
    ["default", 120],
    ["ai-agent", 15],
    ["agent-session", 15],
    ["identity-gate", 15],
  ])("bundle %s decides the same with and without projection", { timeout: 300_000 }, async (name, runs) => {
    const [projected, whole] = [await loadEngine(name), await withoutProjection(name)];
    const seen = new Set<string>();
    assert(
      property(integer(), (seed) => {
        const choose = chooser(seed);
        for (let index = 0; index < PER_RUN; index += 1) {
          const input = someInput(choose);
          const entrypoint = index % 10 === 9 ? "gate/listing" : "gate/decision";
          const [left, right] = [textOf(projected.decide(input, entrypoint)), textOf(whole.decide(input, entrypoint))];
          if (left !== right) expect({ input, entrypoint, left }).toEqual({ input, entrypoint, left: right });
          seen.add(left);
        }
      }),
      { numRuns: runs },
    );
    expect(seen.size).toBeGreaterThan(2);
  });

  it("a decision's cost does not see the rest of the input", async () => {
    const engine = await loadEngine("default");
    const input = someInput(chooser(7));
    let reads = 0;
    const watched = new Proxy(
      { huge: 1 },
      {
        get: () => (reads += 1),
        ownKeys: () => ((reads += 1), []),
        getOwnPropertyDescriptor: () => ((reads += 1), undefined),
      },
    );
    expect(engine.decide({ ...input, arguments: watched })).toEqual(engine.decide(input));
    expect(reads).toBe(0);
  });
});

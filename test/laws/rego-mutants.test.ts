import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { openToolchain } from "../../src/rego/toolchain.ts";
import { mutantsOf } from "./rego-mutants.ts";
import type { Mutant } from "./rego-mutants.ts";

const RULES = [
  ["ai_agent", "ai-agent", 24],
  ["agent_session", "agent-session", 20],
  ["identity_gate", "identity-gate", 40],
] as const;

const toolchain = openToolchain({ limitMs: 600_000 });
afterAll(() => toolchain.close());

const read = (folder: string, suffix: RegExp): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => suffix.test(name))
    .map((name) => [`${folder}/${name}`, readFileSync(`${folder}/${name}`, "utf8")] as const);

/** What tests say. */
interface Verdict {
  /** `error` when the policy does not compile. */
  readonly word: "pass" | "fail" | "error";
  /** The quickest test that fails. */
  readonly by?: string | undefined;
}

/** What the tests in the files say, or one of them. */
async function verdict(files: ReadonlyMap<string, string>, one?: string): Promise<Verdict> {
  const outcome = await toolchain.test({ files, timeoutMs: 60_000, ...(one === undefined ? {} : { run: `\\.${one}$` }) });
  if (!outcome.ok) return { word: "error" };
  const failed = outcome.value.tests.filter(({ status }) => status === "fail" || status === "error");
  const [first] = failed.toSorted((a, b) => a.duration_ns - b.duration_ns);
  return { word: first === undefined ? "pass" : "fail", by: first?.name };
}

describe("the tests of a rule notice every condition that it loses", () => {
  it.each(RULES)(
    "%s",
    async (rule, file, fewest) => {
      const path = `policy/gate/rules/${rule}/${file}.rego`;
      const files = new Map([...read(`policy/gate/rules/${rule}`, /\.rego$/u), ...read("policy/lib", /(?<!_test)\.rego$/u)]);
      expect((await verdict(files)).word).toBe("pass");
      const text = files.get(path) ?? "";
      const parsed = await toolchain.parse({ files: new Map([[path, text]]), locations: true });
      const tree = parsed.ok ? parsed.value.get(path) : undefined;
      const mutants: readonly Mutant[] = tree === undefined ? [] : mutantsOf(text, tree);
      expect(mutants.length).toBeGreaterThanOrEqual(fewest);
      const unnoticed: string[] = [];
      let last: string | undefined;
      for (const mutant of mutants) {
        const changed = new Map([...files, [path, mutant.text]]);
        // Neighbours are mostly noticed by the same test: the others are run only where that one is content.
        const guess = last === undefined ? undefined : await verdict(changed, last);
        const { word: seen, by } = guess === undefined || guess.word === "pass" ? await verdict(changed) : guess;
        last = by ?? last;
        if (seen === "pass" || (seen === "error" && mutant.compiles)) unnoticed.push(`${mutant.note}: ${seen}`);
      }
      expect(unnoticed).toEqual([]);
    },
    600_000,
  );
});

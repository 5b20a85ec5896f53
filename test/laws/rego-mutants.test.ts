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

const toolchain = openToolchain();
afterAll(() => toolchain.close());

const read = (folder: string, suffix: RegExp): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => suffix.test(name))
    .map((name) => [`${folder}/${name}`, readFileSync(`${folder}/${name}`, "utf8")] as const);

/** What the tests in the files say: `pass`, `fail`, or `error` when the policy does not compile. */
async function verdict(files: ReadonlyMap<string, string>): Promise<"pass" | "fail" | "error"> {
  const outcome = await toolchain.test({ files, timeoutMs: 60_000 });
  if (!outcome.ok) return "error";
  return outcome.value.tests.some(({ status }) => status === "fail" || status === "error") ? "fail" : "pass";
}

describe("the tests of a rule notice every condition that it loses", () => {
  it.each(RULES)(
    "%s",
    async (rule, file, fewest) => {
      const path = `policy/gate/rules/${rule}/${file}.rego`;
      const files = new Map([...read(`policy/gate/rules/${rule}`, /\.rego$/u), ...read("policy/lib", /(?<!_test)\.rego$/u)]);
      expect(await verdict(files)).toBe("pass");
      const text = files.get(path) ?? "";
      const parsed = await toolchain.parse({ files: new Map([[path, text]]), locations: true });
      const tree = parsed.ok ? parsed.value.get(path) : undefined;
      const mutants: readonly Mutant[] = tree === undefined ? [] : mutantsOf(text, tree);
      expect(mutants.length).toBeGreaterThanOrEqual(fewest);
      const unnoticed: string[] = [];
      for (const mutant of mutants) {
        const seen = await verdict(new Map([...files, [path, mutant.text]]));
        if (seen === "pass" || (seen === "error" && mutant.compiles)) unnoticed.push(`${mutant.note}: ${seen}`);
      }
      expect(unnoticed).toEqual([]);
    },
    600_000,
  );
});

import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { policyPages } from "../../src/rego/policy-pages.ts";
import { openToolchain } from "../../src/rego/toolchain.ts";

const toolchain = openToolchain({ limitMs: 600_000 });
afterAll(() => toolchain.close());

const FOLDER = "policy/gate/rules";
const sources = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
      .filter((name) => /(?<!_test)\.rego$/u.test(name))
      .map((name) => [`${FOLDER}/${name}`, readFileSync(`${FOLDER}/${name}`, "utf8")]),
  );
const bundles = new Map(
  readdirSync("bundles")
    .sort()
    .map(
      (name) => [name, (JSON.parse(readFileSync(`bundles/${name}/bundle.json`, "utf8")) as { rules: readonly string[] }).rules] as const,
    ),
);

const RULE = `# METADATA
# title: Night rest
# description: |
#   Nothing runs
#   at night.
# custom:
#   seed: "none"
package gate.rules.night

# METADATA
# title: Night
# description: It is night.
# custom:
#   code: night.asleep
#   message: "night: come back tomorrow"
#   remedy: wait
asleep := 1

# METADATA
# scope: document
# title: Refused Calls
# description: All of them.
deny contains asleep if input.x

_private := 2
`;

describe("policyPages", () => {
  it("writes a page for each rule from its annotations", async () => {
    const inspected = await toolchain.inspect({ files: new Map([["policy/night.rego", RULE]]) });
    const annotations = inspected.ok ? inspected.value : [];
    const pages = policyPages(
      annotations,
      new Map([
        ["all", ["night"]],
        ["some", ["day"]],
      ]),
    );
    expect([...pages.keys()]).toEqual(["night.md"]);
    expect(pages.get("night.md")).toBe(
      [
        "# Night rest",
        "<!-- Made from the annotations of policy/night.rego by scripts/generate-policy-docs.mjs; change those. -->",
        "Nothing runs at night.",
        "Package `gate.rules.night`, source [policy/night.rego](../../policy/night.rego), in the bundles `all`.",
        "Seed: `none`.",
        "## Reasons",
        "### `night.asleep`",
        "Night. It is night.",
        "> night: come back tomorrow",
        "Remedy: `wait`.",
        "## What it says",
        "- `deny` (refused calls): All of them.\n",
      ].join("\n\n"),
    );
  });

  it("has been run over the shipped rules (else run scripts/generate-policy-docs.mjs)", async () => {
    const inspected = await toolchain.inspect({ files: sources() });
    const pages = policyPages(inspected.ok ? inspected.value : [], bundles);
    const rules = readdirSync("policy/gate/rules").toSorted();
    expect([...pages.keys()]).toEqual(rules.map((rule) => `${rule}.md`));
    expect(readdirSync("docs/policies").sort()).toEqual([...pages.keys()]);
    for (const [name, text] of pages) expect(readFileSync(`docs/policies/${name}`, "utf8")).toBe(text);
  });
});

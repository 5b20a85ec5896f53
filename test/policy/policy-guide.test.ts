import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { openToolchain } from "../../src/rego/toolchain.ts";

const toolchain = openToolchain({ limitMs: 600_000 });
afterAll(() => toolchain.close());

const EXAMPLE = "examples/policies/cloud_readers";
const guide = readFileSync("docs/policies.md", "utf8");
const example = (name: string): string => readFileSync(`${EXAMPLE}/${name}`, "utf8");

describe("the example of docs/policies.md", () => {
  it.each(["cloud-readers.rego", "cloud-readers_test.rego"])("is the file %s", (name) => {
    expect(guide).toContain(`\`\`\`rego\n${example(name)}\`\`\`\n`);
  });

  it("passes its tests at full coverage", async () => {
    const files = new Map<string, string>(
      readdirSync(EXAMPLE).map((name) => [`policy/gate/rules/cloud_readers/${name}`, example(name)] as const),
    );
    files.set("policy/lib/reasons/reasons.rego", readFileSync("policy/lib/reasons/reasons.rego", "utf8"));
    const outcome = await toolchain.test({ files, coverage: true });
    const report = outcome.ok ? outcome.value : undefined;
    expect(report?.tests.map(({ status }) => status)).toEqual(["pass", "pass"]);
    expect(report?.coverage?.coverage).toBe(100);
  });
});

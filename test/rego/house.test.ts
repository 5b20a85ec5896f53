import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { gather } from "../../src/rego/gather.ts";
import { houseProblems } from "../../src/rego/house-rules.ts";
import { sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

async function problemsBelow(root: string, folder: string) {
  const { files } = await gather({ cwd: ROOT, paths: [folder], onlyRego: true });
  const house = [...files].map(([path, text]) => {
    const below = path.split("/").slice(root.split("/").length, -1);
    return [path, { text, folder: below, test: path.endsWith("_test.rego") }] as const;
  });
  return valueOf(await houseProblems(toolchain, new Map(house)));
}

describe("house rules", () => {
  it("hold for themselves", SLOW, async () => {
    expect(await problemsBelow("toolchain", "toolchain/house")).toEqual([]);
  });

  it("hold for the policies", SLOW, async () => {
    expect(await problemsBelow("policy", "policy")).toEqual([]);
  });

  it("have tests at 100 % coverage", SLOW, async () => {
    const files = await gather({ cwd: ROOT, paths: ["toolchain/house"] });
    const { tests, coverage } = valueOf(await toolchain.test({ ...files, coverage: true, timeoutMs: 120_000 }));
    expect(tests.filter(({ status }) => status !== "pass")).toEqual([]);
    expect(tests.length).toBeGreaterThan(10);
    expect(coverage?.coverage).toBe(100);
  });
});

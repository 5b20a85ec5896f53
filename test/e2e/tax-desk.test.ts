import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

it("the tax desk plays the hazard on both paths, and every step is what it must be", () => {
  const output = execFileSync(process.execPath, ["examples/tax-desk/demo.mjs"], { encoding: "utf8" });
  const [, ...rows] = output.trimEnd().split("\n");
  expect(rows.pop()).toBe("every step is what it must be");
  const paths = rows.map((row) => row.split(/\s+/, 2).join(" "));
  expect(paths).toEqual([...Array.from({ length: 11 }, () => "ok direct"), ...Array.from({ length: 13 }, () => "ok execute")]);
  expect(rows.filter((row) => row.includes('Active profile: "Erika"'))).toHaveLength(4);
});

import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { HouseFile } from "./house-tree.ts";
import type { JsonObject } from "./json.ts";
import { toolchainFolder } from "./module.ts";
import type { Outcome, Problem } from "./protocol.ts";
import type { Toolchain } from "./toolchain.ts";

interface Violation {
  readonly id: string;
  readonly message: string;
  readonly file: string;
  readonly row: number;
  readonly col: number;
}

/**
 * Applies the house rules (toolchain/house/, Rego over syntax trees) to the files of a policy tree.
 * @param files Rego files by path, each with its folder below the policy root
 * @returns one problem for each violation, with code `house.<rule>`, sorted by place
 */
export async function houseProblems(toolchain: Toolchain, files: ReadonlyMap<string, HouseFile>): Promise<Outcome<readonly Problem[]>> {
  const texts = new Map([...files].map(([path, { text }]) => [path, text]));
  const trees = await toolchain.parse({ files: texts, locations: true });
  if (!trees.ok) return trees;
  const input = Object.fromEntries(
    [...files].map(([path, { folder, test }]) => [path, { folder, test, module: trees.value.get(path) as JsonObject }]),
  );
  const evaluated = await toolchain.evaluate({
    files: await ruleFiles(),
    query: "data.house.violations",
    input: JSON.stringify({ files: input }),
    timeoutMs: 60_000,
  });
  if (!evaluated.ok) return evaluated;
  const violations = (evaluated.value.result[0]?.expressions[0]?.value ?? []) as unknown as readonly Violation[];
  return { ok: true, value: violations.map(problemOf).sort(byPlace) };
}

function problemOf({ id, message, file, row, col }: Violation): Problem {
  return { code: `house.${id}`, message, location: { file, row, col } };
}

function byPlace(a: Problem, b: Problem): number {
  const [left, right] = [a.location, b.location];
  if (left === undefined || right === undefined) return 0;
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.row - right.row || left.col - right.col || (a.code < b.code ? -1 : 1);
}

/** The rules themselves, without their tests. */
async function ruleFiles(): Promise<ReadonlyMap<string, string>> {
  const folder = fileURLToPath(new URL("house/", toolchainFolder()));
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".rego") && !name.endsWith("_test.rego"));
  return new Map(
    await Promise.all(names.map(async (name) => [name.replaceAll("\\", "/"), await readFile(`${folder}/${name}`, "utf8")] as const)),
  );
}

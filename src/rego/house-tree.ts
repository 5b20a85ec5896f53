import { stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { bundleNames } from "./bundle-sources.ts";

/** A Rego file that the house rules apply to. */
export interface HouseFile {
  readonly text: string;
  /** Path of its folder below the policy root; empty when the package is free. */
  readonly folder: readonly string[];
  readonly test: boolean;
}

/** A tree with bundles: `root` holds bundles/<name>/bundle.json, or is itself a folder with a bundle.json. */
interface HouseRoot {
  readonly root: string;
  /** Folder that packages are named from. */
  readonly policy: string;
}

/**
 * Picks the files that the house rules apply to: those below `policy/` of a tree with bundles/<name>/bundle.json, and those of a folder that
 * has a bundle.json itself. Elsewhere plain OPA rules hold, so that any public suite can be checked.
 * @param files paths as given, with their texts
 */
export async function houseFiles(
  cwd: string,
  files: ReadonlyMap<string, string>,
): Promise<{ files: ReadonlyMap<string, HouseFile>; roots: readonly string[] }> {
  const found = new Map<string, HouseFile>();
  const roots = new Set<string>();
  const known = new Map<string, Promise<HouseRoot | undefined>>();
  for (const [path, text] of files) {
    const folder = dirname(resolve(cwd, path));
    const house = await rootOf(folder, known);
    if (house === undefined || !path.endsWith(".rego")) continue;
    const below = relative(house.policy, folder);
    if (below.startsWith("..")) continue;
    roots.add(house.root);
    found.set(path, { text, folder: below === "" ? [] : below.split(sep), test: path.endsWith("_test.rego") });
  }
  return { files: found, roots: [...roots] };
}

function rootOf(folder: string, known: Map<string, Promise<HouseRoot | undefined>>): Promise<HouseRoot | undefined> {
  const cached = known.get(folder);
  if (cached !== undefined) return cached;
  const found = findRoot(folder, known);
  known.set(folder, found);
  return found;
}

async function findRoot(folder: string, known: Map<string, Promise<HouseRoot | undefined>>): Promise<HouseRoot | undefined> {
  if (await isFile(join(folder, "bundle.json"))) return { root: folder, policy: folder };
  if ((await bundleNames(folder)).length > 0) return { root: folder, policy: join(folder, "policy") };
  const parent = dirname(folder);
  return parent === folder ? undefined : rootOf(parent, known);
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

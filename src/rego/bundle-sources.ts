import { createHash } from "node:crypto";
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { BUNDLE_NAME, parseBundleSpec } from "./bundle-spec.ts";
import type { BundleSpec } from "./bundle-spec.ts";
import { gather, GatherError } from "./gather.ts";

/** Everything that one bundle is built from, by repository-relative path with slashes. */
export interface BundleSources {
  readonly name: string;
  readonly spec: BundleSpec;
  /** Rego of the gate, its library and the bundle's rules; no tests. */
  readonly rego: ReadonlyMap<string, string>;
  /** bundles/<name>/data.json; absent when there is none. */
  readonly data?: { readonly path: string; readonly text: string };
  /** policy/capabilities.json. */
  readonly capabilities: { readonly path: string; readonly text: string };
  /** Path → SHA-256 of every source, sorted by path. */
  readonly digests: Readonly<Record<string, string>>;
}

const CAPABILITIES = "policy/capabilities.json";

/** Whether a tree has the house's layout: a `bundles` folder with at least one bundle.json in it. */
export async function bundleNames(cwd: string): Promise<readonly string[]> {
  const entries = await readdir(join(cwd, "bundles"), { withFileTypes: true }).catch(() => []);
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.isDirectory() && (await isFile(join(cwd, "bundles", entry.name, "bundle.json")))) names.push(entry.name);
  }
  return names.sort();
}

/**
 * Reads the sources of one bundle (design §1: rules are found by reference, so a rule is its folder).
 * @throws {GatherError} when a file is missing or wrong
 */
export async function readBundleSources(cwd: string, name: string): Promise<BundleSources> {
  if (!BUNDLE_NAME.test(name)) fail(`\`${name}\` is not a bundle name`);
  const specPath = `bundles/${name}/bundle.json`;
  const specText = await readText(cwd, specPath);
  const spec = readSpec(specPath, specText);
  const folders = ["policy/gate/main.rego", "policy/lib", ...spec.rules.map((rule) => `policy/gate/rules/${rule}`)];
  const present = await Promise.all(folders.map((path) => exists(join(cwd, path))));
  for (const [index, path] of folders.entries())
    if (present[index] !== true && path !== "policy/lib") fail(`${specPath}: \`${path}\` does not exist`);
  const paths = folders.filter((_, index) => present[index]);
  for (const path of paths) await refuseLinks(cwd, path);
  const { files: rego } = await gather({ cwd, paths, ignore: ["*_test.rego", ".*"], onlyRego: true });
  const dataPath = `bundles/${name}/data.json`;
  const data = (await exists(join(cwd, dataPath))) ? { path: dataPath, text: await readText(cwd, dataPath) } : undefined;
  const capabilities = { path: CAPABILITIES, text: await readText(cwd, CAPABILITIES) };
  const texts = new Map([...rego, [specPath, specText], [CAPABILITIES, capabilities.text]]);
  if (data !== undefined) texts.set(data.path, data.text);
  return { name, spec, rego, capabilities, digests: digestsOf(texts), ...(data === undefined ? {} : { data }) };
}

/** A source that is reached over a link could be another one elsewhere: the same tree must give the same bytes. */
async function refuseLinks(cwd: string, path: string): Promise<void> {
  if ((await realpath(join(cwd, path))) !== join(await realpath(cwd), path)) fail(`${path}: leads over a link`);
}

function digestsOf(texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const paths = [...texts.keys()].sort();
  return Object.fromEntries(paths.map((path) => [path, sha256(texts.get(path) ?? "")]));
}

/** SHA-256 as 64 lower-case hex digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function readSpec(path: string, text: string): BundleSpec {
  try {
    return parseBundleSpec(text);
  } catch (error) {
    return fail(`${path}: ${(error as Error).message}`);
  }
}

async function readText(cwd: string, path: string): Promise<string> {
  const file = join(cwd, path);
  if (!(await isFile(file))) return fail(`${path}: not a regular file`);
  const bytes = await readFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail(`${path}: not UTF-8`);
  }
}

async function isFile(file: string): Promise<boolean> {
  return lstat(file).then(
    (facts) => facts.isFile(),
    () => false,
  );
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function fail(message: string): never {
  throw new GatherError([{ code: "bundle_error", message }]);
}

import type { JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";
import { builtinProblems, dataProblems, explainMissing, packageOf } from "./bundle-refusals.ts";
import { readBundleSources, sha256 } from "./bundle-sources.ts";
import type { BundleSources } from "./bundle-sources.ts";
import { hostBuiltins } from "./module-builtins.ts";
import type { Outcome, Problem } from "./protocol.ts";
import { findUses } from "./read-paths.ts";
import type { Uses } from "./read-paths.ts";
import type { BuildResult } from "./requests.ts";
import { selfTestProblems } from "./self-test.ts";
import type { Toolchain } from "./toolchain.ts";

/** The three files of a built bundle, wasm/<name>/, by file name. */
export type BuiltBundle = ReadonlyMap<"policy.wasm" | "data.json" | "manifest.json", Uint8Array>;

/** Law 1 when a bundle has no self-test of its own: the empty input is denied. */
const KNOWN_DENIAL = [{ input: {}, allow: false }] as const;

/**
 * Builds one bundle of the house's layout in memory; the same sources give the same bytes wherever and by whomever it is done.
 * @param cwd root of the tree
 * @param name folder below bundles/
 * @throws {GatherError} when a source is missing
 */
export async function buildBundle(toolchain: Toolchain, cwd: string, name: string): Promise<Outcome<BuiltBundle>> {
  const sources = await readBundleSources(cwd, name);
  const capabilities = readCapabilities(sources);
  if (!isJsonObject(capabilities)) return refused([{ code: "bundle_error", message: `${sources.capabilities.path}: not a JSON object` }]);
  const uses = await usesOf(toolchain, sources, capabilities);
  if (!uses.ok) return uses;
  const built = await toolchain.build(requestFor(sources, capabilities));
  if (!built.ok) return built;
  const failed = await selfTestProblems(toolchain, sources, built.value.data);
  if (failed.length > 0) return refused(failed);
  const version = await toolchain.version();
  if (!version.ok) return version;
  return { ok: true, value: filesOf({ sources, uses: uses.value, built: built.value, opa: version.value.opa }) };
}

/** Arguments of the build: relative paths in order, entrypoints as listed. Native `opa build` with the same ones gives the same bytes. */
export function requestFor(sources: BundleSources, capabilities: JsonObject) {
  const files = new Map(sources.rego);
  if (sources.data !== undefined) files.set(sources.data.path, sources.data.text);
  const paths = [...[...sources.rego.keys()].sort(), ...(sources.data === undefined ? [] : [sources.data.path])];
  return {
    files,
    paths,
    entrypoints: sources.spec.entrypoints,
    optimize: sources.spec.optimize ?? 0,
    capabilities,
    target: "wasm",
  } as const;
}

/** Reads the compiled trees and refuses what a bundle may not contain. */
async function usesOf(toolchain: Toolchain, sources: BundleSources, capabilities: JsonObject): Promise<Outcome<Uses>> {
  const all = await toolchain.capabilities();
  if (!all.ok) return all;
  const trees = await toolchain.parse({ files: sources.rego, capabilities, compiled: true, locations: true });
  if (!trees.ok) return { ...trees, errors: explainMissing(trees.errors) };
  const known = new Set((all.value["builtins"] as unknown as readonly { readonly name: string }[]).map(({ name }) => name));
  const uses = findUses(trees.value.values(), known);
  const packages = [...new Set([...trees.value.values()].map(packageOf))].sort();
  const problems = [...builtinProblems(uses), ...(sources.data === undefined ? [] : readData(sources.data, packages))];
  return problems.length > 0 ? refused(problems) : { ok: true, value: uses };
}

function readData({ path, text }: { readonly path: string; readonly text: string }, packages: readonly string[]): readonly Problem[] {
  try {
    return dataProblems(path, JSON.parse(text), packages);
  } catch (error) {
    return [{ code: "data_error", message: `${path}: not JSON: ${(error as Error).message}` }];
  }
}

function readCapabilities({ capabilities }: BundleSources): unknown {
  try {
    return JSON.parse(capabilities.text);
  } catch {
    return undefined;
  }
}

interface Parts {
  readonly sources: BundleSources;
  readonly uses: Uses;
  readonly built: BuildResult;
  readonly opa: string;
}

function filesOf({ sources, uses, built, opa }: Parts): BuiltBundle {
  const { name, spec } = sources;
  const { wasm = new Uint8Array(), data } = built;
  const manifest = {
    format: 1,
    name,
    opa,
    rules: spec.rules,
    entrypoints: spec.entrypoints,
    optimize: spec.optimize ?? 0,
    wasm: { sha256: sha256(wasm), bytes: wasm.byteLength },
    data: { sha256: sha256(data) },
    sources: sources.digests,
    host_builtins: hostBuiltins(wasm),
    builtins: [...uses.builtins.keys()],
    input_paths: uses.inputPaths,
    self_test: spec.self_test ?? KNOWN_DENIAL,
  };
  return new Map([
    ["policy.wasm", wasm],
    ["data.json", data],
    ["manifest.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)],
  ]);
}

function refused(errors: readonly Problem[]): { ok: false; errors: readonly Problem[]; text: string } {
  return { ok: false, errors, text: errors.map(({ message }) => message).join("\n") };
}

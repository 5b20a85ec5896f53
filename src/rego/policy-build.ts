import { existsSync } from "node:fs";
import { access, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { buildBundle } from "./bundle-build.ts";
import type { BuiltBundle } from "./bundle-build.ts";
import { NEVER_ALLOWED, WRONG_IN_WASM } from "../policy/wasm-builtins.ts";
import { builtinProblems, packageOf } from "./bundle-refusals.ts";
import { bundleNames } from "./bundle-sources.ts";
import { regoOptions, withToolchain } from "./command.ts";
import type { CommonOptions } from "./command.ts";
import { gather, GatherError } from "./gather.ts";
import { hostNotes } from "./host-notes.ts";
import type { Problem } from "./protocol.ts";
import { findUses } from "./read-paths.ts";
import { replaceFolder } from "./replace-folder.ts";
import { complain, problemsOf, reportProblems } from "./report.ts";
import type { CommandIo, CommandResult } from "./report.ts";
import type { Toolchain } from "./toolchain.ts";

/** `regate policy build`. `paths`: in the house layout names of bundles, all when empty; otherwise files and folders. */
export interface PolicyBuildOptions extends CommonOptions, CommandIo {
  /** `package/rule`; annotated entrypoints are added. */
  readonly entrypoints?: readonly string[];
  readonly optimize?: number;
  readonly target?: "wasm" | "rego" | "plan";
  readonly revision?: string;
  /** File to write, `bundle.tar.gz` when absent; in the house layout the folder, `wasm` when absent. */
  readonly output?: string;
  readonly wasmIncludePrint?: boolean;
  /** File with a signing key, or the secret itself for HS algorithms. */
  readonly signingKey?: string;
  readonly signingAlg?: string;
  /** Wall clock of one build in ms. */
  readonly timeoutMs?: number;
}

/**
 * Builds policies: the house's bundles into wasm/<name>/ (policy.wasm, data.json, manifest.json), or, like `opa build -t wasm
 * --prune-unused`, any policy into a bundle.tar.gz. Nothing is written when anything fails.
 */
export async function policyBuild(options: PolicyBuildOptions): Promise<CommandResult> {
  return withToolchain(options, "pretty", async (toolchain) => {
    const names = await houseBundles(options);
    return names === undefined ? buildAny(toolchain, options) : buildHouse(toolchain, { names, folder: options.output ?? "wasm" }, options);
  });
}

/** The bundles that are meant, or undefined when the command is a plain `opa build`. */
async function houseBundles({ cwd, paths = [], entrypoints = [], bundle }: PolicyBuildOptions): Promise<readonly string[] | undefined> {
  if (entrypoints.length > 0 || bundle === true) return undefined;
  const known = await bundleNames(cwd);
  if (paths.length === 0) {
    if (known.length > 0) return known;
    throw new GatherError([{ code: "error", message: "no bundles/<name>/bundle.json here: name files or folders to build" }]);
  }
  const stray =
    known.length > 0 ? paths.find((path) => !known.includes(path) && isBundleName(path) && !existsSync(resolve(cwd, path))) : undefined;
  if (stray !== undefined) {
    throw new GatherError([{ code: "error", message: `no bundle \`${stray}\` in bundles/: there are ${known.join(", ")}` }]);
  }
  const meant = paths.every((path) => known.includes(path) || (dirname(path) === "bundles" && known.includes(basename(path))));
  return meant ? paths.map((path) => basename(path)) : undefined;
}

/** A word that could be meant as the name of a bundle, and not as a path. */
function isBundleName(path: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(path);
}

async function buildHouse(toolchain: Toolchain, what: { names: readonly string[]; folder: string }, io: CommandIo): Promise<CommandResult> {
  const built: (readonly [string, BuiltBundle])[] = [];
  for (const name of what.names) {
    const outcome = await buildBundle(toolchain, io.cwd, name);
    if (outcome.ok) built.push([name, outcome.value]);
    else reportProblems(io, problemsOf(outcome));
  }
  if (built.length < what.names.length) return { exitCode: 1 };
  for (const [name, files] of built) {
    await replaceFolder(resolve(io.cwd, what.folder, name), files);
    io.write(`${what.folder}/${name}: policy.wasm has ${files.get("policy.wasm")?.byteLength ?? 0} bytes\n`);
  }
  return { exitCode: 0 };
}

async function buildAny(toolchain: Toolchain, options: PolicyBuildOptions): Promise<CommandResult> {
  const { paths = [], ignore = [], bundle = false, target = "wasm" } = options;
  const files = await gather({ cwd: options.cwd, paths, ignore, bundle });
  if (!bundle) await warnOfManifests(options, paths);
  const outcome = await toolchain.build({ ...files, ignore, target, ...(await buildFields(options)) });
  if (!outcome.ok) {
    reportProblems(options, problemsOf(outcome));
    return { exitCode: 1 };
  }
  const refused = target === "wasm" ? await gateProblems(toolchain, files.files) : [];
  if (refused.length > 0) {
    reportProblems(options, refused);
    return { exitCode: 1 };
  }
  await writeArchive(options, outcome.value.archive);
  if (outcome.value.wasm !== undefined) {
    for (const note of await hostNotes(toolchain, files.files, outcome.value.wasm)) complain(options, `${note}\n`);
  }
  return { exitCode: 0 };
}

async function writeArchive({ cwd, output = "bundle.tar.gz" }: PolicyBuildOptions, archive: Uint8Array): Promise<void> {
  try {
    await writeFile(resolve(cwd, output), archive);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new GatherError([{ code: "error", message: `\`${output}\` cannot be written (${code}): give another --output` }]);
  }
}

/** A policy for this engine, which would refuse the module at load, is not built either (design §2); others are their hosts' business. */
async function gateProblems(toolchain: Toolchain, files: ReadonlyMap<string, string>): Promise<readonly Problem[]> {
  const rego = new Map([...files].filter(([path]) => path.endsWith(".rego") && !path.endsWith("_test.rego")));
  const trees = await toolchain.parse({ files: rego, compiled: true, locations: true });
  if (!trees.ok || ![...trees.value.values()].some((tree) => packageOf(tree) === "gate")) return [];
  return builtinProblems(findUses(trees.value.values(), new Set([...WRONG_IN_WASM.keys(), ...NEVER_ALLOWED.keys()])));
}

/** OPA's warning: a manifest that is not read is likely a mistake. */
async function warnOfManifests(options: PolicyBuildOptions, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const found = await access(resolve(options.cwd, path, ".manifest")).then(
      () => true,
      () => false,
    );
    if (found) complain(options, `Warning: .manifest file found in "${path}" but -b flag not specified. Manifest will be ignored.\n`);
  }
}

async function buildFields(options: PolicyBuildOptions) {
  const { cwd, entrypoints, optimize, revision, wasmIncludePrint, timeoutMs, signingKey, signingAlg = "RS256" } = options;
  return {
    ...(await regoOptions(options, cwd)),
    ...(timeoutMs === undefined ? {} : { limitMs: timeoutMs }),
    ...(entrypoints === undefined ? {} : { entrypoints }),
    ...(optimize === undefined ? {} : { optimize }),
    ...(revision === undefined ? {} : { revision }),
    ...(wasmIncludePrint === undefined ? {} : { wasmIncludePrint }),
    ...(signingKey === undefined ? {} : { key: await readKey(cwd, signingKey), algorithm: signingAlg }),
  };
}

/** A key file's text, or the value itself: what OPA does with --signing-key. */
async function readKey(cwd: string, value: string): Promise<string> {
  return readFile(resolve(cwd, value), "utf8").catch(() => value);
}

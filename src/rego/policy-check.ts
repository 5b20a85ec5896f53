import { relative, resolve } from "node:path";
import { buildBundle } from "./bundle-build.ts";
import { bundleNames } from "./bundle-sources.ts";
import { regoOptions, withToolchain } from "./command.ts";
import type { CommonOptions } from "./command.ts";
import { gather, GatherError } from "./gather.ts";
import { houseProblems } from "./house-rules.ts";
import { houseFiles } from "./house-tree.ts";
import type { Outcome, Problem } from "./protocol.ts";
import { problemLine, problemsOf, reportProblems } from "./report.ts";
import type { CommandIo, CommandResult } from "./report.ts";
import type { FileSet, RegoOptions } from "./requests.ts";
import type { Toolchain } from "./toolchain.ts";
import { wasmProblems } from "./wasm-check.ts";

/** `regate policy check`; names and meanings are those of `opa check`. */
export interface PolicyCheckOptions extends CommonOptions, CommandIo {
  readonly format?: "pretty" | "json";
  /** `--for wasm`: builds a module too, and names the builtins that WASM gets wrong. */
  readonly forWasm?: boolean;
  /** Entrypoints of that build; every package when absent and none is annotated. */
  readonly entrypoints?: readonly string[];
  /** Wall clock of one call in ms. */
  readonly timeoutMs?: number;
}

interface Checked {
  readonly files: FileSet;
  readonly rego: RegoOptions;
}

/**
 * Checks Rego files as `opa check` does. In a tree with bundles it also applies the house rules and builds every bundle in memory: what would be
 * refused at build or at load is refused here. Exit code 1 with every error as `file:row:col: code: message`.
 */
export async function policyCheck(options: PolicyCheckOptions): Promise<CommandResult> {
  const format = options.format ?? "pretty";
  return withToolchain(options, format, async (toolchain) => {
    const { cwd, paths = [], ignore = [], bundle = false, timeoutMs } = options;
    const files = await gather({ cwd, paths, ignore, bundle, onlyRego: true });
    const rego = { ...(await regoOptions(options, cwd)), ...(timeoutMs === undefined ? {} : { limitMs: timeoutMs }) };
    const problems = await allProblems(toolchain, options, { files: { ...files, ignore }, rego });
    if (problems.length === 0) return { exitCode: 0 };
    reportProblems(options, unique(problems), format);
    return { exitCode: 1 };
  });
}

async function allProblems(toolchain: Toolchain, options: PolicyCheckOptions, checked: Checked): Promise<readonly Problem[]> {
  const plain = await toolchain.check({ ...checked.files, ...checked.rego });
  // What does not compile has no tree to judge.
  if (!plain.ok) return problemsOf(plain);
  const wasm = options.forWasm === true ? await wasmProblems(toolchain, checked, options.entrypoints ?? []) : [];
  return [...wasm, ...(await houseTreeProblems(toolchain, options.cwd, checked.files.files))];
}

/** House rules, and one build for each bundle of each tree that the files belong to. */
async function houseTreeProblems(toolchain: Toolchain, cwd: string, texts: ReadonlyMap<string, string>): Promise<readonly Problem[]> {
  const { files, roots } = await houseFiles(cwd, texts);
  if (files.size === 0) return [];
  const problems = [...listOf(await houseProblems(toolchain, files))];
  for (const root of roots) {
    for (const name of await bundleNames(root)) problems.push(...(await bundleProblems(toolchain, { cwd, root, name })));
  }
  return problems;
}

async function bundleProblems(toolchain: Toolchain, where: { cwd: string; root: string; name: string }): Promise<readonly Problem[]> {
  try {
    const built = await buildBundle(toolchain, where.root, where.name);
    return built.ok ? [] : problemsOf(built).map((problem) => seenFrom(where, problem));
  } catch (error) {
    if (error instanceof GatherError) return error.problems;
    throw error;
  }
}

/** A place of a bundle's source, which is below the tree's root, as a path from where the command runs. */
function seenFrom({ cwd, root }: { cwd: string; root: string }, problem: Problem): Problem {
  if (problem.location === undefined) return problem;
  return { ...problem, location: { ...problem.location, file: relative(cwd, resolve(root, problem.location.file)) } };
}

function listOf(outcome: Outcome<readonly Problem[]>): readonly Problem[] {
  return outcome.ok ? outcome.value : problemsOf(outcome);
}

/** Several bundles have the same sources: each problem is said once. */
function unique(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [problemLine(problem), problem])).values()];
}

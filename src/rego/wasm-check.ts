import { builtinProblems, packageOf } from "./bundle-refusals.ts";
import type { JsonObject } from "./json.ts";
import type { Problem } from "./protocol.ts";
import { findUses } from "./read-paths.ts";
import { problemsOf } from "./report.ts";
import type { FileSet, RegoOptions } from "./requests.ts";
import type { Toolchain } from "./toolchain.ts";

/**
 * Says what keeps a policy from running as a WASM module: builtins that the WASM runtime gets wrong or that no policy may use, with name, file
 * and row, and whatever stops the build. Test files are left out.
 * @param entrypoints of the build; when none are given or annotated, every package
 */
export async function wasmProblems(
  toolchain: Toolchain,
  checked: { files: FileSet; rego: RegoOptions },
  entrypoints: readonly string[],
): Promise<readonly Problem[]> {
  const { schemas: _schemas, strict: _strict, ...rego } = checked.rego;
  const files = new Map([...checked.files.files].filter(([path]) => path.endsWith(".rego") && !path.endsWith("_test.rego")));
  const trees = await toolchain.parse({ ...rego, files, compiled: true, locations: true });
  if (!trees.ok) return problemsOf(trees);
  const all = await toolchain.capabilities();
  if (!all.ok) return problemsOf(all);
  const known = new Set((all.value["builtins"] as unknown as readonly { readonly name: string }[]).map(({ name }) => name));
  const builtins = builtinProblems(findUses(trees.value.values(), known));
  const built = await toolchain.build({
    ...rego,
    files,
    paths: [...files.keys()],
    entrypoints: entrypoints.length > 0 ? entrypoints : packagesOf(trees.value),
    target: "wasm",
  });
  return built.ok ? builtins : [...builtins, ...problemsOf(built)];
}

/** Every package that has rules, unless some rule or package is annotated as an entrypoint. */
function packagesOf(trees: ReadonlyMap<string, JsonObject>): readonly string[] {
  if (JSON.stringify([...trees.values()].map((tree) => tree["annotations"] ?? null)).includes('"entrypoint":true')) return [];
  const named = [...trees.values()].filter((tree) => tree["rules"] !== undefined).map((tree) => packageOf(tree).replaceAll(".", "/"));
  return [...new Set(named)].sort();
}

import { hostBuiltins } from "./module-builtins.ts";
import { findUses } from "./read-paths.ts";
import type { Toolchain } from "./toolchain.ts";

/**
 * Says which builtins a module asks its host for, each with the places of its calls: a host without them cannot run the module.
 * @returns lines such as `policy/a.rego:3:5: the host must supply \`sprintf\``
 */
export async function hostNotes(toolchain: Toolchain, files: ReadonlyMap<string, string>, wasm: Uint8Array): Promise<readonly string[]> {
  const names = hostBuiltins(wasm);
  if (names.length === 0) return [];
  const rego = new Map([...files].filter(([path]) => path.endsWith(".rego")));
  const trees = await toolchain.parse({ files: rego, compiled: true, locations: true });
  const uses = trees.ok ? findUses(trees.value.values(), new Set(names)) : undefined;
  return names.flatMap((name) => {
    const places = uses?.builtins.get(name) ?? [];
    if (places.length === 0) return [`the host must supply \`${name}\``];
    return places.map(({ file, row, col }) => `${file}:${row}:${col}: the host must supply \`${name}\``);
  });
}

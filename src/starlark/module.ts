import { limitMemory, PAGE_BYTES } from "../wasm/memory.ts";
import { readShippedModule } from "../wasm/shipped.ts";

const MEBIBYTE = 1_048_576;

/** Folder of the shipped module: the same place seen from src/ and from dist/. */
export function starlarkFolder(): URL {
  return new URL("../../starlark/", import.meta.url);
}

/**
 * Reads the shipped module, sets its memory maximum and compiles it.
 * @param memoryMb at most the shipped maximum of 128
 * @param folder another place of module and manifest
 * @throws Error when a file is missing, the digest is not the manifest's or the module needs more memory
 */
export async function compileStarlark(memoryMb: number, folder: URL = starlarkFolder()): Promise<WebAssembly.Module> {
  const module = limitMemory(readShippedModule(folder, "starlark"), (memoryMb * MEBIBYTE) / PAGE_BYTES);
  return WebAssembly.compile(module);
}

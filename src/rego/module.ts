import { readShippedModule } from "../wasm/shipped.ts";

/** Folder of the shipped module: the same place seen from src/ and from dist/. */
export function toolchainFolder(): URL {
  return new URL("../../toolchain/", import.meta.url);
}

/**
 * Reads, decompresses and compiles the toolchain's module.
 * @param folder URL of the folder with manifest.json and the compressed module
 * @throws when a file is missing or the module's SHA-256 is not the manifest's; nothing is compiled then
 */
export function compileModule(folder: URL): WebAssembly.Module {
  return new WebAssembly.Module(readShippedModule(folder, "toolchain"));
}

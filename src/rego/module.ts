import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** toolchain/manifest.json, written by toolchain/build.mjs. */
interface ModuleManifest {
  readonly opa: string;
  readonly go: string;
  readonly module: { readonly sha256: string; readonly bytes: number };
  readonly compressed: { readonly file: string };
}

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
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as ModuleManifest;
  const compressed = readFileSync(new URL(manifest.compressed.file, folder));
  const module = brotliDecompressSync(compressed, { maxOutputLength: manifest.module.bytes });
  const digest = createHash("sha256").update(module).digest("hex");
  if (digest !== manifest.module.sha256) throw new Error(`toolchain module has digest ${digest}, expected ${manifest.module.sha256}`);
  return new WebAssembly.Module(module);
}

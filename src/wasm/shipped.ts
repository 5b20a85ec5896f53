import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** What the manifest beside a shipped module must say of it (scripts/go-module.mjs writes it). */
interface ModuleManifest {
  readonly module: { readonly sha256: string; readonly bytes: number };
  readonly compressed: { readonly file: string };
}

/**
 * Reads and decompresses a module that is shipped compressed.
 * @param folder URL of the folder with manifest.json and the compressed module
 * @param what names the module in errors
 * @throws Error when a file is missing or the module's SHA-256 is not the manifest's
 */
export function readShippedModule(folder: URL, what: string): Uint8Array<ArrayBuffer> {
  const manifest = JSON.parse(readFileSync(new URL("manifest.json", folder), "utf8")) as ModuleManifest;
  const compressed = readFileSync(new URL(manifest.compressed.file, folder));
  const module = brotliDecompressSync(compressed, { maxOutputLength: manifest.module.bytes });
  const digest = createHash("sha256").update(module).digest("hex");
  if (digest !== manifest.module.sha256) throw new Error(`${what} module has digest ${digest}, expected ${manifest.module.sha256}`);
  return module;
}

import { gunzipSync } from "node:zlib";
import { BundleError } from "./bundle-error.ts";
import { FILE_LIMITS, type BundleFiles } from "./bundle-files.ts";
import { readTar, TAR_LIMITS } from "./tar.ts";

/** Largest compressed bundle, in bytes. */
export const ARCHIVE_LIMIT = 16 * 1024 * 1024;

/**
 * Takes the engine's files out of an OPA bundle (tar.gz). Plain data must be in the root `data.json`; delta bundles, signed bundles (no
 * verification key can be configured yet, and OPA refuses them too) and nested data or manifests are refused, other files ignored.
 * @param bytes the compressed archive
 * @throws {BundleError} `bundle.unreadable`, `bundle.too_large`, `bundle.missing`, `bundle.data`
 */
export function readArchive(bytes: Uint8Array): BundleFiles {
  const files = readTar(gunzip(bytes));
  refuseOtherKinds(files);
  const manifest = files.get("manifest.json");
  const opaManifest = files.get(".manifest");
  return {
    wasm: required(files, { name: "policy.wasm", limit: FILE_LIMITS.wasm }),
    data: required(files, { name: "data.json", limit: FILE_LIMITS.data }),
    ...(manifest === undefined ? {} : { manifest: bounded(manifest, { name: "manifest.json", limit: FILE_LIMITS.manifest }) }),
    ...(opaManifest === undefined ? {} : { opaManifest: bounded(opaManifest, { name: ".manifest", limit: FILE_LIMITS.manifest }) }),
  };
}

function gunzip(bytes: Uint8Array): Uint8Array {
  if (bytes.length > ARCHIVE_LIMIT) throw new BundleError("bundle.too_large", `bundle is larger than ${ARCHIVE_LIMIT} bytes`);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw new BundleError("bundle.unreadable", "bundle is not a gzip file");
  try {
    // `info` is not in the type declarations of zlib: it adds the engine, which knows how many bytes it has consumed.
    const options = { maxOutputLength: TAR_LIMITS.bytes, info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (engine.bytesWritten !== bytes.length) throw new BundleError("bundle.unreadable", "bundle has data after its end");
    return buffer;
  } catch (error) {
    if (error instanceof BundleError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new BundleError("bundle.too_large", `bundle is larger than ${TAR_LIMITS.bytes} bytes unpacked`, error);
    }
    throw new BundleError("bundle.unreadable", "bundle is cut off or not a gzip file", error);
  }
}

function refuseOtherKinds(files: ReadonlyMap<string, Uint8Array>): void {
  for (const path of files.keys()) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (path === "patch.json") throw new BundleError("bundle.unreadable", "delta bundles (`patch.json`) are not accepted");
    if (path === ".signatures.json") throw new BundleError("bundle.unreadable", "bundle is signed, and no verification key is configured");
    if (name === ".manifest" && path !== name) throw new BundleError("bundle.manifest", `bundle has a second manifest: \`${path}\``);
    if (/^data\.(json|ya?ml)$/.test(name) && path !== "data.json") {
      throw new BundleError("bundle.data", `data outside the root \`data.json\`: \`${path}\``);
    }
  }
}

function required(files: ReadonlyMap<string, Uint8Array>, want: { name: string; limit: number }): Uint8Array {
  const content = files.get(want.name);
  if (content === undefined) throw new BundleError("bundle.missing", `bundle has no \`${want.name}\``);
  return bounded(content, want);
}

function bounded(content: Uint8Array, want: { name: string; limit: number }): Uint8Array {
  if (content.length > want.limit) throw new BundleError("bundle.too_large", `\`${want.name}\` is larger than ${want.limit} bytes`);
  return content;
}

import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { BundleError } from "./bundle-error.ts";

/** The files of a bundle that the engine reads, as bytes; nothing else of a bundle is ever used. */
export interface BundleFiles {
  readonly wasm: Uint8Array;
  readonly data: Uint8Array;
  /** Regate's own `manifest.json`; absent in bundles that plain `opa build` made. */
  readonly manifest?: Uint8Array;
  /** OPA's `.manifest`, in tar.gz bundles. */
  readonly opaManifest?: Uint8Array;
}

const MIB = 1024 * 1024;

/** Largest size of each file, in bytes (reference/opa-wasm.md §8: "ours should be small"). */
export const FILE_LIMITS = Object.freeze({ wasm: 16 * MIB, data: 16 * MIB, manifest: MIB });

/**
 * Reads a bundle folder: policy.wasm, data.json and manifest.json, all three required (design, "Beside src/": such a folder is complete).
 * Only regular files are read, no file through a link, none above its limit.
 * @param folder path of the folder
 * @throws {BundleError} `bundle.missing`, `bundle.unreadable`, `bundle.too_large`
 */
export async function readFolder(folder: string): Promise<BundleFiles> {
  const manifest = await readFile(folder, {
    name: "manifest.json",
    limit: FILE_LIMITS.manifest,
    missing: "bundle manifest missing: `manifest.json`",
  });
  const wasm = await readFile(folder, { name: "policy.wasm", limit: FILE_LIMITS.wasm, missing: "bundle module missing: `policy.wasm`" });
  const data = await readFile(folder, {
    name: "data.json",
    limit: FILE_LIMITS.data,
    missing: "bundle data missing (manifest lists data.json)",
  });
  return { wasm, data, manifest };
}

/**
 * Reads one regular file completely, or refuses: no FIFO, device or folder can block or surprise, and a file that grows while it is read is refused.
 * @param path file to read
 * @param options `limit` in bytes; `follow` allows the path itself to be a link (for a path that the operator typed)
 * @throws {BundleError} `bundle.unreadable`, `bundle.too_large`; errors of the file system pass through
 */
export async function readRegularFile(path: string, options: { limit: number; name: string; follow?: boolean }): Promise<Uint8Array> {
  const noFollow = options.follow === true ? 0 : constants.O_NOFOLLOW;
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | noFollow);
  try {
    return await readWhole(handle, options);
  } finally {
    await handle.close();
  }
}

async function readWhole(handle: FileHandle, options: { limit: number; name: string }): Promise<Uint8Array> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new BundleError("bundle.unreadable", `\`${options.name}\` is not a regular file`);
  if (stat.size > options.limit) throw new BundleError("bundle.too_large", `\`${options.name}\` is larger than ${options.limit} bytes`);
  const bytes = new Uint8Array(stat.size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === bytes.length) break;
  }
  if (length !== stat.size) throw new BundleError("bundle.unreadable", `\`${options.name}\` changed while it was read`);
  return bytes.subarray(0, length);
}

async function readFile(folder: string, options: { name: string; limit: number; missing: string }): Promise<Uint8Array> {
  try {
    return await readRegularFile(join(folder, options.name), options);
  } catch (error) {
    if (error instanceof BundleError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT") throw new BundleError("bundle.missing", options.missing, error);
    if (code === "ELOOP") throw new BundleError("bundle.unreadable", `\`${options.name}\` is a symbolic link`, error);
    throw new BundleError("bundle.unreadable", `\`${options.name}\` cannot be read (${code ?? "unknown error"})`, error);
  }
}

import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { ARCHIVE_LIMIT, readArchive } from "./archive.ts";
import { BundleError } from "./bundle-error.ts";
import { readFolder, readRegularFile, type BundleFiles } from "./bundle-files.ts";

/** A bundle that was found and read, but not yet checked. */
export interface FoundBundle {
  readonly files: BundleFiles;
  /** Name to use when the bundle's own manifest has none. */
  readonly name: string;
}

const NAME = /^[a-z0-9][a-z0-9_-]*$/;

/**
 * Finds a bundle: a packaged name (the folder `wasm/<name>` of this package wins over a path of that name), a folder, an OPA bundle tar.gz,
 * or the bytes of one (design §13, `loadEngine`).
 * @param source name, path or bytes
 * @throws {BundleError} when there is none, or it cannot be read
 */
export async function findBundle(source: string | Uint8Array): Promise<FoundBundle> {
  if (typeof source !== "string") return { files: readArchive(source), name: "bundle" };
  if (source === "" || source.includes("\0")) throw new BundleError("bundle.missing", "the bundle has no name");
  const packaged = NAME.test(source) ? await kindOf(packagedFolder(source)) : "nothing";
  if (packaged === "folder") return { files: await readFolder(packagedFolder(source)), name: source };
  const kind = await kindOf(source);
  if (kind === "folder") return { files: await readFolder(source), name: basename(source) };
  if (kind === "file") return { files: await readArchiveFile(source), name: basename(source).replace(/\.(tar\.gz|tgz)$/, "") };
  if (kind === "other") throw new BundleError("bundle.unreadable", "not a folder and not a regular file");
  throw new BundleError("bundle.missing", "no packaged bundle, folder or file of that name");
}

/**
 * Path of a bundle that this package ships, beside `src/` and `dist/` alike.
 * @param name bundle name, such as `default`
 */
export function packagedFolder(name: string): string {
  return fileURLToPath(new URL(`../../wasm/${name}`, import.meta.url));
}

async function readArchiveFile(path: string): Promise<BundleFiles> {
  try {
    return readArchive(await readRegularFile(path, { limit: ARCHIVE_LIMIT, name: basename(path), follow: true }));
  } catch (error) {
    if (error instanceof BundleError) throw error;
    throw new BundleError("bundle.unreadable", "the bundle file cannot be read", error);
  }
}

async function kindOf(path: string): Promise<"folder" | "file" | "other" | "nothing"> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return "folder";
    return found.isFile() ? "file" : "other";
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return "nothing";
    throw new BundleError("bundle.unreadable", "the bundle's path cannot be read", error);
  }
}

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Replaces a folder by one with the given files, so that at no time a mixture of old and new is there: written beside it, then renamed.
 * @param folder absolute path; its parent is made when missing
 */
export async function replaceFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const parent = dirname(folder);
  const fresh = join(parent, `.${basename(folder)}.new`);
  const old = join(parent, `.${basename(folder)}.old`);
  await mkdir(parent, { recursive: true });
  await rm(fresh, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
  await mkdir(fresh);
  for (const [name, bytes] of files) await writeFile(join(fresh, name), bytes);
  const existed = await rename(folder, old).then(
    () => true,
    () => false,
  );
  try {
    await rename(fresh, folder);
  } catch (error) {
    if (existed) await rename(old, folder);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

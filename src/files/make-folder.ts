import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder 0700 with its missing parents, as design §3 wants it for the state directory; one that is there stays as it is.
 * Not `recursive: true`: Node 20 then never returns for a folder that a file system such as /proc lets nobody make.
 * @throws Error of the file system
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

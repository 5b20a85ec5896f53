import { chmodSync, lstatSync } from "node:fs";
import { makeFolder } from "./make-folder.ts";

/**
 * Makes a folder 0700, with its parents; one that is there must be a real folder, and is closed to others.
 * @throws Error of the file system, and for a link or anything else that stands there
 */
export function makePrivateFolder(path: string): void {
  makeFolder(path);
  const found = lstatSync(path);
  if (!found.isDirectory()) throw new Error(`not a folder: \`${path}\``);
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

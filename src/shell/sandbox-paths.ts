import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

/** Whether a path is a folder itself or lies in it; both absolute and normalised. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** The real path of something that exists; undefined where it does not, or cannot be reached. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** What stands at a path, links not followed. */
export function kindOf(path: string): "folder" | "link" | "other" | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "folder" : "other";
}

/** The folders between a folder and something in it, the outermost first; neither end is among them. */
export function foldersBetween(folder: string, path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== folder && isWithin(at, folder) && at !== "/"; at = dirname(at)) found.unshift(at);
  return found;
}

/** How deep a path is; 0 for the root. */
export function depthOf(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}

import { readFile } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { isWithin, kindOf, realPathOf } from "./sandbox-paths.ts";
import { shellError } from "./shell-error.ts";

/** Places at which listening sockets would be reachable. */
export interface SocketPlaces {
  /** Folders to be emptied. */
  readonly folders: readonly string[];
  /** Sockets to be covered one by one, since their folder has to stay. */
  readonly sockets: readonly string[];
}

/** More than this is no ordinary system, and could not be hidden in reasonable time. */
const MAX_SOCKETS = 1_024;
/** `__SO_ACCEPTCON`, as the kernel writes it: the socket listens. */
const LISTENS = "00010000";

/**
 * Finds the listening unix sockets that have a path (proc(5), `/proc/net/unix`): whoever may connect to one can have things done outside
 * the sandbox, by an ssh agent, a container daemon or a session bus.
 * @param kept folders that must stay usable: a socket in one of them, or above, is covered by itself
 * @throws Error `shell.sandbox_failed` when there are too many, or the table cannot be read
 */
export async function socketPlaces(kept: readonly string[]): Promise<SocketPlaces> {
  const folders = new Set<string>();
  const sockets = new Set<string>();
  for (const path of listeningPaths(await socketTable())) {
    const folder = realPathOf(dirname(path));
    if (folder === undefined) continue;
    const real = folder === "/" ? path : `${folder}${path.slice(dirname(path).length)}`;
    if (!isKept(folder, kept)) folders.add(folder);
    else if (kindOf(real) === "other") sockets.add(real);
  }
  if (folders.size + sockets.size > MAX_SOCKETS)
    throw shellError("shell.sandbox_failed", "there are more listening sockets than can be hidden");
  return { folders: [...folders], sockets: [...sockets] };
}

/** Paths of listening sockets in the kernel's table; abstract names and relative paths are none. */
export function listeningPaths(table: string): readonly string[] {
  const paths = table.split("\n").flatMap((line) => {
    const fields = /^\S+: \S+ \S+ (\S+) \S+ \S+ +\d+ (.+)$/.exec(line);
    return fields?.[1] === LISTENS && isAbsolute(fields[2] as string) ? [fields[2] as string] : [];
  });
  return [...new Set(paths)];
}

/** A folder that is or holds a kept one, lies in the working directory, or is directly below the root, cannot be emptied. */
function isKept(folder: string, kept: readonly string[]): boolean {
  if (folder.lastIndexOf("/") === 0) return true;
  return kept.some((path) => isWithin(path, folder) || isWithin(folder, path));
}

async function socketTable(): Promise<string> {
  try {
    return await readFile("/proc/net/unix", "utf8");
  } catch (error) {
    throw shellError("shell.sandbox_failed", "the table of unix sockets cannot be read", error);
  }
}

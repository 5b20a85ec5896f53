import { readFileSync, statSync } from "node:fs";
import { isWithin } from "./sandbox-paths.ts";

/** One mounted file system, or a part of one (proc(5), `/proc/[pid]/mountinfo`). */
export interface MountRow {
  /** `major:minor` of what is mounted. */
  readonly device: string;
  /** What of it is mounted: a path inside the file system. */
  readonly root: string;
  /** Where it is mounted. */
  readonly at: string;
}

/** The mounts that this process sees, in the order in which they were made. */
export function mountTable(): readonly MountRow[] {
  return parseMountTable(readFileSync("/proc/self/mountinfo", "utf8"));
}

/** Reads the kernel's table; spaces and the like are octal in it. */
export function parseMountTable(text: string): readonly MountRow[] {
  return text.split("\n").flatMap((line) => {
    const [, , device, root, at] = line.split(" ");
    return device === undefined || root === undefined || at === undefined ? [] : [{ device, root: plain(root), at: plain(at) }];
  });
}

function plain(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
}

/**
 * Further paths at which a file or folder, or a part of it, is seen because its file system is mounted more than once.
 * @param path real path of something that exists
 */
export function aliasesOf(path: string, table: readonly MountRow[]): readonly string[] {
  const own = table.reduce<MountRow | undefined>((best, row) => {
    return isWithin(path, row.at) && row.at.length >= (best?.at.length ?? 0) ? row : best;
  }, undefined);
  if (own === undefined) return [];
  const inside = below(own.root, behind(path, own.at));
  return table.flatMap((row) => {
    if (row === own || row.device !== own.device) return [];
    if (isWithin(inside, row.root)) return same(path, below(row.at, behind(inside, row.root)));
    return isWithin(row.root, inside) ? same(below(path, behind(row.root, inside)), row.at) : [];
  });
}

/** What follows a folder in a path that lies in it: empty, or with a slash in front. */
function behind(path: string, folder: string): string {
  if (path === folder) return "";
  return folder === "/" ? path : path.slice(folder.length);
}

function below(folder: string, rest: string): string {
  if (rest === "") return folder;
  return folder === "/" ? rest : `${folder}${rest}`;
}

/** The second path, if the same file or folder is there and nothing else has been mounted over it. */
function same(path: string, other: string): readonly string[] {
  if (path === other) return [];
  const [one, two] = [path, other].map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }));
  return one !== undefined && two !== undefined && one.dev === two.dev && one.ino === two.ino ? [other] : [];
}

import { readFileSync } from "node:fs";
import { userInfo } from "node:os";

/** Who runs this process, as policy sees it (design §2, fields `user` and `groups`). */
export interface OsUser {
  readonly user: string;
  /** Group names, sorted and unique; the number where a group has no name. */
  readonly groups: readonly string[];
}

/** Whose session it is: the process's user, or one whom a token authenticated. */
export interface SessionUser extends OsUser {
  readonly isAuthenticated?: boolean;
}

/** The operating system's user and groups; ids stand in where the system knows no name. Reads `/etc/group` once. */
export function osUser(): OsUser {
  const names = groupNames();
  const ids = process.getgroups?.() ?? [];
  const groups = [...new Set(ids.map((id) => names.get(id) ?? String(id)))].toSorted();
  return Object.freeze({ user: osUserName(), groups: Object.freeze(groups) });
}

/** Name of the operating system's user; the uid where the system knows no name. */
export function osUserName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a uid that has no entry.
    return String(process.getuid?.() ?? "unknown");
  }
}

function groupNames(): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const line of readGroupFile().split("\n")) {
    const [name, , id] = line.split(":");
    if (name && id && /^\d+$/.test(id)) names.set(Number(id), name);
  }
  return names;
}

function readGroupFile(): string {
  try {
    return readFileSync("/etc/group", "utf8");
  } catch {
    return "";
  }
}

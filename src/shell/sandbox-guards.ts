import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isPlaceholder } from "./placeholders.ts";
import { foldersBetween, isWithin, kindOf } from "./sandbox-paths.ts";
import { shellError } from "./shell-error.ts";

/** Something in the working directory that a command must not change. */
export interface Guard {
  /**
   * `keep`: exists, and becomes read-only. `absent`: does not exist, and cannot be made. `pin`: stays writable inside but cannot be
   * renamed or removed, so that nothing else can take its place. `gone`: does not exist, and is removed after the command if it was made,
   * since git would fail at a placeholder.
   */
  readonly kind: "keep" | "absent" | "pin" | "gone";
  readonly path: string;
}

/** What programs of the host read and obey, in every repository (design §3, trials S03). */
const NAMES = [".gitmodules", ".envrc", ".mcp.json", ".vscode", ".claude", ".cursor", ".codex", ".husky"] as const;
/** The same inside a folder of git. */
const GIT_NAMES = ["hooks", "config"] as const;
/** Only where it exists: git reads it when the configuration, which is kept, says so. */
const GIT_NAMES_IF_THERE = ["config.worktree"] as const;

const MAX_FOLDERS = 100_000;
const MAX_REPOSITORIES = 128;
const MAX_MODULE_FOLDERS = 2_000;
const AT_ONCE = 64;
/** Trees of installed packages: large, and no place where somebody works. */
const SKIPPED = new Set(["node_modules"]);

/**
 * Finds what is to be protected in a working directory: the guarded names at its root and in each repository in it, whether they exist
 * yet or not, and the files of the gate that lie in it. A link at a guarded name cannot be protected and makes this fail.
 * @param root real path of the working directory
 * @param readOnly real paths of further files and folders that must not change
 * @throws Error `shell.sandbox_failed` when something cannot be protected, or there is too much to look through
 */
export async function findGuards(root: string, readOnly: readonly string[]): Promise<readonly Guard[]> {
  const guards = new Map<string, Guard>();
  const add = (kind: Guard["kind"], path: string): void => {
    if (kind !== "pin" || !guards.has(path)) guards.set(path, { kind, path });
  };
  for (const folder of await repositories(root)) {
    if (folder !== root) pinWay(root, join(folder, "x"), add);
    guardGit(join(folder, ".git"), add);
    await guardModules(root, join(folder, ".git"), add);
    for (const name of NAMES) guardName(join(folder, name), add);
  }
  for (const path of readOnly.filter((file) => file !== root && isWithin(file, root))) {
    pinWay(root, path, add);
    guardName(path, add);
  }
  return [...guards.values()];
}

type Add = (kind: Guard["kind"], path: string) => void;

/** Without this a folder above could be renamed, with everything in it, and another be put in its place. */
function pinWay(root: string, path: string, add: Add): void {
  for (const folder of foldersBetween(root, path)) add("pin", folder);
}

function guardName(path: string, add: Add): void {
  const kind = kindOf(path);
  if (kind === "link") throw unprotectable(path);
  add(kind === undefined || isPlaceholder(path) ? "absent" : "keep", path);
}

function guardGit(git: string, add: Add): void {
  const kind = kindOf(git);
  if (kind === "link") throw unprotectable(git);
  if (kind !== "folder" || isPlaceholder(git)) return guardName(git, add);
  guardGitFolder(git, add);
}

function guardGitFolder(git: string, add: Add): void {
  add("pin", git);
  for (const name of GIT_NAMES) guardName(join(git, name), add);
  for (const name of GIT_NAMES_IF_THERE) if (kindOf(join(git, name)) !== undefined) guardName(join(git, name), add);
  const common = join(git, "commondir");
  if (kindOf(common) === undefined) add("gone", common);
  else guardName(common, add);
}

/** The folders that git keeps for submodules, which have hooks and a configuration of their own. */
async function guardModules(root: string, git: string, add: Add): Promise<void> {
  const modules = join(git, "modules");
  const kind = kindOf(modules);
  if (kind === "link") throw unprotectable(modules);
  if (kind !== "folder") return;
  for (let level = [modules], seen = 0; level.length > 0;) {
    seen += level.length;
    if (seen > MAX_MODULE_FOLDERS) throw shellError("shell.sandbox_failed", "there are too many submodules to protect them");
    const next: string[] = [];
    for (const folder of level) {
      const entries = await entriesOf(folder);
      const isGit = entries.some(({ name }) => name === "HEAD");
      if (isGit) {
        pinWay(root, folder, add);
        guardGitFolder(folder, add);
      }
      for (const entry of entries) if (entry.isDirectory() && (!isGit || entry.name === "modules")) next.push(join(folder, entry.name));
    }
    level = next;
  }
}

/** The working directory and every repository in it: folders that hold something named `.git`. */
async function repositories(root: string): Promise<readonly string[]> {
  const found = [root];
  let seen = 0;
  let level = [root];
  while (level.length > 0) {
    seen += level.length;
    if (seen > MAX_FOLDERS)
      throw shellError("shell.sandbox_failed", "the working directory has too many folders to find the repositories in it");
    const next: string[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      const folders = level.slice(at, at + AT_ONCE);
      const listed = await Promise.all(folders.map(entriesOf));
      for (const [index, entries] of listed.entries()) collect(folders[index] as string, entries, { root, found, next });
    }
    level = next;
  }
  if (found.length > MAX_REPOSITORIES)
    throw shellError("shell.sandbox_failed", "the working directory holds too many repositories to protect them");
  return found;
}

interface Collected {
  readonly root: string;
  readonly found: string[];
  readonly next: string[];
}

function collect(folder: string, entries: readonly Dirent[], { root, found, next }: Collected): void {
  for (const entry of entries) {
    if (entry.name === ".git") {
      if (folder !== root) found.push(folder);
    } else if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(join(folder, entry.name));
  }
}

/** A folder that cannot be read by this user cannot be read or changed by its commands either. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function unprotectable(path: string): Error {
  return shellError("shell.sandbox_failed", `\`${path}\` is a symbolic link, which the sandbox cannot protect`);
}

import { readdir, stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import { globPattern, hasMagic } from "./glob.ts";

/** The paths that are meant, with patterns expanded and sorted; a path that exists, or that has no magic, stands for itself. */
export async function expandPaths(paths: readonly string[], cwd: string): Promise<readonly string[]> {
  return (await Promise.all(paths.map((path) => expand(path, cwd)))).flat();
}

async function expand(given: string, cwd: string): Promise<readonly string[]> {
  const path = given.replace(/^file:\/\//u, "").replaceAll(sep, "/");
  const [prefix, place] = splitPrefix(path);
  if (!hasMagic(place) || (await exists(resolve(cwd, place)))) return [path];
  const [first, ...rest] = place.split("/");
  let found: string[] = isAbsolute(place) ? ["/"] : await matches("", first ?? "", cwd);
  // A folder stands for everything below it already.
  const parts = rest.filter((name, index) => name !== "" && !(name === "**" && index === rest.length - 1));
  for (const part of parts) {
    found = (await Promise.all(found.map((folder) => matches(folder, part, cwd)))).flat();
  }
  return found.length === 0 ? [path] : found.map((match) => prefix + match);
}

async function matches(folder: string, part: string, cwd: string): Promise<string[]> {
  if (part === "**") return foldersBelow(folder, cwd);
  if (!hasMagic(part)) return (await exists(resolve(cwd, folder, part))) ? [joinPath(folder, part)] : [];
  const pattern = globPattern(part);
  try {
    const names = (await readdir(resolve(cwd, folder))).sort(byBytes);
    // As in a shell, a pattern takes hidden names only when it says so.
    return names
      .filter((name) => pattern?.test(name) === true && (part.startsWith(".") || !name.startsWith(".")))
      .map((name) => joinPath(folder, name));
  } catch {
    return [];
  }
}

/** `**`: the folder itself and every folder below it, none of them hidden and none over a link. */
async function foldersBelow(folder: string, cwd: string): Promise<string[]> {
  const entries = await readdir(resolve(cwd, folder), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  const below = await Promise.all(names.sort(byBytes).map((name) => foldersBelow(joinPath(folder, name), cwd)));
  return [folder === "" ? "." : folder, ...below.flat()];
}

/** OPA's `foo.bar:path`: the prefix with its colon, and the path. */
export function splitPrefix(path: string): readonly [string, string] {
  const colon = path.indexOf(":");
  if (colon <= 0 || path.indexOf("://") === colon || /^[A-Za-z]:[/\\]/u.test(path)) return ["", path];
  return [path.slice(0, colon + 1), path.slice(colon + 1)];
}

/** A name below a folder, with slashes and without a leading `./`. */
export function joinPath(folder: string, name: string): string {
  if (folder === "" || folder === ".") return name;
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** Order of names as OPA sorts them. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, extname, join, resolve, sep } from "node:path";
import { byBytes, expandPaths, joinPath, splitPrefix } from "./expand.ts";
import { globPattern } from "./glob.ts";
import type { Problem } from "./protocol.ts";
import { LIMITS } from "./requests.ts";
import type { FileSet } from "./requests.ts";

export interface GatherOptions {
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Files, folders and patterns; `data.prefix:path` mounts data below a prefix, as in OPA. */
  readonly paths: readonly string[];
  /** Base name patterns (`--ignore`), for everything below a path. */
  readonly ignore?: readonly string[];
  /** Read each path as a bundle: `.manifest` and archives count, links are skipped. */
  readonly bundle?: boolean;
  /** Leave out everything but Rego. */
  readonly onlyRego?: boolean;
}

/** A path that cannot be read; `problems` are printed like OPA's own errors. */
export class GatherError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join("; "));
    this.problems = problems;
  }
}

interface Walk {
  readonly options: GatherOptions;
  readonly ignored: (name: string) => boolean;
  readonly files: Map<string, string>;
  readonly binary: Map<string, Uint8Array>;
  readonly problems: Problem[];
}

/** Place of the walk: the path as OPA sees it, where it is on disk, and the tree that links may not leave. */
interface Spot {
  readonly path: string;
  readonly file: string;
  readonly tree: string;
  readonly depth: number;
  /** Real folders above, to end on a cycle of links. */
  readonly above: readonly string[];
}

/**
 * Reads what a command's paths name, as OPA's loader would: folders recursively, Rego, JSON and YAML, in bundles also `.manifest` and
 * archives. Patterns are expanded, a path all of whose files are ignored is dropped, and a link that leads out of its path's folder is
 * refused.
 * @throws {GatherError} with one problem for each path or file that cannot be read
 */
export async function gather(options: GatherOptions): Promise<FileSet> {
  if (options.paths.length === 0) throw new GatherError([{ code: "error", message: "name at least one file or folder" }]);
  const patterns = (options.ignore ?? []).map(globPattern);
  const walk: Walk = {
    options,
    ignored: (name) => patterns.some((pattern) => pattern?.test(name) === true),
    files: new Map(),
    binary: new Map(),
    problems: [],
  };
  const kept: string[] = [];
  for (const path of await expandPaths(options.paths, options.cwd)) if (await take(path, walk)) kept.push(path);
  if (walk.problems.length > 0) throw new GatherError(walk.problems);
  return { files: walk.files, binary: walk.binary, paths: kept, ...(options.bundle === true ? { bundle: true } : {}) };
}

/** Reads one path; false when nothing of it is left to load. */
async function take(path: string, walk: Walk): Promise<boolean> {
  const [, place] = splitPrefix(path);
  const file = resolve(walk.options.cwd, place);
  const before = walk.files.size + walk.binary.size + walk.problems.length;
  try {
    const tree = await realpath(file);
    await visit({ path: place, file, tree, depth: 0, above: [] }, walk);
  } catch (error) {
    walk.problems.push(unreadable(place, error));
  }
  return walk.files.size + walk.binary.size + walk.problems.length > before || walk.files.has(place) || walk.binary.has(place);
}

async function visit(spot: Spot, walk: Walk): Promise<void> {
  if (spot.depth > 0 && walk.ignored(basename(spot.path))) return;
  const link = spot.depth > 0 && (await lstat(spot.file)).isSymbolicLink();
  if (link && walk.options.bundle === true) return;
  const real = await realpath(spot.file);
  if (real !== spot.tree && !real.startsWith(spot.tree + sep)) {
    walk.problems.push({ code: "load_error", message: `${spot.path}: link leads out of its folder` });
    return;
  }
  const facts = await stat(real);
  if (facts.isFile()) return readOne(spot, walk, facts.size);
  if (!facts.isDirectory() || spot.above.includes(real)) return;
  for (const name of (await readdir(real)).sort(byBytes)) {
    const below = {
      path: joinPath(spot.path, name),
      file: join(spot.file, name),
      tree: spot.tree,
      depth: spot.depth + 1,
      above: [...spot.above, real],
    };
    try {
      await visit(below, walk);
    } catch (error) {
      walk.problems.push(unreadable(below.path, error));
    }
  }
}

/** What a file is to the loader; a file that was named itself may have any ending. */
function kindOf(spot: Spot, { onlyRego, bundle }: GatherOptions): "text" | "binary" | undefined {
  const name = basename(spot.path);
  if (onlyRego === true && bundle !== true) return extname(name) === ".rego" ? "text" : undefined;
  if (name.endsWith(".tar.gz")) return bundle === true && spot.depth > 0 ? undefined : "binary";
  if ([".rego", ".json", ".yaml", ".yml"].includes(extname(name))) return "text";
  if (bundle === true && name === ".manifest") return "text";
  if (bundle === true && name === "policy.wasm") return "binary";
  if (spot.depth > 0) return undefined;
  return bundle === true ? "binary" : "text";
}

async function readOne(spot: Spot, walk: Walk, size: number): Promise<void> {
  const kind = kindOf(spot, walk.options);
  if (kind === undefined) return;
  if (size > LIMITS.data) {
    walk.problems.push({ code: "load_error", message: `${spot.path}: ${size} bytes are more than ${LIMITS.data}` });
    return;
  }
  const bytes = await readFile(spot.file);
  if (kind === "binary") {
    walk.binary.set(spot.path, bytes);
    return;
  }
  try {
    walk.files.set(spot.path, new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    walk.problems.push({ code: "load_error", message: `${spot.path}: not UTF-8` });
  }
}

function unreadable(path: string, error: unknown): Problem {
  const code = (error as NodeJS.ErrnoException).code;
  const words: Record<string, string> = {
    ENOENT: "no such file or directory",
    EACCES: "permission denied",
    ELOOP: "too many links",
    ENOTDIR: "not a directory",
  };
  return { code: "load_error", message: `${path}: ${words[code ?? ""] ?? (error instanceof Error ? error.message : String(error))}` };
}

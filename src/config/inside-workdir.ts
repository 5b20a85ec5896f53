import { realpathSync } from "node:fs";
import { basename, dirname, join, relative, isAbsolute } from "node:path";
import type { ServeOptions } from "./options.ts";

/** The real path of something that may not exist yet: links are followed as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || isAbsolute(way));
}

/**
 * Warning about files of the gate that commands could change, since they lie inside the working directory and no sandbox keeps
 * them read-only (design §3). They are read at start only, so the running gate does not change; the next start would.
 * @returns one line, or undefined when nothing lies inside
 */
export function insideWorkdirWarning(options: ServeOptions): string | undefined {
  const files: readonly (readonly [string, string | undefined])[] = [
    ["configuration", options.configFile],
    ["allowlist", options.allowlistFile],
    ["bundle", options.bundle.path],
    ["context file", options.contextFile],
    ["profiles file", options.profilesFile],
    ["shell tables file", options.shellTablesFile],
    ["cloud queries file", options.cloudQueriesFile],
    ["key of the publisher's proof", options.proofKeyFile],
    ["key set of the tokens", options.http.auth.jwksFile],
    ["state directory", options.stateDir],
    ["keys directory", options.keysDir],
  ];
  const inside = files.flatMap(([what, path]) =>
    path !== undefined && isInside(realPath(path), options.workdir) ? [`${what} \`${path}\``] : [],
  );
  if (inside.length === 0) return undefined;
  return `warning: commands can change these files, which lie in the working directory \`${options.workdir}\` (no sandbox): ${inside.join(", ")}`;
}

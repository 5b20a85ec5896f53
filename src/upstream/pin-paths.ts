import { join, resolve, sep } from "node:path";

/** Where pins are kept. */
export interface PinPaths {
  /** The lock file. */
  readonly file: string;
  /** What servers listed last, for `regate pins show` and `accept`; same form as the lock file. */
  readonly seen: string;
}

/**
 * Where the pins of a lock file are kept: what servers listed last stands beside a lock file of the state directory, and in the state
 * directory itself for one that lies elsewhere.
 */
export function pinPaths(file: string, stateDir: string): PinPaths {
  const isOwn = resolve(file).startsWith(resolve(stateDir) + sep) && file.endsWith(".json");
  return { file, seen: isOwn ? file.replace(/\.json$/, "-seen.json") : join(stateDir, "pins-seen.json") };
}

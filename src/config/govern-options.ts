import { keysDirOf } from "./govern-settings.ts";
import { readStateDir, withFile } from "./options.ts";
import type { FlagValues, Surroundings } from "./sources.ts";

/** What the commands of a human who decides need to know: where the stores and this user's keys are. */
export interface GovernOptions {
  readonly stateDir: string;
  readonly keysDir: string;
}

/**
 * Options of the commands behind the governed stores (`keys`, `elevation`, `stop`, `lease`, `approvals`), by the same precedence as those of
 * `serve`; nothing is made or read beyond the configuration file.
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveGovernOptions(flags: FlagValues, around: Surroundings): Promise<GovernOptions> {
  const sources = await withFile(flags, around);
  return Object.freeze({ stateDir: readStateDir(sources), keysDir: keysDirOf(sources) });
}

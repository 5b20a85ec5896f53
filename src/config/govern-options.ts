import { keysDirOf } from "./govern-settings.ts";
import { readStateDir, withFile } from "./options.ts";
import { sharedStateLink, type SharedStateLink } from "./shared-settings.ts";
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

/** What a human who decides about requests for an approval needs besides. */
export interface ApprovalOptions extends GovernOptions {
  /** Where fronts share their approvals; absent: they are in the state directory. */
  readonly shared: SharedStateLink | undefined;
}

/**
 * Options of `approvals`, by the same precedence.
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveApprovalOptions(flags: FlagValues, around: Surroundings): Promise<ApprovalOptions> {
  const sources = await withFile(flags, around);
  return Object.freeze({ stateDir: readStateDir(sources), keysDir: keysDirOf(sources), shared: sharedStateLink(sources) });
}

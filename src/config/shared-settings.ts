import { DELEGATE_SETTINGS } from "./delegate-settings.ts";
import { DEFAULT_PREFIX, redisUrl } from "./redis-url.ts";
import type { Setting } from "./setting.ts";
import { pick, type Sources } from "./sources.ts";

/** Where several fronts keep what they share (issue 7; docs/scale.md). */
export const SHARED_SETTINGS = {
  sharedState: {
    name: "shared-state",
    kind: "text",
    env: ["REGATE_SHARED_STATE"],
    placeholder: "URL",
    describe: "Redis in which several fronts share identity state, usage and approvals (default: none, each front has its own)",
  },
} as const satisfies Record<string, Setting>;

/** The Redis of shared state, and the first part of all names in it. */
export interface SharedStateLink {
  /** May hold a password: never shown. */
  readonly url: string;
  readonly prefix: string;
}

/**
 * Where shared state is kept; undefined when nothing is shared.
 * @throws ConfigError `config.option` when the value is no URL of Redis
 */
export function sharedStateLink(sources: Sources): SharedStateLink | undefined {
  const picked = pick(SHARED_SETTINGS.sharedState, sources);
  if (picked === undefined) return undefined;
  return Object.freeze({ url: redisUrl(picked), prefix: pick(DELEGATE_SETTINGS.redisPrefix, sources)?.value ?? DEFAULT_PREFIX });
}

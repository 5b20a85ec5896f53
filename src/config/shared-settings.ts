import { ConfigError } from "./config-error.ts";
import { DELEGATE_SETTINGS } from "./delegate-settings.ts";
import { HTTP_SETTINGS } from "./http-settings.ts";
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
    describe: "Redis in which several fronts share the state of sessions (default: none, each front has its own)",
  },
  sharedSession: {
    name: "shared-session",
    kind: "text",
    env: ["REGATE_SHARED_SESSION"],
    placeholder: "NAME",
    describe: "servers over stdio with this name in the same shared state are one session (default: none, each is its own)",
    problem: (value) => (/^[A-Za-z0-9._-]{1,64}$/.test(value) ? undefined : "must be 1 to 64 of letters, digits and `._-`"),
  },
} as const satisfies Record<string, Setting>;

/** The Redis of shared state, and the first part of all names in it. */
export interface SharedStateLink {
  /** May hold a password: never shown. */
  readonly url: string;
  readonly prefix: string;
}

/** What a server is told of the fronts that it shares state with. */
export interface SharedOption {
  /** Absent: nothing is shared. */
  readonly shared?: SharedStateLink & { readonly name?: string };
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

/**
 * What is set for a server.
 * @throws ConfigError `config.option` for a name that would share nothing
 */
export function sharedOptions(sources: Sources): SharedOption {
  const link = sharedStateLink(sources);
  const name = pick(SHARED_SETTINGS.sharedSession, sources);
  if (name === undefined) return link === undefined ? {} : { shared: link };
  if (link === undefined) throw new ConfigError("config.option", `${name.from} needs \`--shared-state\``);
  if (pick(HTTP_SETTINGS.listen, sources) !== undefined)
    throw new ConfigError("config.option", `${name.from} is for servers over stdio: over HTTP a principal's requests share by themselves`);
  return { shared: Object.freeze({ ...link, name: name.value }) };
}

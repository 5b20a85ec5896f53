import { ConfigError } from "./config-error.ts";
import type { Picked } from "./sources.ts";

/** First part of all names in Redis unless another is configured (design §9). */
export const DEFAULT_PREFIX = "sg";

/**
 * The URL of a Redis. The message does not repeat the value, which may hold a password.
 * @throws ConfigError `config.option` for anything else
 */
export function redisUrl({ value, from }: Picked): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isRedis = url !== undefined && (url.protocol === "redis:" || url.protocol === "rediss:") && url.hostname !== "";
  if (isRedis && isPlain(url) && isReadable(url)) return value;
  throw new ConfigError("config.option", `${from} must be a URL such as redis://user:password@host:6379`);
}

/** Whether nothing follows the host but the number of a database: the client fails at other paths and does not look at the rest. */
function isPlain({ pathname, search, hash }: URL): boolean {
  return /^\/?[0-9]{0,5}$/.test(pathname) && search === "" && hash === "";
}

/**
 * One line for the operator when a URL has a password that the ACL file is shipped with, which everybody knows.
 * @param flag where the URL came from
 */
export function placeholderWarning(url: string, flag: string): string | undefined {
  const { username, password } = new URL(url);
  if (!password.startsWith("change-me-")) return undefined;
  return `warning: \`${flag}\`: user \`${username}\` has the password that everybody knows: make users of your own with deploy/new-secrets.mjs`;
}

/** Whether user and password have no broken percent sign: the client could read neither. */
function isReadable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}

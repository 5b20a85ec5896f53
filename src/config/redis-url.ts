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
  if (url !== undefined && (url.protocol === "redis:" || url.protocol === "rediss:") && url.hostname !== "") return value;
  throw new ConfigError("config.option", `${from} must be a URL such as redis://user:password@host:6379`);
}

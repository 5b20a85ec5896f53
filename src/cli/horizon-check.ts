import { ConfigError } from "../config/config-error.ts";
import type { DelegateOptions } from "../config/delegate-options.ts";
import { DelegateError } from "../delegate/delegate-error.ts";
import { durableToolProofTtlSeconds } from "../delegate/horizon.ts";

/**
 * Judges the horizon of delegated execution (seed 002): an invalid one is a refusal to start, never a shorter default.
 * @throws ConfigError that names the flag, the numbers and the violated inequality
 */
export function checkHorizon({ horizon }: DelegateOptions): void {
  try {
    durableToolProofTtlSeconds(horizon);
  } catch (cause) {
    if (!(cause instanceof DelegateError)) throw cause;
    throw new ConfigError("config.option", `\`--proof-ttl\`: ${cause.message}`, { cause });
  }
}

import type { Claim } from "./session.ts";

/** What a claim is made of; everything has a default. */
export interface ClaimOptions {
  /** Agent id from the command line, the environment or the embedder; `mcp-<pid>` unless given (seed 003). */
  readonly agentId?: string;
  /** Unix time in nanoseconds. */
  readonly now?: () => bigint;
  readonly pid?: number;
}

let latest = 0n;

/**
 * Makes a process claim: a new session id `mcp-<19 digits: unix nanoseconds>` and the agent id (seed 003, process claim). Ids of one
 * process increase and never repeat, also when two are made in one tick of the clock. The claim is frozen: nothing replaces it later.
 */
export function makeClaim(options: ClaimOptions = {}): Claim {
  const { agentId, now = unixNanoseconds, pid = process.pid } = options;
  const wanted = now();
  latest = wanted > latest ? wanted : latest + 1n;
  return Object.freeze({ sessionId: `mcp-${latest}`, agentId: agentId ?? `mcp-${pid}` });
}

/** Wall clock in milliseconds, with the digits below from the monotonic clock; 19 digits do not fit a double. */
function unixNanoseconds(): bigint {
  return BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
}

/** Names in Redis of everything that delegated execution keeps (design §9). */
export interface Keys {
  /** The call stream. */
  readonly stream: string;
  /** Consumer group of the workers on the call stream. */
  readonly group: string;
  readonly deadLetters: string;
  session(traceId: string): string;
  ledger(operationId: string): string;
  proof(operationId: string): string;
  /** The only pattern that a reply lane may have. */
  lane(id: string): string;
}

/** Prefix of all names unless another is configured. */
export const DEFAULT_PREFIX = "sg";

const LANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * The names under one prefix. In a cluster the prefix must be a hash tag such as `{sg}`: scripts need their keys on one node.
 * @param prefix replaces `sg`
 */
export function keysOf(prefix: string = DEFAULT_PREFIX): Keys {
  return Object.freeze({
    stream: `${prefix}:stream:tools`,
    group: `${prefix}:tools`,
    deadLetters: `${prefix}:stream:dlq`,
    session: (traceId: string) => `${prefix}:tools:session:${traceId}`,
    ledger: (operationId: string) => `${prefix}:tools:ledger:${operationId}`,
    proof: (operationId: string) => `${prefix}:tools:proof:${operationId}`,
    lane: (id: string) => `${prefix}:tools:reply:${id}`,
  });
}

/** Whether a reply may go to this lane: exactly the pattern of `Keys.lane`, so that no message makes a worker write elsewhere. */
export function isLane(keys: Keys, name: string): boolean {
  const start = keys.lane("");
  return name.startsWith(start) && LANE_ID.test(name.slice(start.length));
}

import { DelegateError, ToolSessionConflict } from "./delegate-error.ts";
import { MAX_TTL_SECONDS } from "./horizon.ts";
import { bindRecord } from "./bind-record.ts";
import { decodeIdentity, identityOf, identityText } from "./identity.ts";
import type { GivenIdentity, Identity } from "./identity.ts";
import { DEFAULT_PREFIX, keysOf } from "./keys.ts";
import { isMemoryStore } from "./memory-store.ts";
import type { MemoryStore } from "./memory-store.ts";
import { redisSessions, sendThrough } from "./session-store.ts";
import type { RedisClient } from "./session-store.ts";
import type { SessionStore } from "./store.ts";

/** How a record is read. */
export interface ReadSessionOptions {
  /** Throw on a store that fails and on a record that cannot be read, instead of answering `null`. */
  readonly strict?: boolean | undefined;
  /** First part of the key; `sg` unless given. */
  readonly prefix?: string | undefined;
  /** Told of what a non-strict call swallows; a process warning unless given. */
  readonly report?: ((problem: unknown) => void) | undefined;
}

/** How a record is written. */
export interface WriteSessionOptions extends ReadSessionOptions {
  /** Lifetime in whole seconds, 300 unless given; on the durable path, the horizon. */
  readonly ttl?: number | undefined;
}

/** What non-strict calls of this process have swallowed so far: an outage must be visible, not look like "absent". */
export const toolSessionFaults = { write: 0, read: 0 };

const DEFAULT_TTL = 300;

/**
 * Binds a trace to the authenticated identity of the message that is being processed (seed 002). Of concurrent writers one identity wins.
 * The same identity again keeps the record and never shortens its lifetime. An empty trace id is a no-op.
 * @param redis a connected node-redis client, or `createMemoryStore()`
 * @throws ToolSessionConflict in both modes, when the trace is bound to another identity
 * @throws DelegateError in both modes `session_invalid` for a bad identity, lifetime or trace id; in strict mode also when the store fails
 *   (`store_unavailable`) or the record that is there cannot be read
 */
// oxlint-disable-next-line max-params -- the form is that of the seed
export async function writeSession(
  redis: RedisClient | MemoryStore,
  traceId: string,
  identity: GivenIdentity,
  options: WriteSessionOptions = {},
): Promise<void> {
  if (isNoTrace(traceId)) return;
  if (!isTraceId(traceId)) throw new DelegateError("session_invalid", "the trace id must be a well-formed string");
  const { ttl = DEFAULT_TTL, strict = false, prefix = DEFAULT_PREFIX } = options;
  if (!isTtl(ttl)) throw new DelegateError("session_invalid", `ttl must be a whole number of seconds from 1 to ${MAX_TTL_SECONDS}`);
  const record = { key: keysOf(prefix).session(traceId), text: identityText(identityOf(identity)), ttl };
  try {
    await bindRecord(sessionsOf(redis), record);
  } catch (error) {
    if (error instanceof ToolSessionConflict) throw error;
    const problem = asStoreError(error);
    if (strict) throw problem;
    swallow("write", problem, options);
  }
}

/**
 * The authenticated identity of a trace, frozen; `null` when there is none (seed 002). The caller treats `null` as a denial.
 * @throws DelegateError in strict mode only: `store_unavailable`, or `session_invalid` when the record cannot be read
 */
export async function readSession(
  redis: RedisClient | MemoryStore,
  traceId: string,
  options: ReadSessionOptions = {},
): Promise<Identity | null> {
  if (isNoTrace(traceId) || !isTraceId(traceId)) return null;
  const { strict = false, prefix = DEFAULT_PREFIX } = options;
  try {
    const found = await sessionsOf(redis).read(keysOf(prefix).session(traceId));
    return found === undefined ? null : decodeIdentity(found);
  } catch (error) {
    const problem = asStoreError(error);
    if (strict) throw problem;
    swallow("read", problem, options);
    return null;
  }
}

function sessionsOf(redis: RedisClient | MemoryStore): SessionStore {
  return isMemoryStore(redis) ? redis : redisSessions(sendThrough(redis));
}

function isNoTrace(traceId: unknown): boolean {
  return traceId === "" || traceId === undefined || traceId === null;
}

function isTraceId(traceId: unknown): boolean {
  return typeof traceId === "string" && traceId.isWellFormed();
}

function isTtl(ttl: unknown): boolean {
  return typeof ttl === "number" && Number.isSafeInteger(ttl) && ttl >= 1 && ttl <= MAX_TTL_SECONDS;
}

function asStoreError(error: unknown): DelegateError {
  if (error instanceof DelegateError) return error;
  return new DelegateError("store_unavailable", "the session store cannot be used", { cause: error });
}

function swallow(kind: keyof typeof toolSessionFaults, problem: DelegateError, { report }: ReadSessionOptions): void {
  toolSessionFaults[kind] += 1;
  if (report === undefined) process.emitWarning(`tool session: ${kind} failed: ${problem.message}`, { code: `REGATE_${problem.code}` });
  else report(problem);
}

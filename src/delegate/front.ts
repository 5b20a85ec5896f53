import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "../call/json.ts";
import { redisErrorWord } from "../redis/connection.ts";
import { StoreError } from "../redis/store-error.ts";
import { bindRecord } from "./bind-record.ts";
import { ToolSessionConflict } from "./delegate-error.ts";
import { MAX_DATA_BYTES } from "./envelope.ts";
import { durableToolParentFingerprint, sameHex } from "./fingerprint.ts";
import { identityOf, identityText } from "./identity.ts";
import type { GivenIdentity } from "./identity.ts";
import type { Keys } from "./keys.ts";
import { proofOf } from "./proof.ts";
import { readReply } from "./reply.ts";
import type { Reply } from "./reply.ts";
import type { FrontStore, Publication, SessionStore } from "./store.ts";

/** What a front is made of. */
export interface FrontOptions {
  readonly keys: Keys;
  readonly sessions: SessionStore;
  readonly store: FrontStore;
  readonly proofKey: string;
  /** The horizon, in seconds. */
  readonly proofTtl: number;
  /** Id of this process's reply lane. */
  readonly laneId: string;
  /** Most calls that may wait in the stream. */
  readonly limit: number;
}

/** A call that the corridor admitted and that another process is to run. */
export interface FrontCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly identity: GivenIdentity;
  readonly context: JsonObject;
  /** Aborted when nobody wants the answer any more. The call itself may still run. */
  readonly signal: AbortSignal;
}

/** Why there is no reply; `indeterminate`: the call may have run. */
export type NoReply = "unavailable" | "busy" | "session_conflict" | "too_large" | "indeterminate" | "cancelled";

/** What became of a call. */
export type FrontAnswer = { readonly kind: "reply"; readonly reply: Reply } | { readonly kind: "none"; readonly why: NoReply };

/** The front's side of delegated execution. */
export interface Front {
  /** Never rejects. */
  call(call: FrontCall): Promise<FrontAnswer>;
  /** Counters of replies that were dropped, by reason. */
  readonly dropped: ReadonlyMap<string, number>;
  close(): void;
}

const WAIT_MS = 2_000;
const RETRY_MS = 100;
/** How long a publication is repeated, under the same operation id. */
const PUBLISH_MS = 12_000;
/** The same, while nothing could be sent. */
const REACH_MS = 2_000;

interface Waiter {
  readonly operationId: string;
  readonly fingerprint: string;
  readonly resolve: (answer: FrontAnswer) => void;
}

interface FrontState extends FrontOptions {
  readonly lane: string;
  readonly waiters: Map<string, Waiter>;
  readonly dropped: Map<string, number>;
  reading: boolean;
  closed: boolean;
}

/** Makes the front of one process: it publishes calls and resolves their waiters from its own reply lane. */
export function createFront(options: FrontOptions): Front {
  const lane = options.keys.lane(options.laneId);
  const state: FrontState = { ...options, lane, waiters: new Map(), dropped: new Map(), reading: false, closed: false };
  return {
    dropped: state.dropped,
    call: (call) => Promise.race([callThrough(state, call), cancelled(call.signal)]),
    close() {
      state.closed = true;
      for (const waiter of state.waiters.values()) waiter.resolve({ kind: "none", why: "indeterminate" });
    },
  };
}

/** Whoever gave the call up waits for nothing more, not for the store either. */
function cancelled(signal: AbortSignal): Promise<FrontAnswer> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(none("cancelled"));
    else signal.addEventListener("abort", () => resolve(none("cancelled")), { once: true });
  });
}

async function callThrough(state: FrontState, call: FrontCall): Promise<FrontAnswer> {
  const message = fitMessage(state, call);
  if (message === undefined) return none("too_large");
  try {
    const record = { key: state.keys.session(message.traceId), text: identityText(identityOf(call.identity)), ttl: state.proofTtl };
    await bindRecord(state.sessions, record);
  } catch (error) {
    return none(error instanceof ToolSessionConflict ? "session_conflict" : "unavailable");
  }
  // Given up before anything was sent: then nothing is.
  if (call.signal.aborted) return none("cancelled");
  const answer = waitFor(state, message, call.signal);
  const problem = await publish(state, message.publication);
  if (problem !== undefined) {
    state.waiters.get(message.correlationId)?.resolve(none(problem));
    state.waiters.delete(message.correlationId);
  }
  return await answer;
}

/** Undefined for what is too large, or has no canonical form. */
function fitMessage(state: FrontState, call: FrontCall): Message | undefined {
  try {
    const message = messageOf(state, call);
    return Buffer.byteLength(message.publication.data) > MAX_DATA_BYTES ? undefined : message;
  } catch {
    return undefined;
  }
}

interface Message {
  readonly traceId: string;
  readonly operationId: string;
  readonly correlationId: string;
  readonly fingerprint: string;
  readonly publication: Publication;
}

/** One trace, one operation and one correlation for each call: a record serves nothing but its own call. */
function messageOf(state: FrontState, { tool, args, identity, context }: FrontCall): Message {
  const [traceId, operationId, correlationId] = [randomUUID(), randomUUID(), randomUUID()];
  const payload = { operation_id: operationId, trace_id: traceId, tool_name: tool, tool_args: args, context };
  const fingerprint = durableToolParentFingerprint({ ...payload, identity });
  const proof = proofOf(state.proofKey, fingerprint);
  const transport = { correlation_id: correlationId, require_existing: false, reply_to: state.lane, proof };
  const hints = { user_id: identity.user_id, platform: identity.platform };
  const data = JSON.stringify({ v: 1, ...payload, ...transport, ...hints });
  return {
    traceId,
    operationId,
    correlationId,
    fingerprint,
    publication: { operationId, proof, data, ttl: state.proofTtl, limit: state.limit },
  };
}

/** The waiter ends by its reply, by the horizon, or when nobody waits any more; a bad reply never ends it. */
function waitFor(state: FrontState, { operationId, correlationId, fingerprint }: Message, signal: AbortSignal): Promise<FrontAnswer> {
  return new Promise((resolve) => {
    const end = (answer: FrontAnswer): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      state.waiters.delete(correlationId);
      resolve(answer);
    };
    const cancel = (): void => end(none("cancelled"));
    const timer = setTimeout(() => end(none("indeterminate")), state.proofTtl * 1_000);
    signal.addEventListener("abort", cancel, { once: true });
    state.waiters.set(correlationId, { operationId, fingerprint, resolve: end });
    if (!state.reading) void readLane(state);
  });
}

/** Publishes, and repeats under the same operation id while the outcome is unknown: the store adds it once (trial D05). */
async function publish(state: FrontState, publication: Publication): Promise<NoReply | undefined> {
  const started = performance.now();
  let maySent = false;
  for (;;) {
    try {
      const done = await state.store.publish(publication);
      if (done === "busy") return "busy";
      return done === "conflict" ? "session_conflict" : undefined;
    } catch (error) {
      // An answer of Redis that is an error, and a connection that was never made, mean that nothing was added.
      const isUnsent = redisErrorWord(error) !== undefined || (error instanceof StoreError && error.code === "store_unreachable");
      maySent ||= !isUnsent;
      const isOver = performance.now() - started > (maySent ? PUBLISH_MS : REACH_MS);
      if (isOver || state.closed) return maySent ? "indeterminate" : "unavailable";
      await sleep(RETRY_MS);
    }
  }
}

/** Reads the lane while somebody waits. */
async function readLane(state: FrontState): Promise<void> {
  state.reading = true;
  while (state.waiters.size > 0 && !state.closed) {
    try {
      const entries = await state.store.replies(state.lane, WAIT_MS);
      for (const { data } of entries) take(state, readReply(data));
      if (entries.length > 0) {
        await state.store.dropReplies(
          state.lane,
          entries.map(({ id }) => id),
        );
      }
    } catch {
      await sleep(RETRY_MS);
    }
  }
  state.reading = false;
}

/** Resolves the waiter that a reply is for; a crossed, forged, late or repeated one is counted and dropped (seed 002). */
function take(state: FrontState, reply: Reply | undefined): void {
  const waiter = reply === undefined ? undefined : state.waiters.get(reply.correlationId);
  if (reply === undefined) return drop(state, "unreadable");
  if (waiter === undefined) return drop(state, "unknown_correlation");
  if (reply.operationId !== waiter.operationId || !sameHex(reply.fingerprint, waiter.fingerprint))
    return drop(state, "fingerprint_mismatch");
  // Another entry of the same operation was met while it runs: its result is still to come.
  if (reply.error?.code === "in_progress") return drop(state, "in_progress");
  waiter.resolve({ kind: "reply", reply });
}

function drop({ dropped }: FrontState, reason: string): void {
  dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
}

function none(why: NoReply): FrontAnswer {
  return { kind: "none", why };
}

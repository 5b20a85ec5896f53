import { randomUUID } from "node:crypto";
import { redisErrorWord } from "../redis/connection.ts";
import { errorBody } from "./delegated-call.ts";
import type { DelegatedCall, ReplyErrorCode } from "./delegated-call.ts";
import { DelegateError } from "./delegate-error.ts";
import { readEnvelope } from "./envelope.ts";
import type { Envelope } from "./envelope.ts";
import { durableToolParentFingerprint, sameHex } from "./fingerprint.ts";
import { frontStateOf } from "./front-state.ts";
import type { HorizonConfig } from "./horizon.ts";
import { decodeIdentity } from "./identity.ts";
import type { Identity } from "./identity.ts";
import { isLane } from "./keys.ts";
import type { Keys } from "./keys.ts";
import { isProven } from "./proof.ts";
import { bodyText } from "./reply.ts";
import type { ReplyHead } from "./reply.ts";
import type { CallStore, Claimed, Entry, SessionStore } from "./store.ts";

/** What entries are judged with. */
export interface JudgeOptions {
  readonly keys: Keys;
  readonly sessions: SessionStore;
  readonly calls: CallStore;
  /** The worker's name in its group. */
  readonly name: string;
  /** Text of the proof key. */
  readonly proofKey: string;
  readonly horizon: HorizonConfig;
  /** Whether a call of this tool may be begun again after its worker was lost: only when it changes nothing. */
  readonly isRepeatable: (tool: string) => boolean;
}

/** A reply without its claim: where it goes and what it says. */
export interface Answer {
  readonly lane: string;
  readonly head: ReplyHead;
  readonly status: string;
  readonly body: string;
}

/** A call that is claimed and to be run. */
export interface ClaimedCall {
  readonly call: DelegatedCall;
  readonly lane: string;
  readonly head: ReplyHead & { readonly fingerprint: string };
  readonly token: string;
}

/** What is to be done with an entry. `code` is for counters and notes. */
export type Judgement =
  | { readonly kind: "run"; readonly claimed: ClaimedCall; readonly mismatch: boolean }
  | { readonly kind: "answer"; readonly answer: Answer; readonly code: string; readonly mismatch?: boolean }
  /** Removed without a reply: nothing may be written anywhere. */
  | { readonly kind: "drop"; readonly code: string }
  | {
      readonly kind: "letter";
      readonly code: ReplyErrorCode;
      readonly problem: string;
      readonly answer?: Answer;
      readonly traceId?: string;
    }
  /** Left pending: the claim of this very entry is alive. */
  | { readonly kind: "wait" }
  /** Settled by somebody else meanwhile: nothing is left to do. */
  | { readonly kind: "gone" };

/**
 * Judges one entry, up to the claim (reference: tool sessions, §7 and §14): message, reply lane, session record, proof, fingerprint, ledger.
 * Identity comes from the record alone.
 * @param deliveries how often the entry was handed out, this time included
 * @throws DelegateError when the store fails: the entry stays pending
 */
export async function judgeEntry(options: JudgeOptions, entry: Entry, deliveries: number): Promise<Judgement> {
  if (entry.data === undefined) return { kind: "letter", code: "envelope_invalid", problem: "no field `data`" };
  const read = readEnvelope(entry.data);
  if (!read.ok) return invalid(options.keys, read);
  const { envelope } = read;
  if (!isLane(options.keys, envelope.replyTo)) return { kind: "drop", code: "reply_lane_rejected" };
  // Both are asked for at once; the record is judged first.
  const [identity, kept] = await Promise.all([recordOf(options, envelope), keptProof(options, envelope)]);
  if (typeof identity === "string") return refused(envelope, identity);
  const fingerprint = fingerprintOf(envelope, identity);
  if (fingerprint === undefined) return refused(envelope, "envelope_invalid");
  const mismatch = isMismatch(envelope, identity);
  // Both the proof in the message and the one that was kept at publication must be that of this fingerprint.
  if (!isProven(options.proofKey, fingerprint, [envelope.proof, kept]))
    return { ...refused(envelope, "proof_invalid", fingerprint), mismatch };
  if (envelope.fingerprint !== undefined && !sameHex(envelope.fingerprint, fingerprint)) {
    return { ...refused(envelope, "fingerprint_mismatch", fingerprint), mismatch };
  }
  const session = sessionOf(envelope);
  if (session === undefined) return { ...refused(envelope, "envelope_invalid", fingerprint), mismatch };
  const token = randomUUID();
  const claimed = await claim(options, { envelope, fingerprint, token, entryId: entry.id, deliveries });
  if (claimed.kind !== "claimed") return settled(envelope, fingerprint, claimed);
  const { tool, args, traceId, operationId } = envelope;
  const call: DelegatedCall = { tool, args, identity, claimed: envelope.claimed, ...session, traceId, operationId };
  return { kind: "run", claimed: { call, lane: envelope.replyTo, head: { ...headOf(envelope), fingerprint }, token }, mismatch };
}

/** The body that stands in the ledger when nobody knows how a call ended. */
const UNKNOWN_BODY = bodyText(errorBody("indeterminate"));

function invalid(keys: Keys, read: { replyTo?: string; operationId?: string; correlationId?: string; problem: string }): Judgement {
  const { replyTo, operationId = "", correlationId = "", problem } = read;
  if (replyTo === undefined) return { kind: "letter", code: "envelope_invalid", problem };
  if (!isLane(keys, replyTo)) return { kind: "drop", code: "reply_lane_rejected" };
  const answer = { lane: replyTo, head: { operationId, correlationId }, status: "error", body: bodyText(errorBody("envelope_invalid")) };
  return { kind: "answer", answer, code: "envelope_invalid" };
}

async function recordOf(
  { keys, sessions }: JudgeOptions,
  { traceId }: Envelope,
): Promise<Identity | "session_missing" | "session_invalid"> {
  if (traceId === "") return "session_missing";
  try {
    const record = await sessions.read(keys.session(traceId));
    return record === undefined ? "session_missing" : decodeIdentity(record);
  } catch (error) {
    const isForeign = redisErrorWord(error) === "WRONGTYPE";
    if (isForeign || (error instanceof DelegateError && error.code === "session_invalid")) return "session_invalid";
    throw error;
  }
}

function fingerprintOf(envelope: Envelope, identity: Identity): string | undefined {
  const { operationId, traceId, tool, args, context } = envelope;
  try {
    return durableToolParentFingerprint({
      operation_id: operationId,
      trace_id: traceId,
      tool_name: tool,
      tool_args: args,
      identity,
      context,
    });
  } catch {
    return undefined;
  }
}

async function keptProof({ calls }: JudgeOptions, { operationId }: Envelope): Promise<string | undefined> {
  try {
    return await calls.proof(operationId);
  } catch (error) {
    if (redisErrorWord(error) === "WRONGTYPE") return undefined;
    throw error;
  }
}

/** Undefined for what cannot be read. */
function sessionOf({ context }: Envelope): Pick<DelegatedCall, "session"> | undefined {
  try {
    const session = frontStateOf(context);
    return session === undefined ? {} : { session };
  } catch {
    return undefined;
  }
}

function isMismatch({ claimed }: Envelope, identity: Identity): boolean {
  const { user_id: user = identity.user_id, platform = identity.platform } = claimed;
  return user !== identity.user_id || platform !== identity.platform;
}

interface Asked {
  readonly envelope: Envelope;
  readonly fingerprint: string;
  readonly token: string;
  readonly entryId: string;
  readonly deliveries: number;
}

async function claim({ calls, horizon, isRepeatable, name }: JudgeOptions, asked: Asked): Promise<Claimed> {
  const { envelope, fingerprint, token, entryId, deliveries } = asked;
  try {
    return await calls.claim({
      worker: name,
      operationId: envelope.operationId,
      fingerprint,
      token,
      entryId,
      leaseMs: horizon.claimMinIdle * 1_000,
      ttl: horizon.proofTtl,
      requireExisting: envelope.requireExisting,
      repeatable: isRepeatable(envelope.tool),
      exhausted: deliveries > horizon.maxDeliveries,
      unknownBody: UNKNOWN_BODY,
    });
  } catch (error) {
    if (redisErrorWord(error) === "WRONGTYPE") return { kind: "conflict" };
    throw error;
  }
}

const CODES = { stale: "stale_reject", conflict: "operation_conflict", in_progress: "in_progress" } as const;

function settled(envelope: Envelope, fingerprint: string, claimed: Claimed): Judgement {
  switch (claimed.kind) {
    case "waiting":
      return { kind: "wait" };
    case "gone":
      return { kind: "gone" };
    case "terminal": {
      const answer = { lane: envelope.replyTo, head: { ...headOf(envelope), fingerprint }, status: claimed.status, body: claimed.body };
      return { kind: "answer", answer, code: claimed.status === "indeterminate" ? "indeterminate" : "republished" };
    }
    case "exhausted": {
      const code = "deliveries_exhausted";
      return { ...letterOf(code), answer: refused(envelope, code, fingerprint).answer, traceId: envelope.traceId };
    }
    case "stale":
    case "conflict":
    case "in_progress":
      return refused(envelope, CODES[claimed.kind], fingerprint);
    default:
      throw new DelegateError("store_unavailable", "the store gave an unexpected answer");
  }
}

function letterOf(code: ReplyErrorCode): { kind: "letter"; code: ReplyErrorCode; problem: string } {
  return { kind: "letter", code, problem: code };
}

function refused(envelope: Envelope, code: ReplyErrorCode, fingerprint?: string): Judgement & { kind: "answer" } {
  const head = { ...headOf(envelope), fingerprint };
  return { kind: "answer", answer: { lane: envelope.replyTo, head, status: "error", body: bodyText(errorBody(code)) }, code };
}

function headOf({ operationId, correlationId }: Envelope): { operationId: string; correlationId: string } {
  return { operationId, correlationId };
}

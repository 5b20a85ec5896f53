import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../redis/store-error.ts";
import { errorBody } from "./delegated-call.ts";
import type { DelegatedEnd, ReplyErrorCode } from "./delegated-call.ts";
import { DelegateError } from "./delegate-error.ts";
import { judgeEntry } from "./judge-entry.ts";
import type { Answer, ClaimedCall, Judgement } from "./judge-entry.ts";
import { bodyText, replyText } from "./reply.ts";
import type { Entry, HeldClaim, Settled, Settlement } from "./store.ts";
import type { WorkerState } from "./worker.ts";

/** Pause between two attempts to store a result; the result is kept until the store takes it. */
const STORE_RETRY_MS = 200;

/**
 * Handles one entry: judges it, runs the call if it is claimed, stores the result, publishes it and removes the entry, in this order. Never
 * rejects; what the store keeps from being done stays pending.
 * @param deliveries how often the entry was handed out, this time included
 */
export async function handleEntry(state: WorkerState, entry: Entry, deliveries: number): Promise<void> {
  try {
    const judgement = await judgeEntry(state, entry, deliveries);
    await follow(state, entry, judgement, deliveries);
    state.isLeaving = false;
  } catch (error) {
    state.counts.count("left_pending");
    left(state, error);
  }
}

/** One line until an entry is handled again, where it is the store that fails; else one each. */
function left(state: WorkerState, error: unknown): void {
  const message = error instanceof Error ? error.message : "unknown";
  if (!(error instanceof DelegateError || error instanceof StoreError)) return state.note(`an entry could not be handled: ${message}`);
  if (!state.isLeaving) state.note(`an entry is left for later: ${message}`);
  state.isLeaving = true;
}

/** Refusals that no front of ours causes, unless its call has waited beyond the horizon. */
const FORGED: ReadonlySet<string> = new Set<ReplyErrorCode>(["proof_invalid", "fingerprint_mismatch", "operation_conflict"]);

// oxlint-disable-next-line max-params -- the entry, what is to be done, and the count that a dead letter names
async function follow(state: WorkerState, entry: Entry, judgement: Judgement, deliveries: number): Promise<void> {
  if ("mismatch" in judgement && judgement.mismatch) {
    state.counts.count("identity_mismatch");
    state.note(`security: entry ${entry.id} claims another identity than its session record has; the record counts`);
  }
  switch (judgement.kind) {
    case "run":
      return await run(state, entry, judgement.claimed);
    case "answer":
      if (FORGED.has(judgement.code)) state.note(`security: entry ${entry.id} is refused as \`${judgement.code}\``);
      return await settle(state, judgement.code, { entryId: entry.id, reply: replyOf(state, judgement.answer) });
    case "drop":
      state.note(`security: entry ${entry.id} names a reply lane that is none; nothing was written`);
      return await settle(state, judgement.code, { entryId: entry.id });
    case "letter": {
      const reply = judgement.answer === undefined ? {} : { reply: replyOf(state, judgement.answer) };
      return await settle(state, judgement.code, {
        entryId: entry.id,
        ...reply,
        letter: letterOf(state, { entry, judgement, deliveries }),
      });
    }
    case "wait":
      state.waiting.set(entry.id, { entry, deliveries });
      return;
    case "gone":
      state.counts.count("settled_elsewhere");
  }
}

async function run(state: WorkerState, entry: Entry, { call, lane, head, token }: ClaimedCall): Promise<void> {
  const over = state.counts.begin();
  const held = { worker: state.name, entryId: entry.id, operationId: call.operationId, token };
  const lease = keepLease(state, { ...held, leaseMs: state.horizon.claimMinIdle * 1_000 });
  try {
    const { status, ...body } = await executed(state, call);
    const text = bodyText(body);
    const end = { ...held, fingerprint: head.fingerprint, status, body: text, ttl: state.horizon.proofTtl };
    const reply = replyOf(state, { lane, head, status, body: text });
    const done = await untilStored(state, () => state.calls.finish({ ...end, reply }));
    if (done === "lost") state.counts.count("lease_lost");
    else counted(state, status, done);
  } finally {
    lease.end();
    over();
  }
}

async function executed(state: WorkerState, call: ClaimedCall["call"]): Promise<DelegatedEnd> {
  try {
    return await state.execute(call);
  } catch (error) {
    state.note(`a call failed inside: ${error instanceof Error ? error.message : "unknown"}`);
    return { status: "error", ...errorBody("failed") };
  }
}

/** Renews the lease and the entry's idle time, every third of the lease, until the call is settled. */
function keepLease(state: WorkerState, held: HeldClaim): { end: () => void } {
  let busy = false;
  const renew = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      await state.calls.renew(held);
    } catch {
      // The next turn tries again; a lease that ends meanwhile is lost, and then nothing of this call is stored.
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void renew(), held.leaseMs / 3);
  return { end: () => clearInterval(timer) };
}

/** Repeats a step until the store takes it, for as long as the horizon: what has run must not be forgotten. */
async function untilStored<Value>(state: WorkerState, step: () => Promise<Value>): Promise<Value> {
  const until = performance.now() + state.horizon.proofTtl * 1_000;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(STORE_RETRY_MS);
    }
  }
}

async function settle(state: WorkerState, code: string, settlement: Settlement): Promise<void> {
  counted(state, code, await state.calls.settle(settlement));
}

function counted(state: WorkerState, code: string, done: Settled): void {
  state.counts.count(done === "gone" ? "settled_elsewhere" : code);
  if (done === "unanswered") state.counts.count("lane_failed");
}

function replyOf({ horizon }: WorkerState, { lane, head, status, body }: Answer): NonNullable<Settlement["reply"]> {
  return { lane, data: replyText(head, status, body), ttl: horizon.proofTtl };
}

interface Lettered {
  readonly entry: Entry;
  readonly judgement: Judgement & { kind: "letter" };
  readonly deliveries: number;
}

/** What a dead letter says. The message itself is kept only where it is in order: a replay needs it, and nothing else does. */
function letterOf(state: WorkerState, { entry, judgement, deliveries }: Lettered): readonly string[] {
  const { code, problem, answer, traceId } = judgement;
  const data = answer === undefined || entry.data === undefined ? {} : { data: Buffer.from(entry.data).toString("utf8") };
  return Object.entries({
    original_stream: state.keys.stream,
    original_msg_id: entry.id,
    error: code,
    problem,
    attempt: String(deliveries),
    ts: new Date().toISOString(),
    operation_id: answer?.head.operationId ?? "",
    trace_id: traceId ?? "",
    bytes: String(entry.data?.length ?? 0),
    ...data,
  }).flat();
}

/** What binding a record did: the one that is there is returned when it differs. */
export type Bound = { readonly kind: "stored" | "kept" } | { readonly kind: "other"; readonly record: Uint8Array };

/** Keeps session records: bytes under a key with a lifetime. */
export interface SessionStore {
  /**
   * Stores a record, or compares it with the one that is there, in one atomic step. An equal one lives on for the longer of both lifetimes.
   * @param expected what counts as equal; the record itself unless given
   */
  bind(record: { readonly key: string; readonly text: string; readonly ttl: number; readonly expected?: Uint8Array }): Promise<Bound>;
  /** Undefined when there is none, or no more. */
  read(key: string): Promise<Uint8Array | undefined>;
}

/** One call on its way to the stream. */
export interface Publication {
  readonly operationId: string;
  readonly proof: string;
  /** The entry's field `data`. */
  readonly data: string;
  /** Seconds that the proof is kept. */
  readonly ttl: number;
  /** Most entries that may wait in the stream. */
  readonly limit: number;
}

/** What a publication did; `known`: the same one is there already, nothing was added. */
export type Published = "published" | "known" | "conflict" | "busy";

/** One entry of a stream; without `data` when the entry has none, or more than one. */
export interface Entry {
  readonly id: string;
  readonly data: Uint8Array | undefined;
  /** True when it was deleted while it was pending. */
  readonly deleted?: true;
}

/** What the front does with the store. */
export interface FrontStore {
  /** Keeps the proof and adds the entry in one atomic step; a repetition under the same id adds nothing (trial D05). */
  publish(call: Publication): Promise<Published>;
  /** Waits for entries of a lane; none after `waitMs`. */
  replies(lane: string, waitMs: number): Promise<readonly Entry[]>;
  dropReplies(lane: string, ids: readonly string[]): Promise<void>;
}

/** How a worker claims an operation. */
export interface ClaimRequest {
  /** Name of the worker in its group: with the claim, the entry's idle time begins anew. */
  readonly worker: string;
  readonly operationId: string;
  readonly fingerprint: string;
  /** Names this claim alone. */
  readonly token: string;
  /** The stream entry that asks. */
  readonly entryId: string;
  readonly leaseMs: number;
  /** Seconds that the ledger entry is kept. */
  readonly ttl: number;
  /** Nothing new may be started. */
  readonly requireExisting: boolean;
  /** What was begun may be begun again. */
  readonly repeatable: boolean;
  /** The entry was handed out too often: nothing may be started. */
  readonly exhausted: boolean;
  /** What is stored when the outcome of an abandoned claim is unknown. */
  readonly unknownBody: string;
}

/** What the ledger says to a claim (reference: tool sessions, §7). */
export type Claimed =
  /**
   * `waiting`: the claim of this very entry is alive. `gone`: the entry is no longer pending, so that somebody else has answered it (or the
   * store has lost it), and nothing may be begun for it.
   */
  | { readonly kind: "claimed" | "gone" | "stale" | "conflict" | "in_progress" | "exhausted" | "waiting" }
  | { readonly kind: "terminal"; readonly status: string; readonly body: string };

/** A claim that its worker keeps alive. */
export interface HeldClaim extends Pick<ClaimRequest, "worker" | "operationId" | "token" | "entryId" | "leaseMs"> {}

/** A call that has ended: what the ledger keeps, and the reply to the entry. */
export interface Finish extends Pick<ClaimRequest, "operationId" | "token" | "fingerprint" | "ttl" | "entryId"> {
  readonly status: string;
  readonly body: string;
  readonly reply: NonNullable<Settlement["reply"]>;
}

/** How an entry is settled: removed from group and stream, with a reply, a dead letter, both or neither, in one atomic step. */
export interface Settlement {
  readonly entryId: string;
  readonly reply?: { readonly lane: string; readonly data: string; readonly ttl: number };
  /** Fields of the dead letter, name and value in turn. */
  readonly letter?: readonly string[];
}

/** Whether an entry was settled: `gone` when somebody else has settled it, `unanswered` when the lane could not be written. */
export type Settled = "settled" | "unanswered" | "gone";

/** What a worker does with the store. All times are the store's own. */
export interface CallStore {
  /** Makes stream and group, the group at the stream's first entry (trial D04). */
  prepare(): Promise<void>;
  /** Entries that no worker has had yet; waits for them. */
  readNew(worker: string, read: { readonly count: number; readonly waitMs: number }): Promise<readonly Entry[]>;
  /** Entries that this worker had and did not settle, after a place in the stream. */
  readOwn(worker: string, read: { readonly after: string; readonly count: number }): Promise<readonly Entry[]>;
  /** Takes over entries that have been idle for so long; `next` is the place to go on at, `0-0` at the end. */
  takeOver(
    worker: string,
    read: { readonly from: string; readonly count: number; readonly idleMs: number },
  ): Promise<{ readonly next: string; readonly entries: readonly Entry[]; readonly deleted: number }>;
  /** How often an entry was handed out; 0 when it is not pending. */
  deliveries(entryId: string): Promise<number>;
  /** The proof that was published with an operation. */
  proof(operationId: string): Promise<string | undefined>;
  claim(request: ClaimRequest): Promise<Claimed>;
  /** Renews the lease and the entry's idle time in one step; false when the claim is no longer this one's. */
  renew(held: HeldClaim): Promise<boolean>;
  /**
   * Stores the result, publishes it and removes the entry, in this order and in one step. `lost`: the claim is no longer this one's, and
   * nothing was done. A repetition by the same claim does what is left to do.
   */
  finish(end: Finish): Promise<Settled | "lost">;
  settle(settlement: Settlement): Promise<Settled>;
  /** Entries that wait or run, and dead letters. */
  depths(): Promise<{ readonly calls: number; readonly deadLetters: number }>;
}

import type { DecidedRecord, PendingRecord, UsedRecord, VoteRecord } from "./approval-records.ts";

/** What became of a request, as the store has it. Nothing of it is proven: votes are (`ruling`). */
export interface RequestOutcome {
  readonly decided: DecidedRecord | undefined;
  readonly used: UsedRecord | undefined;
  /** Whether the process that uses it goes on; says something only of a use that is `executing`. */
  readonly isRunning: boolean;
}

/** A request with all that is kept about it. */
export interface StoredRequest extends RequestOutcome {
  readonly record: PendingRecord;
  /** Votes that no decision holds yet, not proven; empty as soon as there is a decision. */
  readonly votes: readonly VoteRecord[];
}

/** The use of an approval as the desk puts it down; the store adds who does. */
export type Use = Pick<UsedRecord, "v" | "id" | "digest" | "state" | "at">;

/** Told of each thing in the store that is no record. */
export type OnProblem = (problem: Error) => void;

/**
 * Where requests for an approval, votes, decisions and uses are kept (design §8): the state directory, or a store that several fronts share.
 * It keeps and says who was first; it decides nothing. Every function rejects with a GovernError: `govern.store_unreadable`,
 * `govern.store_unwritable`, `govern.store_unreachable`. What `list` and `read` meet besides the request itself goes to `onProblem`.
 */
export interface ApprovalStore {
  /** State directory: the public keys of those who may decide are there, whatever the store is. */
  readonly stateDir: string;
  /** Whether other fronts file, find and use requests in it, too. */
  readonly isShared: boolean;
  /** Files a request as the open one of its digest, durably. @returns the open one: that of another front when it was first */
  file(record: PendingRecord): Promise<PendingRecord>;
  /** The open request of a digest that some front has filed; none in a store that is not shared. */
  find(digest: string): Promise<PendingRecord | undefined>;
  /** The digest has no open request any more, if it was this one. */
  forget(request: Pick<PendingRecord, "id" | "digest">): Promise<void>;
  /** Undefined when the request itself is gone. */
  outcome(id: string): Promise<RequestOutcome | undefined>;
  read(id: string, onProblem?: OnProblem): Promise<StoredRequest | undefined>;
  /** Every request. Without `onProblem` the first one that cannot be read is thrown. */
  list(onProblem?: OnProblem): Promise<readonly StoredRequest[]>;
  /** Keeps a vote, one an owner: an earlier one of that owner stays if it is good. */
  vote(vote: VoteRecord, isGood: (earlier: VoteRecord) => boolean): Promise<void>;
  /** Creates the decision, once, durably. @returns false when there is one already */
  decide(record: DecidedRecord): Promise<boolean>;
  /** Creates the use, once over all who share the store, durably. @returns false when there is one already */
  take(use: Use): Promise<boolean>;
  /** Says how a use that was taken here ended. */
  end(use: Use): Promise<void>;
  /** Calls back soon after a change, once for several that come together; keeps no process alive. @returns ends it */
  watch(onChange: () => void): () => void;
}

import { isOver } from "./approval-clock.ts";
import type { PendingRecord, UsedRecord, VoteRecord } from "./approval-records.ts";
import type { ApprovalStore, OnProblem, RequestOutcome, StoredRequest } from "./approval-store.ts";
import type { ApprovalState, ApprovalView, ApprovalVote } from "./approval-view.ts";
import { ruling, voteProblem } from "./approval-votes.ts";
import { governError } from "./govern-error.ts";
import { PUBLIC_ID } from "./names.ts";

/** How a store is looked at. */
export interface LookOptions {
  readonly now: Date;
  /** Told of each request that cannot be read; without it the first one is thrown. */
  readonly onProblem?: OnProblem;
}

/**
 * Every request of a store, the oldest first.
 * @throws GovernError `govern.store_unreadable` without `onProblem`, `govern.store_unreachable`
 */
export async function listApprovals(store: ApprovalStore, options: LookOptions): Promise<readonly ApprovalView[]> {
  const { onProblem } = options;
  const views = (await store.list(onProblem)).flatMap((request) => {
    try {
      return viewOf(store, request, options);
    } catch (error) {
      if (onProblem === undefined) throw error;
      onProblem(error as Error);
      return [];
    }
  });
  return views.sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id));
}

/**
 * One request.
 * @param id as the human gave it: anything that is no id is not found
 * @throws GovernError `govern.store_unreadable`, `govern.store_unreachable`
 */
export async function readApproval(store: ApprovalStore, id: string, options: LookOptions): Promise<ApprovalView | undefined> {
  const request = PUBLIC_ID.test(id) ? await store.read(id, options.onProblem) : undefined;
  return request === undefined ? undefined : viewOf(store, request, options);
}

/**
 * The votes of a request that is not decided yet, as far as they are proven.
 * @param onProblem told of each vote that counts for nothing
 */
export function provenVotes(stateDir: string, { record, votes }: StoredRequest, onProblem: OnProblem): readonly VoteRecord[] {
  return votes.filter((vote) => {
    const problem = voteProblem(stateDir, record, vote);
    if (problem === undefined) return true;
    onProblem(governError("govern.store_unreadable", `a vote on \`${record.id}\` does not count: ${problem}`));
    return false;
  });
}

function viewOf({ stateDir }: ApprovalStore, request: StoredRequest, { now, onProblem = () => undefined }: LookOptions): ApprovalView {
  const { decided, record } = request;
  const votes = decided?.votes ?? provenVotes(stateDir, request, onProblem);
  const { v: _v, monotonic: _monotonic, approvers, ...open } = record;
  return Object.freeze({
    ...open,
    ...(approvers === undefined ? {} : { approvers }),
    state: stateOf(stateDir, request, now),
    votes: votes.map(publicVote),
  });
}

/** Where a request stands, from its records. @throws GovernError `govern.store_unreadable` for a decision that nobody signed */
export function stateOf(stateDir: string, request: RequestOutcome & { readonly record: PendingRecord }, now: Date): ApprovalState {
  const { record, decided, used, isRunning } = request;
  if (used !== undefined) return usedState(used, isRunning);
  const ruled = decided === undefined ? undefined : ruling(stateDir, record, decided);
  if (ruled === "denied") return "denied";
  if (ruled === "void") return "stale";
  if (isOver(record, now)) return "expired";
  return ruled ?? "pending";
}

/** A call whose process is gone ended in a way that nobody knows. */
function usedState({ state }: UsedRecord, isRunning: boolean): ApprovalState {
  return state === "executing" && !isRunning ? "indeterminate" : state;
}

function publicVote({ owner, key, decision, reason, at }: VoteRecord): ApprovalVote {
  return { owner, key, decision, reason, at };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

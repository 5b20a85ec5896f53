import { join } from "node:path";
import { processStart } from "../audit/session-lock.ts";
import { isOver } from "./approval-clock.ts";
import { readDecided, readPending, readUsed, readVote, recordFolder } from "./approval-records.ts";
import type { DecidedRecord, PendingRecord, UsedRecord, VoteRecord } from "./approval-records.ts";
import type { ApprovalState, ApprovalView, ApprovalVote } from "./approval-view.ts";
import { ruling, voteProblem } from "./approval-votes.ts";
import { governError } from "./govern-error.ts";
import { PUBLIC_ID } from "./names.ts";
import { listStoreFolder } from "./store-file.ts";

/** How a store is looked at. */
export interface LookOptions {
  readonly now: Date;
  /** Told of each request that cannot be read; without it the first one is thrown. */
  readonly onProblem?: (problem: Error) => void;
}

const RECORD = /^[0-9a-f]{32}\.json$/;
const VOTE = /^[0-9a-f]{64}\.json$/;

/**
 * Every request of a state directory, the oldest first.
 * @throws GovernError `govern.store_unreadable` without `onProblem`
 */
export function listApprovals(stateDir: string, options: LookOptions): readonly ApprovalView[] {
  const has = {
    decided: idsIn(stateDir, "decided"),
    used: idsIn(stateDir, "used"),
    votes: new Set(listStoreFolder(recordFolder(stateDir, "votes"), PUBLIC_ID)),
  };
  const views = [...idsIn(stateDir, "pending")].flatMap((id) => {
    try {
      return viewOf(stateDir, id, { ...options, has }) ?? [];
    } catch (error) {
      if (options.onProblem === undefined) throw error;
      options.onProblem(error as Error);
      return [];
    }
  });
  return views.sort((a, b) => compare(a.created_at, b.created_at) || compare(a.id, b.id));
}

/**
 * One request.
 * @param id as the human gave it: anything that is no id is not found
 * @throws GovernError `govern.store_unreadable`
 */
export function readApproval(stateDir: string, id: string, options: LookOptions): ApprovalView | undefined {
  return PUBLIC_ID.test(id) ? viewOf(stateDir, id, options) : undefined;
}

/**
 * The proven votes of a request that is not decided yet.
 * @param onProblem told of each file that is no vote; it counts for nothing
 */
export function provenVotes(stateDir: string, record: PendingRecord, onProblem: (problem: Error) => void): readonly VoteRecord[] {
  const folder = join(recordFolder(stateDir, "votes"), record.id);
  return listStoreFolder(folder, VOTE).flatMap((name) => {
    try {
      const vote = readVote(join(folder, name), record.id);
      const problem = vote === undefined ? undefined : voteProblem(stateDir, record, vote);
      if (problem !== undefined) throw governError("govern.store_unreadable", `\`${join(folder, name)}\` does not count: ${problem}`);
      return vote ?? [];
    } catch (error) {
      onProblem(error as Error);
      return [];
    }
  });
}

interface Look extends LookOptions {
  /** What a listing has found already; absent: look for the files. */
  readonly has?: Readonly<Record<"decided" | "used" | "votes", ReadonlySet<string>>>;
}

function viewOf(stateDir: string, id: string, { now, onProblem, has }: Look): ApprovalView | undefined {
  const record = readPending(stateDir, id);
  if (record === undefined) return undefined;
  const decided = has?.decided.has(id) === false ? undefined : readDecided(stateDir, id);
  const used = has?.used.has(id) === false ? undefined : readUsed(stateDir, id);
  const votes = decided?.votes ?? (has?.votes.has(id) === false ? [] : provenVotes(stateDir, record, onProblem ?? (() => undefined)));
  const { v: _v, monotonic: _monotonic, approvers, ...open } = record;
  return Object.freeze({
    ...open,
    ...(approvers === undefined ? {} : { approvers }),
    state: stateOf(stateDir, { record, decided, used }, now),
    votes: votes.map(publicVote),
  });
}

/** Where a request stands, from its files. @throws GovernError `govern.store_unreadable` for a decision that nobody signed */
export function stateOf(
  stateDir: string,
  files: { readonly record: PendingRecord; readonly decided: DecidedRecord | undefined; readonly used: UsedRecord | undefined },
  now: Date,
): ApprovalState {
  const { record, decided, used } = files;
  if (used !== undefined) return usedState(used);
  const ruled = decided === undefined ? undefined : ruling(stateDir, record, decided);
  if (ruled === "denied") return "denied";
  if (ruled === "void") return "stale";
  if (isOver(record, now)) return "expired";
  return ruled ?? "pending";
}

/** A call whose process is gone ended in a way that nobody knows. */
function usedState({ state, holder }: UsedRecord): ApprovalState {
  if (state !== "executing") return state;
  return holder !== undefined && isAlive(holder.pid) && processStart(holder.pid) === holder.started ? "executing" : "indeterminate";
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function publicVote({ owner, key, decision, reason, at }: VoteRecord): ApprovalVote {
  return { owner, key, decision, reason, at };
}

function idsIn(stateDir: string, kind: "pending" | "decided" | "used"): ReadonlySet<string> {
  return new Set(listStoreFolder(recordFolder(stateDir, kind), RECORD).map((name) => name.slice(0, -".json".length)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

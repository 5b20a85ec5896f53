import { hash } from "node:crypto";
import { utimesSync } from "node:fs";
import { forbidInAgentProcess } from "./agent-process.ts";
import { provenVotes, readApproval, stateOf } from "./approval-list.ts";
import { readDecided, readPending, readUsed, readVote, recordFolder, recordPath, recordText, votePath } from "./approval-records.ts";
import type { PendingRecord, VoteRecord } from "./approval-records.ts";
import type { ApprovalView } from "./approval-view.ts";
import { isRevoked, ownerProblem, ownersOf, signVote, voteProblem } from "./approval-votes.ts";
import { governError } from "./govern-error.ts";
import type { SigningKey } from "./key-pair.ts";
import { foldedOwner, PUBLIC_ID } from "./names.ts";
import { createStoreFile, replaceStoreFile } from "./store-file.ts";

/** One human's decision on one request. */
export interface ApprovalDecision {
  readonly stateDir: string;
  readonly id: string;
  readonly decision: "approve" | "deny";
  /** Why; may be empty for an approval. */
  readonly reason: string;
  /** The human's own key (`openKey`, `keyOfToken`). */
  readonly key: SigningKey & { readonly owner: string };
  /** SHA-256 (hex) of exactly the text that the human was shown. */
  readonly shown: string;
  readonly now: Date;
}

const MAX_REASON = 2_000;

/**
 * Takes a human's decision: signs and stores the vote, and decides the request when it is a denial or completes the quorum. Of several
 * deciders at once exactly one decides.
 * @returns the request as it stands afterwards
 * @throws GovernError `govern.decision_forbidden` in an agent's process, `govern.not_found`, `govern.already_decided`, `govern.not_allowed`,
 * `govern.invalid` when another text was shown than the one on file, `govern.key_revoked`, `govern.store_unreadable`, `govern.store_unwritable`
 */
export function decideApproval(given: ApprovalDecision): ApprovalView {
  const { stateDir, id, key, now } = given;
  forbidInAgentProcess(stateDir);
  const record = openRequest(given);
  const problem = ownerProblem(record, key.owner);
  if (problem !== undefined) throw governError("govern.not_allowed", problem);
  const at = now.toISOString();
  const vote = signVote(record, { decision: given.decision, reason: given.reason, at }, key);
  const unsound = voteProblem(stateDir, record, vote);
  if (unsound !== undefined) throw governError("govern.key_unknown", `this vote would not count: ${unsound}`);
  if (isRevoked(stateDir, vote)) throw governError("govern.key_revoked", `key \`${key.name}\` is revoked`);
  if (given.decision === "deny") settle(given, record, [vote]);
  else approve(given, record, vote);
  const view = readApproval(stateDir, id, { now });
  if (view === undefined) throw notFound(id);
  return view;
}

/** The request, if it still waits and is what was shown. */
function openRequest({ stateDir, id, reason, shown, decision, now }: ApprovalDecision): PendingRecord {
  const record = PUBLIC_ID.test(id) ? readPending(stateDir, id) : undefined;
  if (record === undefined) throw notFound(id);
  const state = stateOf(stateDir, { record, decided: readDecided(stateDir, id), used: readUsed(stateDir, id) }, now);
  if (state !== "pending") throw governError("govern.already_decided", `request \`${id}\` no longer waits: it is ${state}`);
  if (record.shown.digest !== shown || hash("sha256", record.shown.text, "hex") !== shown)
    throw governError("govern.invalid", `what was shown is not what request \`${id}\` is about: look at it again`);
  if (reason.length > MAX_REASON || !reason.isWellFormed())
    throw governError("govern.invalid", `the reason must be well-formed text of at most ${MAX_REASON} characters`);
  if (decision === "deny" && reason.trim() === "") throw governError("govern.invalid", "a denial needs a reason");
  return record;
}

function approve(given: ApprovalDecision, record: PendingRecord, vote: VoteRecord): void {
  const { stateDir, id } = given;
  const path = votePath(stateDir, id, vote.owner);
  // A planted file in the owner's place is no vote and gives way; an earlier vote of the owner stays.
  if (!createStoreFile(path, recordText(vote)) && !isOwnVote(given, record, path)) replaceStoreFile(path, recordText(vote));
  const votes = provenVotes(stateDir, record, () => undefined).filter((one) => one.decision === "approve" && !isRevoked(stateDir, one));
  if (ownersOf(votes) >= record.quorum) settle(given, record, votes);
  else tellWatchers(stateDir);
}

function isOwnVote({ stateDir, id }: ApprovalDecision, record: PendingRecord, path: string): boolean {
  try {
    const vote = readVote(path, id);
    return vote?.decision === "approve" && voteProblem(stateDir, record, vote) === undefined && !isRevoked(stateDir, vote);
  } catch {
    return false;
  }
}

/** Creates the decision, once. Losing the race to the same decision with the own vote in it is no loss. */
function settle({ stateDir, id, decision, key, now }: ApprovalDecision, { digest }: PendingRecord, votes: readonly VoteRecord[]): void {
  const record = { v: 1 as const, id, digest, decision, votes: [...votes], at: now.toISOString() };
  if (createStoreFile(recordPath(stateDir, "decided", id), recordText(record))) return;
  const other = readDecided(stateDir, id);
  const counted = other?.votes.some((vote) => foldedOwner(vote.owner) === foldedOwner(key.owner)) === true;
  if (other?.decision !== decision || !counted) throw governError("govern.already_decided", `request \`${id}\` was decided meanwhile`);
}

/** A vote in a folder of its own is no change of the folders that are watched. */
function tellWatchers(stateDir: string): void {
  const now = new Date();
  utimesSync(recordFolder(stateDir, "votes"), now, now);
}

function notFound(id: string): Error {
  return governError("govern.not_found", PUBLIC_ID.test(id) ? `no request has the id \`${id}\`` : "no request has this id");
}

import { hash } from "node:crypto";
import { forbidInAgentProcess } from "./agent-process.ts";
import { provenVotes, readApproval, stateOf } from "./approval-list.ts";
import type { DecidedRecord, PendingRecord, VoteRecord } from "./approval-records.ts";
import type { ApprovalStore } from "./approval-store.ts";
import type { ApprovalView } from "./approval-view.ts";
import { isRevoked, ownerProblem, ownersOf, signVote, voteProblem } from "./approval-votes.ts";
import { governError } from "./govern-error.ts";
import type { SigningKey } from "./key-pair.ts";
import { foldedOwner, PUBLIC_ID } from "./names.ts";

/** One human's decision on one request. */
export interface ApprovalDecision {
  readonly store: ApprovalStore;
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
 * `govern.invalid` when another text was shown than the one on file, `govern.key_revoked`, and those of the store
 */
export async function decideApproval(given: ApprovalDecision): Promise<ApprovalView> {
  const { store, id, key, now } = given;
  const { stateDir } = store;
  forbidInAgentProcess(stateDir);
  const record = await openRequest(given);
  const problem = ownerProblem(record, key.owner);
  if (problem !== undefined) throw governError("govern.not_allowed", problem);
  const at = now.toISOString();
  const vote = signVote(record, { decision: given.decision, reason: given.reason, at }, key);
  const unsound = voteProblem(stateDir, record, vote);
  if (unsound !== undefined) throw governError("govern.key_unknown", `this vote would not count: ${unsound}`);
  if (isRevoked(stateDir, vote)) throw governError("govern.key_revoked", `key \`${key.name}\` is revoked`);
  if (given.decision === "deny") await settle(given, record, [vote]);
  else await approve(given, record, vote);
  const view = await readApproval(store, id, { now });
  if (view === undefined) throw notFound(id);
  return view;
}

/** The request, if it still waits and is what was shown. */
async function openRequest({ store, id, reason, shown, decision, now }: ApprovalDecision): Promise<PendingRecord> {
  const request = PUBLIC_ID.test(id) ? await store.read(id) : undefined;
  if (request === undefined) throw notFound(id);
  const { record } = request;
  const state = stateOf(store.stateDir, request, now);
  if (state !== "pending") throw governError("govern.already_decided", `request \`${id}\` no longer waits: it is ${state}`);
  if (record.shown.digest !== shown || hash("sha256", record.shown.text, "hex") !== shown)
    throw governError("govern.invalid", `what was shown is not what request \`${id}\` is about: look at it again`);
  if (reason.length > MAX_REASON || !reason.isWellFormed())
    throw governError("govern.invalid", `the reason must be well-formed text of at most ${MAX_REASON} characters`);
  if (decision === "deny" && reason.trim() === "") throw governError("govern.invalid", "a denial needs a reason");
  return record;
}

async function approve(given: ApprovalDecision, record: PendingRecord, vote: VoteRecord): Promise<void> {
  const { store, id } = given;
  const { stateDir } = store;
  await store.vote(
    vote,
    (earlier) => earlier.decision === "approve" && voteProblem(stateDir, record, earlier) === undefined && !isRevoked(stateDir, earlier),
  );
  const request = await store.read(id);
  if (request === undefined) throw notFound(id);
  if (request.decided !== undefined) return countedIn(request.decided, given);
  const votes = provenVotes(stateDir, { ...request, record }, () => undefined);
  const good = votes.filter((one) => one.decision === "approve" && !isRevoked(stateDir, one));
  if (ownersOf(good) >= record.quorum) await settle(given, record, good);
}

/** Creates the decision, once. */
async function settle(given: ApprovalDecision, { digest }: PendingRecord, votes: readonly VoteRecord[]): Promise<void> {
  const { store, id, decision, now } = given;
  if (await store.decide({ v: 1, id, digest, decision, votes: [...votes], at: now.toISOString() })) return;
  countedIn((await store.outcome(id))?.decided, given);
}

/** Losing the race to the same decision with the own vote in it is no loss. */
function countedIn(other: DecidedRecord | undefined, { id, decision, key }: ApprovalDecision): void {
  const counted = other?.votes.some((vote) => foldedOwner(vote.owner) === foldedOwner(key.owner)) === true;
  if (other?.decision !== decision || !counted) throw governError("govern.already_decided", `request \`${id}\` was decided meanwhile`);
}

function notFound(id: string): Error {
  return governError("govern.not_found", PUBLIC_ID.test(id) ? `no request has the id \`${id}\`` : "no request has this id");
}

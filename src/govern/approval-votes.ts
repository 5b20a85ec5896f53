import { canonicalJson } from "../audit/canonical.ts";
import { governError } from "./govern-error.ts";
import { isWithin } from "./approval-clock.ts";
import { isSigned } from "./key-pair.ts";
import type { SigningKey } from "./key-pair.ts";
import { readKey } from "./keys.ts";
import { foldedOwner } from "./names.ts";
import type { DecidedRecord, PendingRecord, VoteRecord } from "./approval-records.ts";

/** What a request asks of its approvers. */
export type VoteTerms = Pick<PendingRecord, "id" | "digest" | "requester" | "approvers" | "quorum" | "created_at" | "expires_at"> & {
  readonly shown: { readonly digest: string };
};

/** How the votes of a decided request count: `void` when a key that decided was revoked since. */
export type Ruling = "approved" | "denied" | "void";

/** Signs a vote on exactly what was shown. */
export function signVote(
  terms: Pick<VoteTerms, "id" | "digest" | "shown">,
  given: Pick<VoteRecord, "decision" | "reason" | "at">,
  key: SigningKey & { readonly owner: string },
): VoteRecord {
  const said = { id: terms.id, digest: terms.digest, shown: terms.shown.digest, ...given, owner: key.owner };
  return Object.freeze({ v: 1 as const, ...said, key: key.name, signature: key.sign(signedText(said)) });
}

/** Why a vote does not count; undefined when it does. A key that was revoked since is no reason here. */
export function voteProblem(stateDir: string, terms: VoteTerms, vote: VoteRecord): string | undefined {
  const key = readKey(stateDir, vote.key);
  if (key === undefined) return `key \`${vote.key}\` is not on record`;
  if (key.owner !== vote.owner) return `key \`${vote.key}\` is not that of its owner`;
  if (vote.id !== terms.id || vote.digest !== terms.digest || vote.shown !== terms.shown.digest) return "it is about something else";
  if (!isWithin(terms, vote.at)) return "it was not made in the request's time";
  const { v: _v, key: _key, signature, ...said } = vote;
  if (!isSigned(signedText(said), signature, key.public_key)) return `its signature is not that of key \`${vote.key}\``;
  return ownerProblem(terms, vote.owner);
}

/** Why an owner may not decide a request; undefined when they may (contract: requester and approver are different owners). */
export function ownerProblem({ requester, approvers }: VoteTerms, owner: string): string | undefined {
  const own = [requester.user, requester.os_user ?? "", String(requester.uid)].map(foldedOwner);
  if (own.includes(foldedOwner(owner))) return "the requester cannot decide their own request";
  return approvers === undefined || approvers.includes(owner) ? undefined : "the policy names other approvers for this request";
}

/** Whether a key that signed was revoked meanwhile: its vote does not count for a call that has not run yet. */
export function isRevoked(stateDir: string, vote: VoteRecord): boolean {
  return readKey(stateDir, vote.key)?.revoked_at !== undefined;
}

/**
 * Proves a decision from the votes that it holds.
 * @throws GovernError `govern.store_unreadable` when the votes do not make this decision
 */
export function ruling(stateDir: string, terms: VoteTerms, decided: DecidedRecord): Ruling {
  const problems = decided.votes.map((vote) => voteProblem(stateDir, terms, vote));
  const votes = decided.votes.filter((vote, at) => vote.decision === decided.decision && problems[at] === undefined);
  const needed = decided.decision === "deny" ? 1 : terms.quorum;
  if (decided.digest !== terms.digest || ownersOf(votes) < needed)
    throw governError(
      "govern.store_unreadable",
      `the decision of \`${terms.id}\` is not signed by those who may decide${whyNot(problems)}`,
    );
  if (decided.decision === "deny") return "denied";
  return ownersOf(votes.filter((vote) => !isRevoked(stateDir, vote))) < needed ? "void" : "approved";
}

function whyNot(problems: readonly (string | undefined)[]): string {
  const first = problems.find((problem) => problem !== undefined);
  return first === undefined ? "" : ` (${first})`;
}

/** How many different humans voted. */
export function ownersOf(votes: readonly VoteRecord[]): number {
  return new Set(votes.map(({ owner }) => foldedOwner(owner))).size;
}

function signedText(said: Omit<VoteRecord, "v" | "key" | "signature">): string {
  const { id, digest, shown, decision, reason, owner, at } = said;
  return `regate/approval/v1\n${canonicalJson({ id, digest, shown, decision, reason, owner, at })}`;
}

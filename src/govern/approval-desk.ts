import { randomBytes } from "node:crypto";
import { canonicalJson } from "../audit/canonical.ts";
import { bindCall } from "./approval-binding.ts";
import type { Binding, BindingFacts } from "./approval-binding.ts";
import { deadlineIn, isOver } from "./approval-clock.ts";
import { closeFiled, endFiled, forget, opened } from "./approval-filed.ts";
import type { Desk, DeskOptions, Ending, Filed, OpenRequest } from "./approval-filed.ts";
import type { PendingRecord } from "./approval-records.ts";
import type { RequestOutcome } from "./approval-store.ts";
import { useOf } from "./approval-use.ts";
import type { ApprovalUse } from "./approval-use.ts";
import type { ApprovalRule } from "./approval-view.ts";
import { ruling } from "./approval-votes.ts";
import { governError } from "./govern-error.ts";
import { foldedOwner } from "./names.ts";

/** What policy asks of the humans who decide. */
export interface ApprovalTerms {
  readonly rule: readonly ApprovalRule[];
  readonly approvers?: readonly string[] | undefined;
  readonly quorum: number;
  readonly ttlSeconds: number;
}

/** One call that needs an approval. */
export interface ApprovalAsk {
  readonly facts: BindingFacts;
  /** Absent when policy, asked again with the approval, wants nothing more. */
  readonly terms?: ApprovalTerms | undefined;
  /** The request that this call has waited for: it never files another one. */
  readonly awaited?: OpenRequest | undefined;
}

/** Where the approval of a call stands. */
export type Standing =
  | { readonly kind: "unbindable"; readonly problem: string }
  /** Nothing was filed, because policy names no terms. */
  | { readonly kind: "needed" }
  | { readonly kind: "pending"; readonly request: OpenRequest }
  | { readonly kind: Ending; readonly id: string }
  | { readonly kind: "approved"; readonly approvers: readonly string[]; readonly at: string; readonly use: ApprovalUse };

/** The approvals of one session: what the corridor asks before a call runs. */
export interface ApprovalDesk {
  /**
   * Says where the approval of a call stands, and files a request when there is none. To be asked for one call after the other.
   * @throws GovernError those of the store
   */
  ask(ask: ApprovalAsk): Promise<Standing>;
  /** Whether a request that a call waits for may have been decided, used or ended: then it is worth asking again. */
  hasMoved(request: OpenRequest): Promise<boolean>;
}

/** Opens the approvals of one session. Requests of other sessions are never looked at. */
export function openApprovalDesk(options: DeskOptions): ApprovalDesk {
  const desk: Desk = { ...options, open: new Map() };
  return {
    ask: (ask) => answer(desk, ask),
    async hasMoved(request) {
      const filed = request as Filed;
      if (filed.ending !== undefined || filed.used !== undefined || isOver(filed.record, desk.now())) return true;
      const outcome = await desk.store.outcome(filed.id);
      return outcome === undefined || outcome.decided !== undefined || outcome.used !== undefined;
    },
  };
}

async function answer(desk: Desk, ask: ApprovalAsk): Promise<Standing> {
  const bound = bindCall(ask.facts);
  if (!bound.ok) return { kind: "unbindable", problem: bound.problem };
  const filed = desk.open.get(bound.call) ?? (await met(desk, { bound, ask }));
  const awaited = ask.awaited as Filed | undefined;
  if (awaited !== undefined && filed !== awaited) return { kind: awaited.ending ?? "used", id: awaited.id };
  const standing = filed === undefined ? undefined : await standingOf(desk, filed, { bound, ask });
  if (standing !== undefined) return standing;
  if (filed !== undefined) await forget(desk, filed);
  if (awaited !== undefined) return { kind: awaited.ending ?? "used", id: awaited.id };
  return ask.terms === undefined ? { kind: "needed" } : file(desk, bound, ask);
}

/** The open request that another front has filed for exactly this call. */
async function met(desk: Desk, asked: Asked): Promise<Filed | undefined> {
  const record = await desk.store.find(asked.bound.digest);
  return record === undefined ? undefined : adopted(desk, record, asked);
}

/** A request of another front counts if it says what this front would have filed itself; who approves it is proven like that of our own. */
function adopted(desk: Desk, record: PendingRecord, { bound, ask }: Asked): Filed {
  if (!isOfCall(record, bound, ask.facts))
    throw governError("govern.store_unreadable", `request \`${record.id}\` of the shared store is not what a front files`);
  return opened(desk, record, { call: bound.call, isOurs: false });
}

interface Asked {
  readonly bound: Binding;
  readonly ask: ApprovalAsk;
}

/** Undefined when the request is over and was told: the call may ask anew. */
async function standingOf(desk: Desk, filed: Filed, { bound, ask }: Asked): Promise<Standing | undefined> {
  const { id, record } = filed;
  if (filed.used === "executing") return { kind: "used", id };
  if (filed.used === "indeterminate") return told(desk, filed, "indeterminate");
  if (filed.used !== undefined) return undefined;
  const outcome = await desk.store.outcome(id);
  if (outcome === undefined) {
    filed.ending = "expired";
    return undefined;
  }
  const { decided, used } = outcome;
  if (used !== undefined) return usedElsewhere(desk, filed, outcome);
  if (isOver(record, desk.now())) return decided?.decision === "deny" ? undefined : told(desk, filed, "expired");
  const ruled = decided === undefined ? undefined : ruling(desk.store.stateDir, record, decided);
  const isSame = isSameCall(filed, { bound, ask });
  if (ruled === "denied") return isSame ? { kind: "denied", id } : undefined;
  if (!isSame || ruled === "void") return outdated(desk, filed, ruled !== undefined || ask.awaited !== undefined);
  if (decided === undefined) return { kind: "pending", request: filed };
  const approvers = [...new Map(decided.votes.map(({ owner }) => [foldedOwner(owner), owner])).values()].sort();
  return { kind: "approved", approvers, at: decided.at, use: useOf(desk, filed, ask.facts) };
}

/** A use that is not this desk's own. While it runs the call is not asked for again; how it ended is told once. */
async function usedElsewhere(desk: Desk, filed: Filed, outcome: RequestOutcome): Promise<Standing | undefined> {
  const { decided, used, isRunning } = outcome;
  if (used?.state === "executing" && isRunning) {
    filed.ending = "used";
    return { kind: "used", id: filed.id };
  }
  if (used?.state === "executing" || used?.state === "indeterminate") return told(desk, filed, "indeterminate");
  if (used?.state === "stale") return decided === undefined ? undefined : told(desk, filed, "stale");
  return filed.ending === "used" ? undefined : told(desk, filed, "used");
}

/** Whether a request is about exactly this call, on the terms of our own policy. */
function isSameCall(filed: Filed, { bound, ask }: Asked): boolean {
  if (ask.terms !== undefined) filed.isOurs = hasTerms(filed.record, ask.terms);
  return filed.isOurs && bound.digest === filed.record.digest;
}

/** The request is void for good. A human who approved it is owed that this is said; a request that nobody decided gives way silently. */
async function outdated(desk: Desk, filed: Filed, isOwed: boolean): Promise<Standing | undefined> {
  await closeFiled(desk, filed, "stale");
  filed.ending = "stale";
  return isOwed ? told(desk, filed, "stale") : undefined;
}

async function told(desk: Desk, filed: Filed, kind: Ending): Promise<Standing> {
  await endFiled(desk, filed, kind);
  return { kind, id: filed.id };
}

async function file(desk: Desk, bound: Binding, ask: ApprovalAsk): Promise<Standing> {
  const record = recordOf(desk, bound, ask);
  const filed = await desk.store.file(record);
  if (filed.id === record.id) return { kind: "pending", request: opened(desk, record, { call: bound.call, isOurs: true }) };
  // Another front was first.
  adopted(desk, filed, { bound, ask });
  return answer(desk, ask);
}

function recordOf(desk: Desk, bound: Binding, { facts, terms }: ApprovalAsk): PendingRecord {
  if (terms === undefined) throw new Error("a request needs the terms of the policy");
  const { session_id, agent_id, requester, tool, profile } = facts;
  const { approvers, quorum, rule } = terms;
  return Object.freeze({
    v: 1 as const,
    id: randomBytes(16).toString("hex"),
    session_id,
    agent_id,
    requester: { ...requester },
    tool,
    quorum,
    profile,
    rule: rule.map(({ code, rule: name, message }) => ({ code, rule: name, message })),
    ...(approvers === undefined ? {} : { approvers: [...approvers] }),
    ...deadlineIn(terms.ttlSeconds, desk.now()),
    workdir: bound.workdir,
    digest: bound.digest,
    shown: { ...bound.shown },
  });
}

/** Whether a request has the terms of our policy, and lives no longer than they say. */
function hasTerms(record: Filed["record"], terms: ApprovalTerms): boolean {
  const lifeMs = Date.parse(record.expires_at) - Date.parse(record.created_at);
  return termsText(record) === termsText(terms) && lifeMs <= terms.ttlSeconds * 1_000;
}

function termsText({ approvers, quorum }: Pick<ApprovalTerms, "approvers" | "quorum">): string {
  return canonicalJson({ approvers: approvers === undefined ? null : [...approvers], quorum });
}

/** Whether what a request says beside its digest is what belongs to it. */
function isOfCall(record: PendingRecord, bound: Binding, { session_id, agent_id, requester, tool }: BindingFacts): boolean {
  const said = [record.digest, record.shown.digest, record.session_id, record.agent_id, record.tool, requesterText(record)];
  const own = [bound.digest, bound.shown.digest, session_id, agent_id, tool, requesterText({ requester })];
  return said.every((text, at) => text === own[at]);
}

function requesterText({ requester: { user, uid, os_user: osUser } }: Pick<PendingRecord, "requester">): string {
  return JSON.stringify([user, uid, osUser ?? null]);
}

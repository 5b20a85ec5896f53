import { randomBytes } from "node:crypto";
import { processStart } from "../audit/session-lock.ts";
import { canonicalJson } from "../audit/canonical.ts";
import { bindCall } from "./approval-binding.ts";
import type { Binding, BindingFacts, BoundCall } from "./approval-binding.ts";
import { deadlineIn, isOver } from "./approval-clock.ts";
import { readDecided, readUsed, recordPath, recordText } from "./approval-records.ts";
import type { PendingRecord, UsedRecord } from "./approval-records.ts";
import type { ApprovalRule } from "./approval-view.ts";
import { ruling } from "./approval-votes.ts";
import { foldedOwner } from "./names.ts";
import { createStoreFile, replaceStoreFile } from "./store-file.ts";

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
  /** True: only look, file nothing. */
  readonly look?: boolean;
}

/** Why a request lets no call run any more; each is told once, then the same call may ask anew. */
export type Ending = "denied" | "expired" | "stale" | "used" | "indeterminate";

/** How a call ended that ran on an approval. */
export type UseEnd = "done" | "failed" | "indeterminate" | "stale";

/** The right to run one call once. */
export interface ApprovalUse {
  readonly id: string;
  /** Uses the approval, durably, if what would run is still what was approved; else says why not, and nothing may run. */
  begin(): Ending | undefined;
  /** Whether what would run is still what was approved; for the last moment before it runs. */
  isUnchanged(): boolean;
  /** Tells how the call ended; never throws. */
  end(how: UseEnd): void;
}

/** A request of this session that was filed and has not ended. */
export interface OpenRequest {
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly expires_at: string;
}

/** Where the approval of a call stands. */
export type Standing =
  | { readonly kind: "unbindable"; readonly problem: string }
  /** Nothing was filed, because the call was only looked at. */
  | { readonly kind: "needed" }
  | { readonly kind: "pending"; readonly request: OpenRequest }
  | { readonly kind: Ending; readonly id: string }
  | { readonly kind: "approved"; readonly approvers: readonly string[]; readonly at: string; readonly use: ApprovalUse };

/** The approvals of one session: what the corridor asks before a call runs. */
export interface ApprovalDesk {
  /**
   * Says where the approval of a call stands, and files a request when there is none.
   * @throws GovernError `govern.store_unreadable`, `govern.store_unwritable`
   */
  ask(ask: ApprovalAsk): Standing;
  /** Whether a request that a call waits for may have been decided, used or ended: then it is worth asking again. */
  hasMoved(request: OpenRequest): boolean;
}

/** What the desk of a session needs. */
export interface DeskOptions {
  readonly stateDir: string;
  readonly now: () => Date;
  /** Told what could not be written down about a call that has ended. */
  readonly report: (problem: unknown) => void;
}

interface Filed extends OpenRequest {
  readonly record: PendingRecord;
  readonly binding: Binding;
  readonly terms: string;
  used?: UsedRecord["state"];
  ending?: Ending;
}

interface Desk extends DeskOptions {
  /** The one open request of each call of this session: what others put into the store is never taken for one. */
  readonly open: Map<string, Filed>;
}

/** Opens the approvals of one session. Requests of other sessions are never looked at. */
export function openApprovalDesk(options: DeskOptions): ApprovalDesk {
  const desk: Desk = { ...options, open: new Map() };
  return {
    ask: (ask) => answer(desk, ask),
    hasMoved(request) {
      const filed = request as Filed;
      if (filed.ending !== undefined || filed.used !== undefined || isOver(filed.record, desk.now())) return true;
      return readDecided(desk.stateDir, filed.id) !== undefined;
    },
  };
}

function answer(desk: Desk, ask: ApprovalAsk): Standing {
  const bound = bindCall(ask.facts);
  if (!bound.ok) return { kind: "unbindable", problem: bound.problem };
  const filed = desk.open.get(bound.call);
  const awaited = ask.awaited as Filed | undefined;
  if (awaited !== undefined && filed !== awaited) return { kind: awaited.ending ?? "used", id: awaited.id };
  const standing = filed === undefined ? undefined : standingOf(desk, filed, { bound, ask });
  if (standing !== undefined) return standing;
  if (filed !== undefined && ask.look !== true) desk.open.delete(bound.call);
  if (awaited !== undefined) return { kind: awaited.ending ?? "used", id: awaited.id };
  return ask.look === true || ask.terms === undefined ? { kind: "needed" } : { kind: "pending", request: file(desk, bound, ask) };
}

interface Asked {
  readonly bound: Binding;
  readonly ask: ApprovalAsk;
}

/** Undefined when the request is over and was told: the call may ask anew. */
function standingOf(desk: Desk, filed: Filed, { bound, ask }: Asked): Standing | undefined {
  if (filed.used === "executing") return { kind: "used", id: filed.id };
  const tell = (kind: Ending): Standing => (ask.look === true ? { kind, id: filed.id } : told(desk, filed, kind));
  if (filed.used === "indeterminate") return tell("indeterminate");
  if (filed.used !== undefined) return undefined;
  if (readUsed(desk.stateDir, filed.id) !== undefined) return tell("used");
  const decided = readDecided(desk.stateDir, filed.id);
  const ruled = decided === undefined ? undefined : ruling(desk.stateDir, filed.record, decided);
  const isSame = bound.digest === filed.binding.digest && (ask.terms === undefined || termsText(ask.terms) === filed.terms);
  if (ruled === "denied") return isSame && !isOver(filed.record, desk.now()) ? { kind: "denied", id: filed.id } : undefined;
  if (isOver(filed.record, desk.now())) return tell("expired");
  if (!isSame || ruled === "void") return outdated(desk, filed, { ask, isOwed: ruled !== undefined || ask.awaited !== undefined });
  if (decided === undefined) return { kind: "pending", request: filed };
  const approvers = [...new Map(decided.votes.map(({ owner }) => [foldedOwner(owner), owner])).values()].sort();
  return { kind: "approved", approvers, at: decided.at, use: useOf(desk, filed, ask.facts) };
}

/** The request is void for good. A human who approved it is owed that this is said; a request that nobody decided gives way silently. */
function outdated(desk: Desk, filed: Filed, { ask, isOwed }: { ask: ApprovalAsk; isOwed: boolean }): Standing | undefined {
  if (ask.look === true) return isOwed ? { kind: "stale", id: filed.id } : undefined;
  close(desk, filed, "stale");
  filed.ending = "stale";
  return isOwed ? told(desk, filed, "stale") : undefined;
}

function told(desk: Desk, filed: Filed, kind: Ending): Standing {
  filed.ending = kind;
  desk.open.delete(filed.binding.call);
  return { kind, id: filed.id };
}

function file(desk: Desk, bound: Binding, { facts, terms }: ApprovalAsk): Filed {
  if (terms === undefined) throw new Error("a request needs the terms of the policy");
  const { session_id, agent_id, requester, tool, profile } = facts;
  const { approvers, quorum, rule } = terms;
  const id = randomBytes(16).toString("hex");
  const record: PendingRecord = Object.freeze({
    v: 1 as const,
    id,
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
  if (!createStoreFile(recordPath(desk.stateDir, "pending", id), recordText(record))) throw new Error("an id was given twice");
  const filed: Filed = { id, expires_at: record.expires_at, record, binding: bound, terms: termsText(terms) };
  desk.open.set(bound.call, filed);
  return filed;
}

function useOf(desk: Desk, filed: Filed, facts: BindingFacts): ApprovalUse {
  const isBound = (): boolean => {
    const bound: BoundCall = bindCall(facts);
    return bound.ok && bound.digest === filed.binding.digest;
  };
  return {
    id: filed.id,
    isUnchanged: isBound,
    begin: () => begin(desk, filed, isBound),
    end(how) {
      filed.used = how;
      try {
        replaceStoreFile(recordPath(desk.stateDir, "used", filed.id), recordText(usedRecord(desk, filed, how)));
      } catch (error) {
        desk.report(error);
      }
    },
  };
}

/** Everything is looked at again: a human may have been asked in between. */
function begin(desk: Desk, filed: Filed, isBound: () => boolean): Ending | undefined {
  if (filed.used !== undefined) return "used";
  const decided = readDecided(desk.stateDir, filed.id);
  if (decided === undefined || ruling(desk.stateDir, filed.record, decided) !== "approved" || !isBound()) {
    close(desk, filed, "stale");
    told(desk, filed, "stale");
    return "stale";
  }
  if (isOver(filed.record, desk.now())) {
    told(desk, filed, "expired");
    return "expired";
  }
  return close(desk, filed, "executing") ? undefined : "used";
}

/** Creates the file of the use, once. */
function close(desk: Desk, filed: Filed, state: "executing" | "stale"): boolean {
  const created = createStoreFile(recordPath(desk.stateDir, "used", filed.id), recordText(usedRecord(desk, filed, state)));
  if (created) filed.used = state;
  return created;
}

function usedRecord({ now }: Desk, { id, binding }: Filed, state: UsedRecord["state"]): UsedRecord {
  const holder = state === "executing" ? { holder: { pid: process.pid, started: processStart(process.pid) } } : {};
  return { v: 1, id, digest: binding.digest, state, at: now().toISOString(), ...holder };
}

function termsText({ approvers, quorum }: ApprovalTerms): string {
  return canonicalJson({ approvers: approvers === undefined ? null : [...approvers], quorum });
}

import { isOver } from "./approval-clock.ts";
import type { PendingRecord, UsedRecord } from "./approval-records.ts";
import type { ApprovalStore } from "./approval-store.ts";

/** Why a request lets no call run any more; each is told once, then the same call may ask anew. */
export type Ending = "denied" | "expired" | "stale" | "used" | "indeterminate";

/** A request of this session that was filed and has not ended. */
export interface OpenRequest {
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly expires_at: string;
}

/** What the desk of a session needs. */
export interface DeskOptions {
  readonly store: ApprovalStore;
  readonly now: () => Date;
  /** Told what could not be written down about a call that has ended. */
  readonly report: (problem: unknown) => void;
}

/** A request as one desk knows it. */
export interface Filed extends OpenRequest {
  /** As it was when this desk first saw it: what becomes of it in the store changes nothing. */
  readonly record: PendingRecord;
  readonly call: string;
  /** Whether its terms are those of our policy. */
  isOurs: boolean;
  used?: UsedRecord["state"];
  ending?: Ending;
}

/** The desk of one session. */
export interface Desk extends DeskOptions {
  /** Requests that this desk has filed or met, by id. */
  readonly known: Map<string, Filed>;
}

/** What this desk knows of a request of the store. */
export function filedOf({ known }: Desk, record: PendingRecord, call: string): Filed {
  const filed = known.get(record.id) ?? { id: record.id, expires_at: record.expires_at, record, call, isOurs: false };
  known.set(record.id, filed);
  return filed;
}

/** A request lets no call run any more; the next equal call may ask anew. */
export async function endFiled(desk: Desk, filed: Filed, kind: Ending): Promise<void> {
  filed.ending = kind;
  await forget(desk, filed);
}

/** That this desk has used a request is known to it for as long as the request lives, whatever a shared store says later. */
export async function forget({ store, known, now }: Desk, { id, call }: Filed): Promise<void> {
  await store.forget(call, id);
  for (const [each, { used, record }] of known) if (used === undefined ? each === id : isOver(record, now())) known.delete(each);
}

/** Creates the record of the use, once. */
export async function closeFiled(desk: Desk, filed: Filed, state: "executing" | "stale"): Promise<boolean> {
  const created = await desk.store.take(useRecord(desk, filed, state));
  if (created) filed.used = state;
  return created;
}

/** The record of a use, as it stands now. */
export function useRecord({ now }: Desk, { id, record }: Filed, state: UsedRecord["state"]): UsedRecord {
  return { v: 1, id, digest: record.digest, state, at: now().toISOString() };
}

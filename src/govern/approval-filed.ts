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
  /**
   * As it was when this desk first saw it: what becomes of it in the store changes nothing. Of the text that is shown, up to 1 MiB, the digest
   * is enough: an agent may leave any number of requests open.
   */
  readonly record: Omit<PendingRecord, "shown"> & { readonly shown: Pick<PendingRecord["shown"], "digest"> };
  /** Of the call alone. */
  readonly call: string;
  /** Whether its terms are those of our policy. */
  isOurs: boolean;
  used?: UsedRecord["state"];
  ending?: Ending;
}

/** The desk of one session. */
export interface Desk extends DeskOptions {
  /** The one open request of each call, filed or met by this desk. */
  readonly open: Map<string, Filed>;
}

/** Takes a request for the open one of a call. */
export function opened(desk: Desk, record: PendingRecord, { call, isOurs }: Pick<Filed, "call" | "isOurs">): Filed {
  const { id, expires_at, shown } = record;
  const filed: Filed = { id, expires_at, record: { ...record, shown: { digest: shown.digest } }, call, isOurs };
  desk.open.set(call, filed);
  return filed;
}

/** A request lets no call run any more; the next equal call may ask anew. */
export async function endFiled(desk: Desk, filed: Filed, kind: Ending): Promise<void> {
  filed.ending = kind;
  await forget(desk, filed);
}

/** The call of a request has no open request any more. */
export async function forget(desk: Desk, { record, call }: Filed): Promise<void> {
  await desk.store.forget(record);
  if (desk.open.get(call)?.id === record.id) desk.open.delete(call);
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

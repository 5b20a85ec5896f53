import type { CallStore, Claimed, ClaimRequest, Settled, Settlement } from "./store.ts";

interface LedgerEntry {
  readonly fingerprint: string;
  readonly until: number;
  readonly claim?: { readonly owner: string; readonly entryId: string; readonly leaseUntil: number };
  readonly terminal?: { readonly status: string; readonly body: string; readonly owner?: string };
}

/** What the ledger changes at the entry of a call. */
export interface EntryPort {
  /** Begins its idle time anew; false when it is not pending. */
  touch(worker: string, entryId: string): boolean;
  settle(settlement: Settlement): Settled;
}

/**
 * The ledger in this process, with the same answers as in Redis.
 * @param now Unix milliseconds
 */
export function memoryLedger(now: () => number, entries: EntryPort): Pick<CallStore, "claim" | "renew" | "finish"> {
  const ledger = new Map<string, LedgerEntry>();
  const alive = (operationId: string): LedgerEntry | undefined => {
    const entry = ledger.get(operationId);
    if (entry !== undefined && entry.until <= now()) ledger.delete(operationId);
    return ledger.get(operationId);
  };
  const begin = ({ worker, operationId, fingerprint, token, entryId, leaseMs, ttl, exhausted }: ClaimRequest): Claimed => {
    if (exhausted) return { kind: "exhausted" };
    if (!entries.touch(worker, entryId)) return { kind: "gone" };
    const claim = { owner: token, entryId, leaseUntil: now() + leaseMs };
    ledger.set(operationId, { fingerprint, until: now() + ttl * 1_000, claim });
    return { kind: "claimed" };
  };
  const claim = (request: ClaimRequest): Claimed => {
    const entry = alive(request.operationId);
    if (entry === undefined) return request.requireExisting ? { kind: "stale" } : begin(request);
    if (entry.fingerprint !== request.fingerprint) return { kind: "conflict" };
    if (entry.terminal !== undefined) return { kind: "terminal", status: entry.terminal.status, body: entry.terminal.body };
    if ((entry.claim?.leaseUntil ?? 0) > now()) return { kind: entry.claim?.entryId === request.entryId ? "waiting" : "in_progress" };
    if (request.repeatable) return begin(request);
    const terminal = { status: "indeterminate", body: request.unknownBody };
    ledger.set(request.operationId, { fingerprint: request.fingerprint, until: now() + request.ttl * 1_000, terminal });
    return { kind: "terminal", ...terminal };
  };
  return {
    claim: async (request) => claim(request),
    async renew({ operationId, token, leaseMs, worker, entryId }) {
      const entry = alive(operationId);
      if (entry?.claim?.owner !== token) return false;
      ledger.set(operationId, { ...entry, claim: { ...entry.claim, leaseUntil: now() + leaseMs } });
      entries.touch(worker, entryId);
      return true;
    },
    async finish({ operationId, token, fingerprint, status, body, ttl, entryId, reply }) {
      const entry = alive(operationId);
      if (entry !== undefined && (entry.claim ?? entry.terminal)?.owner !== token) return "lost";
      if (entry?.terminal === undefined)
        ledger.set(operationId, { fingerprint, until: now() + ttl * 1_000, terminal: { status, body, owner: token } });
      return entries.settle({ entryId, reply });
    },
  };
}

import type { CallStore, Claimed, ClaimRequest } from "./store.ts";

interface LedgerEntry {
  readonly fingerprint: string;
  readonly until: number;
  readonly claim?: { readonly owner: string; readonly entryId: string; readonly leaseUntil: number };
  readonly terminal?: { readonly status: string; readonly body: string };
}

/**
 * The ledger in this process, with the same answers as in Redis.
 * @param now Unix milliseconds
 */
export function memoryLedger(now: () => number): Pick<CallStore, "claim" | "renew" | "finish"> {
  const ledger = new Map<string, LedgerEntry>();
  const alive = (operationId: string): LedgerEntry | undefined => {
    const entry = ledger.get(operationId);
    if (entry !== undefined && entry.until <= now()) ledger.delete(operationId);
    return ledger.get(operationId);
  };
  const begin = ({ operationId, fingerprint, token, entryId, leaseMs, ttl, exhausted }: ClaimRequest): Claimed => {
    if (exhausted) return { kind: "exhausted" };
    const claim = { owner: token, entryId, leaseUntil: now() + leaseMs };
    ledger.set(operationId, { fingerprint, until: now() + ttl * 1_000, claim });
    return { kind: "claimed" };
  };
  const claim = (request: ClaimRequest): Claimed => {
    const entry = alive(request.operationId);
    if (entry === undefined) return request.requireExisting ? { kind: "stale" } : begin(request);
    if (entry.fingerprint !== request.fingerprint) return { kind: "conflict" };
    if (entry.terminal !== undefined) return { kind: "terminal", ...entry.terminal };
    const leftMs = (entry.claim?.leaseUntil ?? 0) - now();
    if (leftMs > 0) return entry.claim?.entryId === request.entryId ? { kind: "waiting", leftMs } : { kind: "in_progress" };
    if (request.repeatable) return begin(request);
    const terminal = { status: "indeterminate", body: request.unknownBody };
    ledger.set(request.operationId, { fingerprint: request.fingerprint, until: now() + request.ttl * 1_000, terminal });
    return { kind: "terminal", ...terminal };
  };
  return {
    claim: async (request) => claim(request),
    async renew(operationId, token, leaseMs) {
      const entry = alive(operationId);
      if (entry?.claim?.owner !== token) return false;
      ledger.set(operationId, { ...entry, claim: { ...entry.claim, leaseUntil: now() + leaseMs } });
      return true;
    },
    async finish({ operationId, token, fingerprint, status, body, ttl }) {
      const entry = alive(operationId);
      if (entry !== undefined && entry.claim?.owner !== token) return false;
      ledger.set(operationId, { fingerprint, until: now() + ttl * 1_000, terminal: { status, body } });
      return true;
    },
  };
}

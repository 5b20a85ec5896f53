import { createWithdrawal, type OwnWithdrawal, type Withdrawal } from "../call/withdrawal.ts";
import type { RequestId } from "./request-id.ts";

/** A request that waits for its answer. */
export interface Flight {
  readonly signal: Withdrawal;
  /**
   * Ends the wait.
   * @returns whether the answer is still wanted: false after an accepted cancellation
   */
  land(): boolean;
}

/** The requests of one connection that were not answered yet. */
export interface InFlight {
  /**
   * Registers a request.
   * @param cancellable false for `initialize`, which must not be cancelled
   * @returns undefined when an equal id (type and value) is in flight
   */
  open(id: RequestId, cancellable: boolean): Flight | undefined;
  /** Aborts a request; nothing is answered for it any more. An id that is not in flight is ignored. */
  cancel(key: string): boolean;
  /** Aborts all requests; they are still answered. */
  abortAll(): void;
  /** Resolves as soon as no answer is owed. */
  idle(): Promise<void>;
}

interface Entry {
  readonly own: OwnWithdrawal;
  readonly cancellable: boolean;
}

/** Keeps ids by type and value, so that the id 0 and the id "0" are two (reference/gateway.md, Pumping; trial M01). */
export function createInFlight(): InFlight {
  const entries = new Map<string, Entry>();
  let waiting: (() => void)[] = [];

  const remove = (key: string): void => {
    entries.delete(key);
    if (entries.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };

  return {
    open(id, cancellable) {
      if (entries.has(id.key)) return undefined;
      const entry: Entry = { own: createWithdrawal(), cancellable };
      entries.set(id.key, entry);
      return { signal: entry.own.withdrawal, land: () => entries.get(id.key) === entry && (remove(id.key), true) };
    },
    cancel(key) {
      const entry = entries.get(key);
      if (!entry?.cancellable) return false;
      remove(key);
      entry.own.abort();
      return true;
    },
    abortAll() {
      for (const { own } of entries.values()) own.abort();
    },
    idle: () => (entries.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}

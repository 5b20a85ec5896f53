import { DelegateError } from "./delegate-error.ts";
import type { SessionStore } from "./store.ts";

/** What a store in memory is made with. */
export interface MemoryStoreOptions {
  /** Unix milliseconds; the clock unless given. */
  readonly now?: () => number;
  /** Most records that are kept at the same time; 100,000 unless given. */
  readonly maxRecords?: number;
}

const STORES = new WeakSet();

/** Keeps session records in this process: for one process without Redis, and for tests. */
export type MemoryStore = SessionStore;

interface Kept {
  readonly bytes: Buffer;
  until: number;
}

/**
 * A store in memory with the same port as Redis (reference: tool sessions, §10): expiry is checked when a record is read, the size is
 * bounded, and a full store fails like one that cannot be reached.
 */
export function createMemoryStore({ now = Date.now, maxRecords = 100_000 }: MemoryStoreOptions = {}): MemoryStore {
  const records = new Map<string, Kept>();
  const alive = (key: string): Kept | undefined => {
    const found = records.get(key);
    if (found !== undefined && found.until <= now()) records.delete(key);
    return records.get(key);
  };
  const makeRoom = (): void => {
    if (records.size < maxRecords) return;
    for (const key of records.keys()) alive(key);
    if (records.size >= maxRecords) throw new DelegateError("store_unavailable", "the store in memory is full");
  };
  const store: MemoryStore = Object.freeze({
    // Every step is synchronous inside one turn: nothing can come between the comparison and what follows from it.
    async bind({ key, text, ttl, expected }: Parameters<SessionStore["bind"]>[0]) {
      const until = now() + ttl * 1_000;
      const found = alive(key);
      if (found === undefined) {
        makeRoom();
        records.set(key, { bytes: Buffer.from(text), until });
        return { kind: "stored" as const };
      }
      if (!found.bytes.equals(expected ?? Buffer.from(text))) return { kind: "other" as const, record: Uint8Array.from(found.bytes) };
      found.until = Math.max(found.until, until);
      return { kind: "kept" as const };
    },
    async read(key: string) {
      const found = alive(key);
      return found === undefined ? undefined : Uint8Array.from(found.bytes);
    },
  });
  STORES.add(store);
  return store;
}

/** Whether a value was made by `createMemoryStore`. */
export function isMemoryStore(value: unknown): value is MemoryStore {
  return typeof value === "object" && value !== null && STORES.has(value);
}

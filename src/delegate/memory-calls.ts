import { DelegateError } from "./delegate-error.ts";
import { memoryLedger } from "./memory-ledger.ts";
import type { CallStore, Entry, FrontStore, Publication, Published, Settled, Settlement } from "./store.ts";

/** Front and workers of one process, without Redis. */
export interface MemoryCalls {
  readonly front: FrontStore;
  readonly calls: CallStore;
  /** Dead letters so far, as lists of fields. */
  readonly letters: readonly (readonly string[])[];
}

interface Pending {
  worker: string;
  idleSince: number;
  deliveries: number;
}

interface Waiting extends Entry {
  pending?: Pending;
}

const MOST_LANE_ENTRIES = 10_000;

/** What front and workers share. */
interface Shared {
  readonly now: () => number;
  readonly entries: Map<string, Waiting>;
  readonly proofs: Map<string, { readonly proof: string; readonly until: number }>;
  readonly lanes: Map<string, Entry[]>;
  readonly letters: string[][];
  readonly wakers: Set<() => void>;
  sequence: number;
}

/**
 * The stream, its group, the ledger and the reply lanes in this process, with the same ports and the same answers as in Redis: the embedded
 * default. Every step is synchronous inside one turn, which is what makes it atomic.
 * @param now Unix milliseconds
 */
export function createMemoryCalls(now: () => number = Date.now): MemoryCalls {
  const shared: Shared = { now, entries: new Map(), proofs: new Map(), lanes: new Map(), letters: [], wakers: new Set(), sequence: 0 };
  const ledger = memoryLedger(now, {
    touch: (worker, entryId) => touch(shared, worker, entryId),
    settle: (settlement) => settle(shared, settlement),
  });
  return { letters: shared.letters, front: frontOf(shared), calls: { ...ledger, ...callsOf(shared) } };
}

function frontOf(shared: Shared): FrontStore {
  const { lanes, wakers } = shared;
  return {
    publish: async (call) => publish(shared, call),
    async replies(lane, waitMs) {
      await until(() => (lanes.get(lane)?.length ?? 0) > 0, { waitMs, wakers });
      return [...(lanes.get(lane) ?? [])];
    },
    async dropReplies(lane, ids) {
      const left = (lanes.get(lane) ?? []).filter(({ id }) => !ids.includes(id));
      if (left.length === 0) lanes.delete(lane);
      else lanes.set(lane, left);
    },
  };
}

function callsOf(shared: Shared): Omit<CallStore, "claim" | "renew" | "finish"> {
  const { now, entries, wakers, letters } = shared;
  const fresh = (): Waiting[] => [...entries.values()].filter(({ pending }) => pending === undefined);
  const give = (found: readonly Waiting[], worker: string): Entry[] => found.map((entry) => hand(shared, entry, worker));
  return {
    prepare: async () => undefined,
    async readNew(worker, { count, waitMs }) {
      await until(() => fresh().length > 0, { waitMs, wakers });
      return give(fresh().slice(0, count), worker);
    },
    async readOwn(worker, { after, count }) {
      const ids = [...entries.keys()];
      const own = ids.slice(ids.indexOf(after) + 1).flatMap((id) => entries.get(id) ?? []);
      return give(own.filter(({ pending }) => pending?.worker === worker).slice(0, count), worker);
    },
    async takeOver(worker, { count, idleMs }) {
      const idle = [...entries.values()].filter(({ pending }) => pending !== undefined && now() - pending.idleSince >= idleMs);
      return { next: "0-0", entries: give(idle.slice(0, count), worker), deleted: 0 };
    },
    deliveries: async (entryId) => entries.get(entryId)?.pending?.deliveries ?? 0,
    proof: async (operationId) => proofFor(shared, operationId),
    settle: async (settlement) => settle(shared, settlement),
    depths: async () => ({ calls: entries.size, deadLetters: letters.length }),
  };
}

function publish(shared: Shared, { operationId, proof, data, ttl, limit }: Publication): Published {
  const { entries, proofs, now } = shared;
  const found = proofFor(shared, operationId);
  if (found !== undefined) return found === proof ? "known" : "conflict";
  if (entries.size >= limit) return "busy";
  proofs.set(operationId, { proof, until: now() + ttl * 1_000 });
  const id = nextId(shared);
  entries.set(id, { id, data: Buffer.from(data) });
  wake(shared);
  return "published";
}

function hand({ now }: Shared, entry: Waiting, worker: string): Entry {
  entry.pending = { worker, idleSince: now(), deliveries: (entry.pending?.deliveries ?? 0) + 1 };
  return { id: entry.id, data: entry.data };
}

function touch({ entries, now }: Shared, worker: string, entryId: string): boolean {
  const pending = entries.get(entryId)?.pending;
  if (pending !== undefined) Object.assign(pending, { worker, idleSince: now() });
  return pending !== undefined;
}

function settle(shared: Shared, { entryId, reply, letter }: Settlement): Settled {
  const { entries, letters, lanes } = shared;
  if (entries.get(entryId)?.pending === undefined) return "gone";
  if (letter !== undefined) letters.push([...letter]);
  if (reply !== undefined) addReply(lanes, reply.lane, { id: nextId(shared), data: Buffer.from(reply.data) });
  entries.delete(entryId);
  wake(shared);
  return "settled";
}

function proofFor({ proofs, now }: Shared, operationId: string): string | undefined {
  const kept = proofs.get(operationId);
  if (kept !== undefined && kept.until <= now()) proofs.delete(operationId);
  return proofs.get(operationId)?.proof;
}

function nextId(shared: Shared): string {
  shared.sequence += 1;
  return `${shared.now()}-${shared.sequence}`;
}

function wake({ wakers }: Shared): void {
  for (const waker of wakers) waker();
}

function addReply(lanes: Map<string, Entry[]>, lane: string, entry: Entry): void {
  const entries = lanes.get(lane) ?? [];
  if (entries.length >= MOST_LANE_ENTRIES) throw new DelegateError("store_unavailable", "the reply lane in memory is full");
  entries.push(entry);
  lanes.set(lane, entries);
}

/** Waits until something holds, looking again at each change. */
async function until(holds: () => boolean, { waitMs, wakers }: { waitMs: number; wakers: Set<() => void> }): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      wakers.delete(look);
      resolve();
    };
    const look = (): void => {
      if (holds()) done();
    };
    const timer = setTimeout(done, waitMs);
    wakers.add(look);
  });
}

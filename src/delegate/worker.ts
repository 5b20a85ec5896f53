import { setTimeout as sleep } from "node:timers/promises";
import { redisErrorWord } from "../redis/connection.ts";
import type { DelegatedCall, DelegatedEnd } from "./delegated-call.ts";
import { handleEntry } from "./handle-entry.ts";
import type { JudgeOptions } from "./judge-entry.ts";
import type { Entry } from "./store.ts";
import { createWorkerCounts } from "./worker-metrics.ts";
import type { WorkerCounts } from "./worker-metrics.ts";

/** What a worker is made of. */
export interface WorkerOptions extends JudgeOptions {
  /** A worker that is started again under its name settles first what it left. */
  readonly name: string;
  /** Most calls that run at the same time. */
  readonly atOnce: number;
  /** Runs a claimed call through the corridor; must not throw. */
  readonly execute: (call: DelegatedCall) => Promise<DelegatedEnd>;
  /** Takes one line for the operator. */
  readonly note: (line: string) => void;
}

/** A worker that runs. */
export interface RunningWorker {
  readonly counts: WorkerCounts;
  /** Whether it has begun to read, and no loop's last contact with the store failed. */
  isReady(): boolean;
  /** Reads nothing more and resolves when the running calls are settled. The caller closes the waiting connection. */
  drain(): Promise<void>;
}

/** What the loops of a worker share. */
export interface WorkerState extends WorkerOptions {
  readonly counts: WorkerCounts;
  /** Entries that are being handled here. */
  readonly handling: Map<string, Promise<void>>;
  /** Entries whose own claim was alive: the next sweep looks at them again. */
  readonly waiting: Map<string, { readonly entry: Entry; readonly deliveries: number }>;
  /** Loops that the store failed last, and have not got on since; at first none has read. */
  readonly stuck: Set<Loop>;
  /** Whether the store kept the last entry from being handled. */
  isLeaving: boolean;
  stopping: boolean;
}

type Loop = "start" | "read" | "sweep";

const WAIT_MS = 2_000;
const RETRY_MS = 250;
const ROOM_MS = 50;
const BATCH = 16;

/**
 * Starts a worker on the call stream (reference: tool sessions, §14). First its own unfinished entries, then new ones (trial D04); in
 * between it takes over what others abandoned. It reads no more than it can begin at once, so nothing waits in its memory.
 */
export function startWorker(options: WorkerOptions): RunningWorker {
  const own = { counts: createWorkerCounts(), handling: new Map(), waiting: new Map(), stuck: new Set<Loop>(["start"]) };
  const state: WorkerState = { ...options, ...own, isLeaving: false, stopping: false };
  const stop = new AbortController();
  const loops = [readLoop(state, stop.signal), sweepLoop(state, stop.signal)];
  return {
    counts: state.counts,
    isReady: () => state.stuck.size === 0 && !state.stopping,
    async drain() {
      state.stopping = true;
      stop.abort();
      await Promise.allSettled(loops);
      await Promise.all(state.handling.values());
    },
  };
}

async function readLoop(state: WorkerState, stop: AbortSignal): Promise<void> {
  let isFresh = true;
  while (!state.stopping) {
    try {
      if (isFresh) {
        await state.calls.prepare();
        await settleOwn(state);
        isFresh = false;
        state.stuck.delete("start");
        state.stuck.delete("read");
      }
      if (state.stopping) return;
      // Asked for at once: in between the other loop could begin something, and a count of 0 means all that wait.
      const room = state.atOnce - state.handling.size;
      if (room < 1) {
        await anEnd(state);
        continue;
      }
      const entries = await state.calls.readNew(state.name, { count: room, waitMs: WAIT_MS });
      if (!state.stopping) for (const entry of entries) begin(state, entry, 1);
    } catch (error) {
      isFresh = true;
      await failed(state, { loop: "read", error, stop });
    }
  }
}

/** Settles what this worker had before, under the same name. */
async function settleOwn(state: WorkerState): Promise<void> {
  for (let after = "0"; !state.stopping;) {
    await roomFor(state);
    if (state.stopping) return;
    const entries = await state.calls.readOwn(state.name, { after, count: BATCH });
    for (const entry of entries) await beginAgain(state, entry);
    const last = entries.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function sweepLoop(state: WorkerState, stop: AbortSignal): Promise<void> {
  const { claimSweep, claimMinIdle } = state.horizon;
  while (!state.stopping) {
    await sleep(claimSweep * 1_000, undefined, { signal: stop }).catch(() => undefined);
    lookAgain(state);
    try {
      for (let from = "0-0"; !state.stopping;) {
        await roomFor(state);
        if (state.stopping) return;
        const found = await state.calls.takeOver(state.name, { from, count: BATCH, idleMs: claimMinIdle * 1_000 });
        for (let gone = 0; gone < found.deleted; gone += 1) state.counts.count("deleted_while_pending");
        for (const entry of found.entries) await beginAgain(state, entry);
        from = found.next;
        if (from === "0-0") break;
      }
      state.stuck.delete("sweep");
    } catch (error) {
      if (redisErrorWord(error) !== "NOGROUP") await failed(state, { loop: "sweep", error, stop });
    }
  }
}

function lookAgain(state: WorkerState): void {
  for (const [id, { entry, deliveries }] of state.waiting) {
    if (state.stopping || state.handling.has(id)) continue;
    state.waiting.delete(id);
    begin(state, entry, deliveries);
  }
}

/** What was handed out before has slots of its own: abandoned calls are settled also while all others are taken. */
async function roomFor(state: WorkerState): Promise<void> {
  while (state.handling.size >= 2 * state.atOnce && !state.stopping) await sleep(ROOM_MS);
}

/** Handles an entry that was handed out before. */
async function beginAgain(state: WorkerState, entry: Entry): Promise<void> {
  if (state.stopping || state.handling.has(entry.id)) return;
  if (entry.deleted === true) {
    state.counts.count("deleted_while_pending");
    await state.calls.settle({ entryId: entry.id });
    return;
  }
  begin(state, entry, await state.calls.deliveries(entry.id));
}

function begin(state: WorkerState, entry: Entry, deliveries: number): void {
  const done = handleEntry(state, entry, deliveries).finally(() => {
    state.handling.delete(entry.id);
    wakeReader(state);
  });
  state.handling.set(entry.id, done);
}

const readers = new WeakMap<WorkerState, () => void>();

function wakeReader(state: WorkerState): void {
  readers.get(state)?.();
}

/** Waits until one of the entries that are being handled is done with. */
async function anEnd(state: WorkerState): Promise<void> {
  await new Promise<void>((resolve) => {
    readers.set(state, resolve);
  });
}

interface Failure {
  readonly loop: Loop;
  readonly error: unknown;
  readonly stop: AbortSignal;
}

/** One line until all loops get on again. */
async function failed(state: WorkerState, { loop, error, stop }: Failure): Promise<void> {
  if (state.stopping) return;
  if (!state.stuck.has("read") && !state.stuck.has("sweep"))
    state.note(`the store fails: ${error instanceof Error ? error.message : "unknown"}`);
  state.stuck.add(loop);
  state.counts.count("store_failures");
  await sleep(RETRY_MS, undefined, { signal: stop }).catch(() => undefined);
}

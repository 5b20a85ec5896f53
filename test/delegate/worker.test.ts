import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { DelegatedEnd } from "../../src/delegate/delegated-call.ts";
import { createFront } from "../../src/delegate/front.ts";
import { keysOf } from "../../src/delegate/keys.ts";
import { createMemoryCalls, type MemoryCalls } from "../../src/delegate/memory-calls.ts";
import { createMemoryStore } from "../../src/delegate/memory-store.ts";
import { startWorker, type RunningWorker, type WorkerOptions } from "../../src/delegate/worker.ts";
import { StoreError } from "../../src/redis/store-error.ts";

/** Fractions of a second, so that sweeps come soon. */
const HORIZON = {
  turnCheckpointTtl: 20,
  executionLease: 5,
  claimMinIdle: 0.05,
  claimSweep: 0.02,
  maxDeliveries: 3,
  maxExec: 5,
  proofTtl: 60,
};

/** A front and one worker in this process; what the worker executes is given. */
function together(memory: MemoryCalls, { calls = memory.calls, ...change }: Partial<WorkerOptions>) {
  const parts = { keys: keysOf(), sessions: createMemoryStore(), proofKey: "key" };
  const notes: string[] = [];
  const start = (): RunningWorker => {
    const worker = startWorker({
      ...parts,
      // An end is not waited for as long as Redis would hold an answer back.
      calls: { ...calls, readNew: (worker, { count }) => calls.readNew(worker, { count, waitMs: 50 }) },
      horizon: HORIZON,
      name: "w",
      atOnce: 1,
      isRepeatable: () => false,
      execute: async () => ({ status: "ok", result: { content: [] } }),
      note: (line) => void notes.push(line),
      ...change,
    });
    onTestFinished(() => worker.drain());
    return worker;
  };
  const front = createFront({ ...parts, store: memory.front, proofTtl: HORIZON.proofTtl, laneId: "front", limit: 100 });
  onTestFinished(() => front.close());
  const identity = { user_id: "u", platform: "p" };
  const call = () => front.call({ tool: "tool", args: {}, identity, context: {}, signal: new AbortController().signal });
  return { start, call, notes };
}

/** Something that is waited for. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe("a worker", () => {
  it("is ready again when the store is, whichever of its loops met the fault", async () => {
    const memory = createMemoryCalls();
    let faults = 0;
    const takeOver: WorkerOptions["calls"]["takeOver"] = async (worker, read) => {
      if (faults === 0) return memory.calls.takeOver(worker, read);
      faults -= 1;
      throw new StoreError("store_unavailable", "no answer");
    };
    const { start, notes } = together(memory, { calls: { ...memory.calls, takeOver } });
    const worker = start();
    await expect.poll(() => worker.isReady()).toBe(true);
    faults = 2;
    await expect.poll(() => worker.isReady(), { interval: 5 }).toBe(false);
    await expect.poll(() => worker.isReady()).toBe(true);
    expect(notes).toEqual(["the store fails: no answer"]);
  });

  it("never asks for more than it has room for, however its loops interleave", async () => {
    for (let turns = 0; turns < 16; turns += 1) {
      const memory = createMemoryCalls();
      const counts: number[] = [];
      const settledOwn = gate();
      const takenOver = gate();
      const calls: WorkerOptions["calls"] = {
        ...memory.calls,
        readOwn: () => settledOwn.opened.then(() => []),
        async deliveries() {
          takenOver.open();
          await settledOwn.opened;
          for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          return 2;
        },
        readNew(worker, read) {
          counts.push(read.count);
          return memory.calls.readNew(worker, { ...read, waitMs: 1 });
        },
      };
      const { start, call } = together(memory, { calls, execute: () => sleep(20, { status: "ok", result: { content: [] } }) });
      void call();
      await memory.calls.readNew("dead", { count: 1, waitMs: 1_000 });
      const worker = start();
      await takenOver.opened;
      settledOwn.open();
      await sleep(10);
      await worker.drain();
      // For Redis a count of none, or of fewer, is all that there is.
      expect([turns, counts.filter((count) => count < 1)]).toEqual([turns, []]);
    }
  });

  it("takes nothing more over once it is told to end", async () => {
    const memory = createMemoryCalls();
    const running: (() => void)[] = [];
    const execute = (): Promise<DelegatedEnd> =>
      new Promise((resolve) => void running.push(() => resolve({ status: "ok", result: { content: [] } })));
    const { start, call } = together(memory, { execute });
    const abandoned = async (): Promise<string> => {
      void call();
      const [entry] = await memory.calls.readNew("dead", { count: 1, waitMs: 1_000 });
      return entry?.id ?? "";
    };
    // Two calls run, one read and one taken over: there is no room for a third.
    await abandoned();
    const worker = start();
    void call();
    await expect.poll(() => running).toHaveLength(2);
    const third = await abandoned();
    await sleep(3 * HORIZON.claimMinIdle * 1_000);
    expect(await memory.calls.deliveries(third)).toBe(1);
    const drained = worker.drain();
    for (const end of running) end();
    await drained;
    expect(await memory.calls.deliveries(third)).toBe(1);
    expect(running).toHaveLength(2);
  });

  it("says when the store keeps its entries from being handled, once until one is", async () => {
    const memory = createMemoryCalls();
    let faults = 0;
    const proof: WorkerOptions["calls"]["proof"] = async (operationId) => {
      if (faults === 0) return memory.calls.proof(operationId);
      faults -= 1;
      throw new StoreError("store_unavailable", "Redis refused a command (NOPERM)");
    };
    const { start, call, notes } = together(memory, { calls: { ...memory.calls, proof } });
    start();
    for (let time = 1; time <= 2; time += 1) {
      faults = 2;
      expect(await call()).toMatchObject({ kind: "reply", reply: { status: "ok" } });
      expect(notes).toEqual(Array(time).fill("an entry is left for later: Redis refused a command (NOPERM)"));
    }
  });

  it("says which entry was forged", async () => {
    const memory = createMemoryCalls();
    const { start, call, notes } = together(memory, { proofKey: "another" });
    start();
    expect(await call()).toMatchObject({ kind: "reply", reply: { error: { code: "proof_invalid" } } });
    expect(notes).toEqual([expect.stringMatching(/^security: entry \d+-\d+ is refused as `proof_invalid`$/)]);
  });

  it("keeps a result until the store takes it, whatever the clock does meanwhile", async () => {
    const memory = createMemoryCalls();
    let faults = 2;
    const finish: WorkerOptions["calls"]["finish"] = async (end) => {
      if (faults === 0) return memory.calls.finish(end);
      faults -= 1;
      vi.setSystemTime(Date.now() + 86_400_000);
      throw new StoreError("store_unavailable", "no answer");
    };
    onTestFinished(() => void vi.useRealTimers());
    const { start, call } = together(memory, { calls: { ...memory.calls, finish } });
    vi.useFakeTimers({ toFake: ["Date"] });
    const worker = start();
    expect(await Promise.race([call(), sleep(3_000, "no answer")])).toMatchObject({ kind: "reply", reply: { status: "ok" } });
    expect(worker.counts.byEnd.get("ok")).toBe(1);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Thread } from "../../src/starlark/thread.ts";
import { createThreads } from "../../src/starlark/threads.ts";

interface Started extends Thread {
  readonly name: number;
  dead: boolean;
}

/** A source of threads that only count. */
function counting() {
  const started: Started[] = [];
  const start = (): Promise<Thread> => {
    const thread: Started = {
      name: started.length,
      dead: false,
      begin: () => undefined,
      reply: () => undefined,
      alive: () => !thread.dead,
      end: () => ((thread.dead = true), Promise.resolve()),
    };
    started.push(thread);
    return Promise.resolve(thread);
  };
  return { started, threads: createThreads(start) };
}

const nameOf = (thread: Thread): number => (thread as Started).name;

describe("threads", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("starts nothing before the first is wanted, and one spare when told", async () => {
    const { started, threads } = counting();
    expect(started).toHaveLength(0);
    expect(nameOf(await threads.take())).toBe(0);
    threads.prepare();
    threads.prepare();
    expect(started).toHaveLength(2);
    expect(nameOf(await threads.take())).toBe(1);
    expect(nameOf(await threads.take())).toBe(2);
  });

  it("ends a spare that nobody takes in 3 seconds", async () => {
    const { started, threads } = counting();
    threads.prepare();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(started[0]?.dead).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(started[0]?.dead).toBe(true);
    expect(nameOf(await threads.take())).toBe(1);
  });

  it("does not end what was taken", async () => {
    const { started, threads } = counting();
    threads.prepare();
    await threads.take();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(started[0]?.dead).toBe(false);
  });

  it("does not give out a spare that has died", async () => {
    const { started, threads } = counting();
    threads.prepare();
    (started[0] as Started).dead = true;
    expect(nameOf(await threads.take())).toBe(1);
  });

  it("ends the spare when it is closed, and makes no other", async () => {
    const { started, threads } = counting();
    threads.prepare();
    await threads.close();
    threads.prepare();
    expect(started.map(({ dead }) => dead)).toEqual([true]);
  });

  it("tells the taker why none starts, and not the one who prepares", async () => {
    const threads = createThreads(() => Promise.reject(new Error("no memory")));
    threads.prepare();
    await expect(threads.take()).rejects.toThrow("no memory");
  });
});

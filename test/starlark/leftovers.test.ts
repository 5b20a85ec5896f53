import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStarlark } from "../../src/starlark/engine.ts";
import { endOf, evaluate, LIMITS, SLOW } from "./kit.ts";

const BOMBS = ['x = ["a" * (1 << 20) for i in range(100000)]', "x = list(range(3000000))"];

/** Threads of this process as the kernel counts them, and ports to threads. */
function threadsAndPorts(): { threads: number; ports: number } {
  const ports = process.getActiveResourcesInfo().filter((name) => /Worker|MessagePort/.test(name)).length;
  return { threads: readdirSync("/proc/self/task").length, ports };
}

async function bomb(count: number): Promise<unknown[]> {
  const engine = openStarlark({ limits: LIMITS });
  const ends = await Promise.all(Array.from({ length: count }, (_, index) => endOf(evaluate(engine, BOMBS[index % 2] ?? ""))));
  const good = await endOf(evaluate(engine, "x = 1"));
  await engine.close();
  return [...ends, good];
}

describe("after ten bombs", SLOW, () => {
  it("a good script runs, and no thread is left", async () => {
    // The first engine starts what Node itself keeps.
    await bomb(1);
    const before = threadsAndPorts();
    expect(await bomb(10)).toEqual([...Array.from({ length: 10 }, () => "out of memory"), { x: 1 }]);
    await expect.poll(threadsAndPorts).toEqual(before);
  });
});

import { execFileSync } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/policy/engine.ts";
import { loadEngine, type LoadOptions } from "../../src/policy/load.ts";
import { buildBundle, closeBuilds, decisionOf } from "./support/build.ts";

const SLOW = 180_000;
/** Three nested loops over the keys of an object, 10^9 steps for 1,000 of them, without any allocation that would end them earlier. */
const LOOPS = decisionOf(
  '{"allow": ok, "reasons": [], "effect": "none", "confirm": "none"}',
  `default ok := false
ok if { input.ok; not endless }
endless if { some x, _ in input.keys; some y, _ in input.keys; some z, _ in input.keys; x != y; y != z; z == "none" }
boom := "a" if input.boom
boom := "b" if input.boom
ok if boom == "c"`,
);
const ENDLESS = { ok: true, keys: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1])) };
let bundle: Uint8Array;
const open: Engine[] = [];

beforeAll(async () => {
  bundle = await buildBundle(LOOPS);
}, SLOW);
afterEach(() => {
  for (const engine of open.splice(0)) engine.close();
});
afterAll(closeBuilds);

async function load(options: LoadOptions): Promise<Engine> {
  const engine = await loadEngine(bundle, options);
  open.push(engine);
  return engine;
}

describe("engine with a deadline", { timeout: SLOW }, () => {
  it("decides as without one", async () => {
    const [worker, here] = [await load({ deadlineMs: 60_000 }), await load({})];
    for (const input of [{}, { ok: true }, { ok: true, text: "é😀".repeat(1000) }, { ok: Number.NaN }, { boom: true }, null]) {
      expect(worker.decide(input)).toEqual(here.decide(input));
    }
    expect([worker.digest, worker.name]).toEqual([here.digest, here.name]);
  });

  it("denies a policy that loops, and decides the next call (trials P01)", async () => {
    const faults: string[] = [];
    const engine = await load({ deadlineMs: 3000, onFault: (fault) => faults.push(fault.message) });
    for (let round = 0; round < 2; round += 1) {
      const denied = engine.decide(ENDLESS);
      expect([denied.allow, denied.reasons[0]?.code, denied.deny_reason]).toEqual([false, "policy.error", "policy: evaluation failed"]);
      expect(engine.decide({ ok: true }).allow).toBe(true);
    }
    expect(faults).toEqual(["no answer within 3000 ms", "no answer within 3000 ms"]);
  });

  it("goes on after the policy threw, without a new thread", async () => {
    const faults: string[] = [];
    const engine = await load({ deadlineMs: 60_000, onFault: (fault) => faults.push(fault.message) });
    expect(engine.decide({ boom: true }).reasons[0]?.code).toBe("policy.error");
    expect(engine.decide({ ok: true }).allow).toBe(true);
    expect(faults).toEqual(["Error: policy aborted: policy.rego:7:1: var assignment conflict"]);
  });

  it("denies when its thread was killed, and goes on with another (trials P01)", async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker) => threads.push(thread);
    process.on("worker", note);
    onTestFinished(() => {
      process.off("worker", note);
    });
    const faults: string[] = [];
    const engine = await load({ deadlineMs: 3000, onFault: (fault) => faults.push(fault.message) });
    const count = async () => {
      await setImmediate();
      return threads.length;
    };
    expect([engine.decide({ ok: true, n: 1 }).allow, await count()]).toEqual([true, 1]);
    // Killed, and nobody has noticed yet: nothing answers, so the call is denied at its deadline.
    void threads[0]?.terminate();
    expect(engine.decide({ ok: true, n: 2 }).reasons[0]?.code).toBe("policy.error");
    expect([engine.decide({ ok: true, n: 3 }).allow, await count()]).toEqual([true, 2]);
    // Killed and noticed: the next call starts another thread and is decided.
    await threads[1]?.terminate();
    expect([engine.decide({ ok: true, n: 4 }).allow, await count()]).toEqual([true, 3]);
    expect(faults).toEqual(["no answer within 3000 ms"]);
  });

  it("denies after close", async () => {
    const engine = await load({ deadlineMs: 60_000 });
    engine.close();
    expect(engine.decide({ ok: true }).reasons[0]?.code).toBe("policy.error");
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("refuses a deadline of %s", async (deadlineMs) => {
    await expect(loadEngine(bundle, { deadlineMs })).rejects.toThrow(RangeError);
  });

  it("lets the process end although nobody closed it, and writes nothing", () => {
    const script = `const { loadEngine } = await import(${JSON.stringify(new URL("../../dist/policy/load.js", import.meta.url).href)});
const engine = await loadEngine("default", { deadlineMs: 60_000 });
process.exitCode = engine.decide({}).allow ? 1 : 42;`;
    let status: unknown;
    try {
      execFileSync(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "pipe"], timeout: SLOW });
    } catch (error) {
      const failed = error as { status: unknown; stdout: Buffer; stderr: Buffer };
      status = [failed.status, failed.stdout.toString(), failed.stderr.toString()];
    }
    expect(status).toEqual([42, "", ""]);
  });
});

// Delegation alone: record, proof, stream, ledger and reply of calls whose handler does nothing, over Redis with 1, 2 and 4 workers, beside the
// same in this process's memory. Redis runs with appendfsync always, as it must (docs/scale.md).
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { openConnection } from "../dist/redis/connection.js";
import { createFront } from "../dist/delegate/front.js";
import { keysOf } from "../dist/delegate/keys.js";
import { createMemoryCalls } from "../dist/delegate/memory-calls.js";
import { createMemoryStore } from "../dist/delegate/memory-store.js";
import { redisFront } from "../dist/delegate/redis-front.js";
import { redisSessions } from "../dist/delegate/session-store.js";
import { startWorker } from "../dist/delegate/worker.js";
import { openPlace } from "../scripts/tools-service-kit.mjs";
import { percentile } from "./measure.mjs";

const WORKER = fileURLToPath(new URL("delegate-worker.mjs", import.meta.url));
const HORIZON = {
  turnCheckpointTtl: 60,
  executionLease: 20,
  claimMinIdle: 10,
  claimSweep: 5,
  maxDeliveries: 3,
  maxExec: 10,
  proofTtl: 90,
};
const AT_ONCE = 32;
const WARM_MS = 500;
const MEASURE_MS = 3_000;

const call = {
  tool: "run_shell",
  args: { command: "true" },
  identity: { user_id: "bench", platform: "os" },
  context: { path: "direct" },
};

async function measure(what, front) {
  const times = [];
  const started = performance.now();
  const lane = async () => {
    for (;;) {
      const begun = performance.now();
      if (begun - started > WARM_MS + MEASURE_MS) return;
      const answer = await front.call({ ...call, signal: new AbortController().signal });
      if (answer.kind !== "reply" || answer.reply.status !== "ok") throw new Error(`not ok: ${JSON.stringify(answer)}`);
      if (begun - started > WARM_MS) times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const sorted = times.toSorted((a, b) => a - b);
  return {
    what,
    "calls/s": Math.round((sorted.length / MEASURE_MS) * 1_000),
    "p50 ms": percentile(sorted, 0.5),
    "p99 ms": percentile(sorted, 0.99),
  };
}

async function inProcess() {
  const keys = keysOf();
  const { front: store, calls } = createMemoryCalls();
  const sessions = createMemoryStore();
  const parts = { keys, sessions, proofKey: "key" };
  const worker = startWorker({
    ...parts,
    calls,
    horizon: HORIZON,
    name: "memory",
    atOnce: AT_ONCE,
    isRepeatable: () => false,
    execute: async () => ({ status: "ok", result: { content: [] } }),
    note: () => undefined,
  });
  const front = createFront({ ...parts, store, proofTtl: HORIZON.proofTtl, laneId: "bench", limit: 10_000 });
  const row = await measure("in this process, without Redis", front);
  front.close();
  await worker.drain();
  return row;
}

async function overRedis(workers) {
  const place = await openPlace();
  const children = [];
  const [commands, holding] = [openConnection(place.url()), openConnection(place.url())];
  try {
    for (let index = 0; index < workers; index += 1) {
      const options = { url: place.url(), proofKey: place.key, horizon: HORIZON, name: `w${index}`, atOnce: AT_ONCE };
      const child = fork(WORKER, [JSON.stringify(options)]);
      children.push(child);
      await once(child, "message");
    }
    const keys = keysOf();
    const front = createFront({
      keys,
      sessions: redisSessions(commands.send),
      store: redisFront(keys, commands.send, holding.send),
      proofKey: place.key,
      proofTtl: HORIZON.proofTtl,
      laneId: "bench",
      limit: 10_000,
    });
    const row = await measure(`over Redis, ${workers} worker${workers === 1 ? "" : "s"}`, front);
    front.close();
    return row;
  } finally {
    for (const child of children) child.kill("SIGKILL");
    commands.close();
    holding.close();
    await place.end();
  }
}

/** One run, all in turn. */
export async function run() {
  const rows = [await inProcess()];
  for (const workers of [1, 2, 4]) rows.push(await overRedis(workers));
  return {
    title: `delegation: ${AT_ONCE} calls at a time, handler of 0 ms`,
    note: "front, Redis and workers share this machine's cores: more workers help where they have cores of their own",
    rows,
  };
}

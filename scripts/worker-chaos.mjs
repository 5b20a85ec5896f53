// Chaos run of delegated execution: two fronts, three workers, workers killed -9 and Redis restarted (with AOF) while calls are made. Every call
// must be answered exactly once, nothing may run twice, nothing may be lost. Usage: node scripts/worker-chaos.mjs [calls] [seed]
import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPlace } from "./tools-service-kit.mjs";

const { positionals } = parseArgs({ allowPositionals: true });
const calls = Number(positionals[0] ?? 10_000);
const seed = Number(positionals[1] ?? 1);
const WORKERS = 3;
const AT_ONCE = 8;
const BUNDLE = ["--bundle", "agent-session"];
/** The users that are shipped: what Redis reads back after a restart depends on them. */
const ACL_FILE = fileURLToPath(new URL("../deploy/regate.acl", import.meta.url));

/** A small generator of numbers below 1, so that a run can be repeated. */
function random(state) {
  let a = state;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const next = random(seed);
const place = await openPlace({ aclFile: ACL_FILE });
const startWorker = (index) => place.worker(`w${index}`, { user: "worker", more: BUNDLE });
const workers = await Promise.all(Array.from({ length: WORKERS }, (_, index) => startWorker(index)));
const fronts = await Promise.all(["f0", "f1"].map((name) => place.front(name, { user: "producer", more: BUNDLE })));
const ends = new Map();
const count = (name) => ends.set(name, (ends.get(name) ?? 0) + 1);
const answered = new Map();
let made = 0;
let done = 0;
let workerKills = 0;
let redisKills = 0;

/** Makes one call; one that was refused unexecuted is made again. */
async function makeCall(front, index) {
  for (;;) {
    const result = await front.callTool({ name: "run_shell", arguments: { command: `echo x >> m${index}` } }, undefined, {
      timeout: 120_000,
    });
    const code = result._meta?.["regate/decision"]?.code;
    if (result.isError !== true || (code !== "delegate.unavailable" && code !== "delegate.busy")) {
      count(result.isError === true ? code : "ok");
      answered.set(index, [...(answered.get(index) ?? []), result.isError === true ? code : "ok"]);
      done += 1;
      return;
    }
    count(`${code} (made again)`);
    if (place.runs(`m${index}`) > 0) throw new Error(`call ${index} was refused as unexecuted and has run`);
    await sleep(200);
  }
}

async function lane(front) {
  while (made < calls) {
    const index = made;
    made += 1;
    await makeCall(front, index);
  }
}

async function restartRedis() {
  redisKills += 1;
  await place.killRedis();
  await sleep(100 + next() * 400);
  await place.startRedis();
}

async function killWorker(which) {
  workerKills += 1;
  await workers[which].end("SIGKILL");
  workers[which] = await startWorker(which);
}

/** Breaks something each time so many calls were answered. */
async function chaos() {
  const every = Math.max(10, Math.floor(calls / 60));
  for (let at = every; at < calls; at += every) {
    const isReached = () => done >= at;
    while (!isReached()) await sleep(20);
    const what = next();
    const which = Math.floor(next() * WORKERS);
    // Some workers die with Redis: what they have claimed is then known from its append-only file alone.
    await Promise.all([what < 0.25 ? restartRedis() : undefined, what > 0.15 ? killWorker(which) : undefined]);
  }
}

const started = performance.now();
try {
  await Promise.all([...fronts.flatMap((front) => Array.from({ length: AT_ONCE }, () => lane(front))), chaos()]);
  const seconds = (performance.now() - started) / 1_000;
  const wrong = [];
  let twice = 0;
  let once = 0;
  for (let index = 0; index < calls; index += 1) {
    const runs = place.runs(`m${index}`);
    const answers = answered.get(index) ?? [];
    if (runs > 1) twice += 1;
    if (runs === 1) once += 1;
    if (answers.length !== 1) wrong.push(`call ${index}: ${answers.length} answers`);
    if (answers[0] === "ok" && runs !== 1) wrong.push(`call ${index}: answered ok, ran ${runs} times`);
    if (answers[0] !== "ok" && answers[0] !== "delegate.indeterminate") wrong.push(`call ${index}: ${answers[0]}`);
  }
  for (const [end, number] of [...ends].toSorted(([a], [b]) => (a < b ? -1 : 1))) process.stdout.write(`${end.padEnd(36)} ${number}\n`);
  for (const line of wrong.slice(0, 20)) process.stdout.write(`wrong: ${line}\n`);
  process.stdout.write(`workers killed ${workerKills}, Redis restarted ${redisKills}, ${seconds.toFixed(1)} s, seed ${seed}\n`);
  process.stdout.write(
    `${calls} calls, ${answered.size} answered, ${calls - answered.size} lost, ${once} ran once, ${twice} ran twice, ${ends.get("delegate.indeterminate") ?? 0} indeterminate, ${wrong.length} wrong\n`,
  );
  process.exitCode = wrong.length === 0 && twice === 0 && answered.size === calls ? 0 : 1;
} finally {
  await Promise.allSettled(fronts.map((front) => front.close()));
  await place.end();
}

// Added latency of the gateway over stdio: direct, Regate, and a Client-and-Server proxy of the SDK, in one run on one upstream.
// node bench/run.mjs gateway
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CALLS = 2_000;
const upstream = [process.execPath, "bench/gateway-upstream.mjs"];
const state = mkdtempSync(join(tmpdir(), "regate-bench-"));
const ways = {
  direct: upstream,
  regate: [process.execPath, "bin/regate.js", "proxy", "--bundle", "agent-session", "--state-dir", state, "--", ...upstream],
  "sdk proxy": [process.execPath, "bench/gateway-sdk-proxy.mjs", ...upstream],
};

function open([command, ...args]) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map();
  let held = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    held += chunk;
    for (let end = held.indexOf("\n"); end !== -1; end = held.indexOf("\n")) {
      const message = JSON.parse(held.slice(0, end));
      held = held.slice(end + 1);
      if (message.method === undefined) waiting.get(message.id)?.(message);
    }
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  return { child, send, ask };
}

async function measure(way) {
  const { child, send, ask } = open(way);
  await ask(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  send({ method: "notifications/initialized" });
  const took = [];
  for (let id = 1; id <= CALLS + 300; id += 1) {
    const start = performance.now();
    const answer = await ask(id, "tools/call", { name: "echo", arguments: { s: "x".repeat(64) } });
    if (answer.result?.isError) throw new Error(JSON.stringify(answer));
    if (id > 300) took.push(performance.now() - start);
  }
  child.stdin.end();
  child.kill();
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.floor(took.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Runs all ways three times, one after the other, and keeps each one's best round. */
export async function run() {
  const best = new Map();
  for (let round = 0; round < 3; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const now = await measure(way);
      const before = best.get(name);
      if (before === undefined || now.p50 < before.p50) best.set(name, now);
    }
  }
  rmSync(state, { recursive: true, force: true });
  const { p50: direct } = best.get("direct");
  const rows = [...best].map(([way, { p50, p99 }]) => ({ way, "p50 ms": p50, "p99 ms": p99, "added p50 ms": p50 - direct }));
  return { title: `tools/call over stdio, 64-byte argument, ${CALLS} sequential calls`, rows };
}

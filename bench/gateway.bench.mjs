// Added latency of gateways: direct, Regate, and a Client-and-Server proxy of the SDK over stdio; Regate, mcp-proxy and supergateway over
// Streamable HTTP, which is what those two serve. One upstream (over stdio) for all, one run. node bench/run.mjs gateway
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHttp } from "./gateway-http.mjs";
import { peerWays } from "./gateway-peers.mjs";
import { percentile } from "./measure.mjs";

const CALLS = 2_000;
const WARM_UP = 300;
const IN_FLIGHT = 32;
const upstream = [process.execPath, "bench/gateway-upstream.mjs"];
const state = mkdtempSync(join(tmpdir(), "regate-bench-"));
const regate = ["bin/regate.js", "proxy", "--bundle", "agent-session", "--state-dir", state];
const overStdio = {
  direct: upstream,
  regate: [process.execPath, ...regate, "--", ...upstream],
  "sdk proxy": [process.execPath, "bench/gateway-sdk-proxy.mjs", ...upstream],
};

/** A process that speaks over stdio. */
async function openStdio([command, ...args]) {
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
  const tell = (message) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve);
      tell({ id, method, params });
    });
  return { child, tell, ask, close: () => child.stdin.end() };
}

/** A process that listens on a port; it is spoken to once it accepts. */
async function listening(args, port) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "ignore"] });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode}`);
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return { child, ...(await openHttp(port)) };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function call(ask, id) {
  const answer = await ask(id, "tools/call", { name: "echo", arguments: { s: "x".repeat(64) } });
  if (answer.result === undefined || answer.result.isError) throw new Error(JSON.stringify(answer));
}

/** Sequential calls for the latency, then as many with some in flight for the rate; resident memory of the gateway alone at the end. */
async function measure({ child, tell, ask, close }) {
  await ask(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  await tell({ method: "notifications/initialized" });
  const took = [];
  let id = 1;
  for (; id <= CALLS + WARM_UP; id += 1) {
    const start = performance.now();
    await call(ask, id);
    if (id > WARM_UP) took.push(performance.now() - start);
  }
  const start = performance.now();
  const last = id + CALLS;
  const lane = async () => {
    while (id < last) await call(ask, (id += 1));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const rate = CALLS / ((performance.now() - start) / 1_000);
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  const gone = new Promise((resolve) => child.once("exit", resolve));
  close();
  child.kill();
  await gone;
  const sorted = took.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), rate, rss: Number(kilobytes) / 1024 };
}

/** Runs all ways three times, one after the other, and keeps each one's best round. */
export async function run() {
  const best = new Map();
  for (let round = 0; round < 3; round += 1) {
    for (const [way, command] of Object.entries(overStdio))
      keep(best, { transport: "stdio", way }, await measure(await openStdio(command)));
    const port = await freePort();
    const overHttp = { regate: [...regate, "--listen", `127.0.0.1:${port}`, "--", ...upstream], ...peerWays(port, upstream) };
    for (const [way, args] of Object.entries(overHttp)) keep(best, { transport: "HTTP", way }, await measure(await listening(args, port)));
  }
  rmSync(state, { recursive: true, force: true });
  const direct = best.get("stdio direct").p50;
  const rows = [...best.values()].map(({ way, transport, p50, p99, rate, rss }) => ({
    way,
    transport,
    "p50 ms": p50,
    "p99 ms": p99,
    "added p50 ms": transport === "stdio" ? p50 - direct : "",
    [`calls/s, ${IN_FLIGHT} in flight`]: Math.round(rate),
    "RSS MB": Math.round(rss),
  }));
  const note =
    "mcp-proxy and supergateway serve HTTP only; the upstream speaks stdio, so that HTTP has no direct way. RSS is the gateway's process alone.";
  return { title: `tools/call, 64-byte argument, ${CALLS} sequential calls, best of three rounds`, note, rows };
}

function keep(best, { transport, way }, now) {
  const key = `${transport} ${way}`;
  const before = best.get(key);
  if (before === undefined || now.p50 < before.p50) best.set(key, { transport, way, ...now });
}

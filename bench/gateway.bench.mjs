// Added latency of gateways: direct, Regate, and a Client-and-Server proxy of the SDK over stdio; Regate, mcp-proxy and supergateway over
// Streamable HTTP, which is what those two serve. One upstream (over stdio) for all, one run. node bench/run.mjs gateway
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHttp } from "./gateway-http.mjs";
import { peerNames, peerWays } from "./gateway-peers.mjs";
import { percentile } from "./measure.mjs";

const CALLS = 4_000;
const ROUNDS = 20;
const WARM_UP = 3_000;
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

/** Opens a connection, and lets what is behind it become as fast as it gets: a gateway lives for days. */
async function warm(connection) {
  const { tell, ask } = connection;
  await ask(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } });
  await tell({ method: "notifications/initialized" });
  const way = { ...connection, took: [], id: 0 };
  for (let calls = 0; calls < WARM_UP; calls += 1) await next(way);
  return way;
}

const next = (way) => call(way.ask, (way.id += 1));

async function round(way) {
  for (let calls = 0; calls < CALLS / ROUNDS; calls += 1) {
    const start = performance.now();
    await next(way);
    way.took.push(performance.now() - start);
  }
}

/** Calls a second with some in flight. */
async function rateOf(way) {
  const start = performance.now();
  const last = way.id + CALLS;
  const lane = async () => {
    while (way.id < last) await next(way);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return CALLS / ((performance.now() - start) / 1_000);
}

/** What was measured; resident memory is that of the gateway's process alone, at the end. */
async function finish(way) {
  const rate = await rateOf(way);
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${way.child.pid}/status`, "utf8")) ?? [];
  const gone = new Promise((resolve) => way.child.once("exit", resolve));
  way.close();
  way.child.kill();
  await gone;
  const sorted = way.took.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), rate, rss: Number(kilobytes) / 1024 };
}

/** Measures the ways of one transport in turn, round by round, so that a drift of the machine meets all alike. */
async function measureAll(transport, connections) {
  const ways = [];
  for (const [name, open] of connections) ways.push([name, await warm(await open())]);
  for (let count = 0; count < ROUNDS; count += 1) for (const [, way] of ways) await round(way);
  const rows = [];
  for (const [name, way] of ways) rows.push({ transport, way: name, ...(await finish(way)) });
  return rows;
}

/** All ways over stdio, then all over HTTP. */
export async function run() {
  const stdio = await measureAll(
    "stdio",
    Object.entries(overStdio).map(([name, command]) => [name, () => openStdio(command)]),
  );
  const own = await freePort();
  const other = Object.entries(await peersOn(upstream));
  const overHttp = [["regate", own, [...regate, "--listen", `127.0.0.1:${own}`, "--", ...upstream]], ...other.map(([, way]) => way)];
  const http = await measureAll(
    "HTTP",
    overHttp.map(([name, port, args]) => [name, () => listening(args, port)]),
  );
  rmSync(state, { recursive: true, force: true });
  const direct = stdio.find(({ way }) => way === "direct").p50;
  const rows = [...stdio, ...http].map(({ way, transport, p50, p99, rate, rss }) => ({
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
  const title = `tools/call, 64-byte argument, ${CALLS} sequential calls of each way in ${ROUNDS} turns, after ${WARM_UP} calls to warm up`;
  return { title, note, rows };
}

/** The gateways of others, each with a port of its own. */
async function peersOn(command) {
  const ways = {};
  for (const name of peerNames()) {
    const port = await freePort();
    const args = peerWays(port, command)[name];
    if (args !== undefined) ways[name] = [name, port, args];
  }
  return ways;
}

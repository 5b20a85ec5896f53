// Drives the built gateway over stdio with many calls in front of a tiny upstream, and fails when its memory grows or an answer is lost,
// crossed or told twice. Usage: node scripts/gateway-soak.mjs [CALLS] [--window N] [--json]
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { growthOf } from "./soak-growth.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { window: { type: "string", default: "64" }, json: { type: "boolean", default: false } },
});
const calls = Number(positionals[0] ?? 1_000_000);
const window = Number(values.window);
const POINTS = 10;

if (!Number.isInteger(calls) || calls < POINTS || !Number.isInteger(window) || window < 1) {
  process.stderr.write(`usage: gateway-soak.mjs [CALLS, at least ${POINTS}] [--window N]\n`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "regate-soak-"));
const state = join(folder, "state");
const gateway = ["bin/regate.js", "proxy", "--bundle", "agent-session", "--state-dir", state];
// The heap is told on request, after a collection, so that what is counted is what is held.
const words = ["--expose-gc", "--import", new URL("gateway-soak-probe.mjs", import.meta.url).href, ...gateway];
const child = spawn(process.execPath, [...words, "--", process.execPath, "bench/gateway-upstream.mjs"], {
  stdio: ["pipe", "pipe", "ignore", "ipc"],
});

const waiting = new Map();
const problems = [];
const problem = (text) => {
  if (problems.length < 10) problems.push(text);
};
let answered = 0;
let held = "";
let wake = () => undefined;
/** Whether the gateway has ended. */
const end = { isHere: false };

function take(message) {
  if (message.method !== undefined) return;
  const expected = waiting.get(message.id);
  if (expected === undefined) problem(`an answer to nothing or a second one: ${JSON.stringify(message).slice(0, 200)}`);
  else if (expected !== null && message.result?.content?.[0]?.text !== expected)
    problem(`crossed: ${JSON.stringify(message).slice(0, 200)}`);
  waiting.delete(message.id);
  if (expected !== null && expected !== undefined) answered += 1;
  wake();
}

child.stdout.setEncoding("utf8").on("data", (chunk) => {
  held += chunk;
  let start = 0;
  for (let at = held.indexOf("\n"); at !== -1; at = held.indexOf("\n", start)) {
    take(JSON.parse(held.slice(start, at)));
    start = at + 1;
  }
  held = held.slice(start);
});
const ended = new Promise((resolve) => {
  child.once("exit", (code, signal) => {
    if (waiting.size > 0) problem(`the gateway ended with ${code ?? signal} and ${waiting.size} calls were open`);
    end.isHere = true;
    waiting.clear();
    resolve(code ?? signal);
    wake();
  });
});
child.stdin.on("error", () => undefined);

const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const until = async (isSo) => {
  while (!isSo() && !end.isHere) await new Promise((resolve) => (wake = resolve));
};

/** Resident and held memory of the gateway, in bytes. */
async function memory() {
  const told = new Promise((resolve) => child.once("message", resolve));
  child.send("memory");
  const { heap, external } = await told;
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return { rss: Number(kilobytes) * 1024, heap, external };
}

const sizeOf = (path) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

waiting.set("hello", null);
send({
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "1" } },
});
await until(() => waiting.size === 0);
send({ method: "notifications/initialized" });

const rows = [];
let sent = 0;
for (let point = 1; point <= POINTS && !end.isHere; point += 1) {
  const goal = Math.round((calls * point) / POINTS);
  const from = { at: performance.now(), answered };
  while (sent < goal && !end.isHere) {
    // Each call has a text of its own and, every fourth, a progress token.
    const text = `call ${sent}`;
    const meta = sent % 4 === 0 ? { _meta: { progressToken: sent } } : {};
    waiting.set(sent, text);
    send({ id: sent, method: "tools/call", params: { name: "echo", arguments: { s: text }, ...meta } });
    sent += 1;
    if (waiting.size >= window) await until(() => waiting.size < window);
  }
  await until(() => waiting.size === 0);
  if (end.isHere) break;
  const seconds = (performance.now() - from.at) / 1_000;
  const { rss, heap, external } = await memory();
  rows.push({ calls: sent, rate: (answered - from.answered) / seconds, rss, heap, external, disk: sizeOf(state) });
  const last = rows.at(-1);
  const mb = (bytes) => (bytes / 1024 / 1024).toFixed(1).padStart(8);
  if (!values.json) {
    process.stdout.write(
      `${String(last.calls).padStart(9)} calls ${last.rate.toFixed(0).padStart(6)}/s  rss ${mb(rss)} MB  heap ${mb(heap)} MB  disk ${mb(last.disk)} MB\n`,
    );
  }
}
if (child.connected) child.disconnect();
child.stdin.end();
const code = await ended;
if (code !== 0) problem(`the gateway ended with ${code}`);
if (answered !== calls) problem(`${calls - answered} of ${calls} answers are missing`);

const { growth, problems: grown } = growthOf(rows);
problems.push(...grown);
rmSync(folder, { recursive: true, force: true });
if (values.json) process.stdout.write(`${JSON.stringify({ calls, answered, rows, growth, problems })}\n`);
else {
  process.stdout.write(`heap ${growth.heap.toFixed(1)}, rss ${growth.rss.toFixed(1)} bytes a call after the warm-up\n`);
  process.stdout.write(`${answered} of ${calls} answered; ${problems.length === 0 ? "flat" : "not well"}\n`);
  for (const text of problems) process.stderr.write(`${text}\n`);
}
process.exitCode = problems.length === 0 ? 0 : 1;

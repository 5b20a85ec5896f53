import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { folder, type Line } from "./gateway-kit.ts";

// Above what is kept for a client (16 MiB) and what pipes and sockets hold.
const MESSAGES = 4_000;
const MESSAGE_CHARACTERS = 20_000;
const MOST_UNREAD = 3_000;

/** Writes so many messages as fast as they are taken, and then the answer; keeps count. */
const FLOOD = `
  function flood(stream, frame, { id, count, done }) {
    let sent = 0;
    const pad = "x".repeat(${MESSAGE_CHARACTERS});
    const go = () => {
      while (sent < ${MESSAGES}) {
        sent += 1;
        const more = stream.write(frame({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: sent + pad } }));
        if (sent % 50 === 0 || !more) count(sent);
        if (!more) return stream.once("drain", go);
      }
      done(frame({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "all said" }] } }));
    };
    go();
  }
  function resultOf({ method, params }) {
    if (method === "tools/list") return { tools: [{ name: "flood", inputSchema: { type: "object" } }] };
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: "f", version: "1" } };
  }`;
const STDIO = `import { createInterface } from "node:readline"; import { writeFileSync } from "node:fs";
  ${FLOOD}
  const frame = (message) => JSON.stringify(message) + "\\n";
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined) return;
    const rest = { id: message.id, count: (sent) => writeFileSync(process.argv[2], String(sent)), done: (text) => process.stdout.write(text) };
    if (message.method === "tools/call") flood(process.stdout, frame, rest);
    else process.stdout.write(frame({ jsonrpc: "2.0", id: message.id, result: resultOf(message) }));
  });`;

interface Upstream {
  readonly entry: object;
  /** Messages that the server could write so far. */
  readonly sent: () => number;
}

function stdioUpstream(home: string): Upstream {
  const [script, counter] = [join(home, "server.mjs"), join(home, "count")];
  writeFileSync(script, STDIO);
  const sent = (): number => (existsSync(counter) ? Number(readFileSync(counter, "utf8")) : 0);
  return { entry: { command: process.execPath, args: [script, counter] }, sent };
}

async function httpUpstream(): Promise<Upstream> {
  const state = { sent: 0 };
  // eslint-disable-next-line typescript/no-implied-eval -- the same text runs in a process of its own above
  const { flood, resultOf } = new Function(`${FLOOD}; return { flood, resultOf };`)() as Record<string, (...args: unknown[]) => unknown>;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const message = (body === "" ? {} : JSON.parse(body)) as Line;
      if (message.id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
      const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const rest = { id: message.id, count: (sent: number) => (state.sent = sent), done: (text: string) => response.end(text) };
      if (message.method === "tools/call") return void flood?.(response, frame, rest);
      return void response.end(frame({ jsonrpc: "2.0", id: message.id, result: resultOf?.(message) }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return { entry: { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/mcp` }, sent: () => state.sent };
}

describe("a server that says more than the client reads", () => {
  it.each(["stdio", "http"])("is not read on, and nothing is lost once the client reads again (%s)", { timeout: 300_000 }, async (kind) => {
    const home = folder();
    const { entry, sent } = kind === "stdio" ? stdioUpstream(home) : await httpUpstream();
    writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { f: entry } }));
    const words = [
      "proxy",
      "--bundle",
      "agent-session",
      "--sandbox",
      "none",
      "--state-dir",
      join(home, "s"),
      "--config",
      join(home, "mcp.json"),
    ];
    const env = { PATH: process.env["PATH"] ?? "", HOME: home };
    const gateway = spawn(process.execPath, ["bin/regate.js", ...words], { env, stdio: ["pipe", "pipe", "ignore"] });
    const exited = once(gateway, "exit");
    onTestFinished(() => void gateway.kill("SIGKILL"));
    const say = (message: object): void => void gateway.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    say({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
    });
    say({ method: "notifications/initialized" });
    await once(gateway.stdout, "readable");
    say({ id: 2, method: "tools/call", params: { name: "flood" } });
    let before = -1;
    await expect.poll(() => sent() > 0 && before === (before = sent()), { interval: 1_500, timeout: 120_000 }).toBe(true);
    expect(before).toBeLessThan(MOST_UNREAD);
    const seen: Line[] = [];
    let text = "";
    gateway.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      seen.push(...lines.map((line) => JSON.parse(line) as Line));
    });
    await expect.poll(() => seen.some(({ id }) => id === 2), { timeout: 120_000 }).toBe(true);
    const numbers = seen.flatMap(({ method, params }) =>
      method === "notifications/message" ? [parseInt(String(params?.["data"]), 10)] : [],
    );
    expect(numbers).toEqual(Array.from({ length: MESSAGES }, (_, index) => index + 1));
    gateway.stdin.end();
    expect((await exited)[0]).toBe(0);
  });
});

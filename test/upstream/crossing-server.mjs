// A server whose every message of a call repeats the call's payload, a little later each time. Over stdio, or with `http` over Streamable HTTP:
// then it prints its address.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const isModern = ({ params }) => params?._meta?.[VERSION] !== undefined;
const TOOLS = ["carry", "plain"].map((name) => ({ name, inputSchema: { type: "object", properties: { s: { type: "string" } } } }));

async function call({ params }, way) {
  const { s } = params.arguments;
  for (const progress of [1, 2, 3]) {
    way.notify("notifications/progress", { progressToken: params._meta?.progressToken, progress, message: s });
    await sleep(Math.random() * 20);
  }
  if (params.name === "plain") return { content: [{ type: "text", text: s }], resultType: "complete" };
  way.notify("notifications/message", { level: "info", data: s });
  const messages = [{ role: "user", content: { type: "text", text: s } }];
  const { result } = await way.ask("sampling/createMessage", { messages, maxTokens: 1 });
  await sleep(Math.random() * 20);
  return { content: [{ type: "text", text: `${s} ${result.content.text}` }] };
}

async function answer(message, way) {
  const { id, method, params } = message;
  const more = isModern(message) ? { resultType: "complete", ttlMs: 0, cacheScope: "private" } : {};
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: "x", version: "1" },
    }),
    "server/discover": () => ({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...more }),
    "tools/list": () => ({ tools: TOOLS, ...more }),
    "tools/call": () => call(message, way),
  };
  const result = await results[method]?.();
  const body = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  return { jsonrpc: "2.0", id, ...body };
}

/** Ids of its own questions count up from 1: those of all connections are equal. */
function wayOver(send, asked) {
  return {
    notify: (method, params) => send({ jsonrpc: "2.0", method, params }),
    ask: (method, params) =>
      new Promise((resolve) => {
        const id = asked.size + 1;
        asked.set(id, resolve);
        send({ jsonrpc: "2.0", id, method, params });
      }),
  };
}

function serveStdio() {
  const asked = new Map();
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  let held = "";
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    held += chunk;
    const lines = held.split("\n");
    held = lines.pop();
    for (const message of lines.map((line) => JSON.parse(line))) {
      if (message.method === undefined) asked.get(message.id)?.(message);
      else if (message.id !== undefined) void answer(message, wayOver(send, asked)).then(send);
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

function serveHttp() {
  const sessions = new Map();
  const take = async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(text);
    const asked = sessions.get(request.headers["mcp-session-id"]) ?? new Map();
    if (message.method === undefined) asked.get(message.id)?.(message);
    if (message.method === undefined || message.id === undefined) return response.writeHead(202).end();
    const id = message.method === "initialize" ? randomUUID() : undefined;
    if (id !== undefined) sessions.set(id, new Map());
    response.writeHead(200, { "content-type": "text/event-stream", ...(id === undefined ? {} : { "mcp-session-id": id }) });
    const send = (said) => void response.write(`data: ${JSON.stringify(said)}\n\n`);
    send(await answer(message, wayOver(send, asked)));
    return response.end();
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
}

if (process.argv[2] === "http") serveHttp();
else serveStdio();

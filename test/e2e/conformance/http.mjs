// The fixture over Streamable HTTP: sessions and a GET stream for the older revisions, neither for 2026-07-28. Prints its address.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { answer } from "./server.mjs";

const sessions = new Map();
const STATUS = new Map([
  [-32601, 404],
  [-32020, 400],
  [-32021, 400],
  [-32022, 400],
]);

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => void take(request, response, Buffer.concat(chunks).toString()));
});

async function take(request, response, body) {
  const name = request.headers["mcp-session-id"];
  const session = sessions.get(name);
  if (request.method === "DELETE") {
    sessions.delete(name);
    response.writeHead(204).end();
  } else if (request.method === "GET") {
    if (session === undefined) response.writeHead(405).end();
    else response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  } else {
    await takeMessage({ request, response, session }, JSON.parse(body));
  }
}

async function takeMessage({ request, response, session }, message) {
  const modern = message.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
  if (modern && request.headers["mcp-method"] !== message.method) plain(response, error(message, -32020), 400);
  else if (!modern && message.method !== "initialize" && session === undefined) response.writeHead(404).end();
  else if (message.method !== undefined && message.id !== undefined) await reply({ response, session }, message, modern);
  else {
    if (message.method === undefined) settle(session, message);
    response.writeHead(202).end();
  }
}

async function reply({ response, session }, message, modern) {
  const id = message.method === "initialize" && !modern ? open() : undefined;
  const way = wayOf(response, sessions.get(id) ?? session);
  const said = await answer(message, way);
  if (way.isStream() || message.method === "tools/call") {
    way.send(said);
    response.end();
  } else {
    plain(response, said, (modern && STATUS.get(said.error?.code)) || 200, id === undefined ? {} : { "mcp-session-id": id });
  }
}

function open() {
  const id = randomUUID();
  sessions.set(id, new Map());
  return id;
}

function settle(session, { id, result, error: failed }) {
  const { resolve, reject } = session.get(id) ?? { resolve: () => undefined, reject: () => undefined };
  if (failed === undefined) resolve(result);
  else reject(Object.assign(new Error(failed.message), { code: failed.code }));
}

function wayOf(response, asked) {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  const send = (message) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  return {
    send,
    isStream: () => response.headersSent,
    signal: controller.signal,
    notify: (method, params) => send({ jsonrpc: "2.0", method, params }),
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        const id = `fixture-${asked.size + 1}`;
        asked.set(id, { resolve, reject });
        send({ jsonrpc: "2.0", id, method, params });
      }),
  };
}

function plain(response, message, status, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(message));
}

function error({ id }, code) {
  return { jsonrpc: "2.0", id, error: { code, message: "headers and body differ" } };
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect as openSocket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { temporaryFolder } from "./client.ts";
import { hello, modern, open, openSession, send, startHttp, toolCall, until } from "./http-kit.ts";
import type { HttpServer, Sent, Session } from "./http-kit.ts";
import { regate } from "./run.ts";

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
});

let server: HttpServer;
let slow: ReturnType<typeof dripHead>;
beforeAll(async () => {
  server = await startHttp(["serve", "--bundle", "agent-session"], (end) => ends.push(end));
  slow = dripHead(server.port);
});

/** A client that never ends the head of its request; it is there while the other tests run. */
function dripHead(port: number) {
  const socket = openSocket(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => undefined);
  socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  const drip = setInterval(() => socket.write("x: y\r\n"), 500);
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => {
      clearInterval(drip);
      resolve(text);
    });
  });
  return { closed };
}

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const codeOf = (result: any): string => result?._meta?.["regate/decision"]?.code ?? "ok";
/** What commands left behind, without what a sandbox may still hold. */
const marks = (folder: string): string[] => readdirSync(folder).filter((name) => ["started", "ended"].includes(name));

/** A server of its own, and calls in it that run until they are released. */
async function startHolding(...flags: string[]) {
  const workdir = temporaryFolder();
  const own = await startHttp(["serve", "--bundle", "agent-session", "--workdir", workdir, ...flags]);
  const holding = async (session: Session, id: number | string, name: string) => {
    const command = `touch ${name}.runs; until test -e ${name}.go; do sleep 0.05; done; echo done`;
    const reply = session.post(toolCall(id, "run_shell", { command }));
    await until(() => existsSync(join(workdir, `${name}.runs`)) || undefined);
    const release = (): typeof reply => {
      writeFileSync(join(workdir, `${name}.go`), "");
      return reply;
    };
    return { reply, release };
  };
  return { own, holding };
}

const filesIn = (stateDir: string): string[] => readdirSync(join(stateDir, "decisions")).filter((name) => name.endsWith(".jsonl"));

describe("[gateway:http] where a request was sent to, and from", () => {
  const foreign = (port: number): readonly (readonly [string, number, NonNullable<Sent["headers"]>])[] => [
    ["another host", 403, { host: "evil.example" }],
    ["another host with our port", 403, { host: `evil.example:${port}` }],
    ["a loopback name with another port", 403, { host: `127.0.0.1:${port + 1}` }],
    ["a loopback name without the port", 403, { host: "localhost" }],
    ["a name that only starts like ours", 403, { host: `localhost.evil.com:${port}` }],
    ["an address that only starts like ours", 403, { host: `127.0.0.1.evil.com:${port}` }],
    ["another loopback address", 403, { host: `127.0.0.2:${port}` }],
    ["another site's page", 403, { origin: "https://evil.example" }],
    ["a page of another port", 403, { origin: "http://localhost:3000" }],
    ["a page of our port over https", 403, { origin: `https://127.0.0.1:${port}` }],
    ["a page without an origin of its own", 403, { origin: "null" }],
    ["an empty Origin", 403, { origin: "" }],
    ["no Host", 400, { host: undefined }],
    ["two Hosts", 400, { host: [`127.0.0.1:${port}`, "evil.example"] }],
  ];
  it.each(["POST", "GET", "DELETE", "OPTIONS", "PUT"])("is judged for %s on every path", async (method) => {
    for (const path of ["/mcp", "/", "/.well-known/oauth-protected-resource"]) {
      for (const [what, status, headers] of foreign(server.port)) {
        const reply = await send(server.port, { method, path, headers, ...(method === "POST" ? { body: hello() } : {}) });
        expect([what, method, path, reply.status, reply.headers["mcp-session-id"]]).toEqual([what, method, path, status, undefined]);
      }
    }
  });
  it.each([
    ["127.0.0.1", (port: number) => ({ host: `127.0.0.1:${port}` })],
    ["localhost in capitals", (port: number) => ({ host: `LOCALHOST:${port}` })],
    ["[::1]", (port: number) => ({ host: `[::1]:${port}` })],
    ["a page of this port", (port: number) => ({ origin: `http://localhost:${port}` })],
  ])("takes %s", async (_what, headers) => {
    expect((await send(server.port, { body: hello(), headers: headers(server.port) })).status).toBe(200);
  });
  it("takes no request whose target is a url, whatever its Host says", async () => {
    expect((await send(server.port, { path: `http://127.0.0.1:${server.port}/mcp`, body: hello() })).status).toBe(404);
  });
});

describe("[gateway:http] what is refused before a body is read", () => {
  it.each<[string, number, Sent]>([
    ["another path", 404, { path: "/", body: hello() }],
    ["a path below", 404, { path: "/mcp/", body: hello() }],
    ["another letter case", 404, { path: "/MCP", body: hello() }],
    ["PUT", 405, { method: "PUT", headers: { "content-type": "application/json" }, body: hello() }],
    ["HEAD", 405, { method: "HEAD" }],
    ["OPTIONS", 405, { method: "OPTIONS" }],
    ["text", 415, { headers: { "content-type": "text/plain" }, body: hello() }],
    ["a form", 415, { headers: { "content-type": "application/x-www-form-urlencoded" }, body: hello() }],
    ["a type that only starts like JSON", 415, { headers: { "content-type": "application/jsonx" }, body: hello() }],
    ["no type", 415, { headers: { "content-type": undefined }, body: hello() }],
    ["another charset", 415, { headers: { "content-type": "application/json; charset=utf-16" }, body: hello() }],
    ["a compressed body", 415, { headers: { "content-encoding": "gzip" }, body: hello() }],
    ["a type that nobody has", 406, { headers: { accept: "text/html" }, body: hello() }],
    ["4 MiB and one byte", 413, { body: `${" ".repeat(4 * 1024 * 1024)} ` }],
  ])("%s: %i", async (_what, status, sent) => {
    expect((await send(server.port, sent)).status).toBe(status);
  });
  it("answers an announced length at once, without waiting for the bytes", async () => {
    const reply = open(server.port, { headers: { "content-length": "999999999", expect: "100-continue" } });
    expect((await reply.head).status).toBe(413);
    reply.abort();
  });
  it("takes a charset of utf-8 and a body of 1 MB", async () => {
    const session = await openSession(server.port);
    const body = toolCall(1, "list_sessions", { pad: "x".repeat(1_000_000) });
    const reply = await session.post(body, { "content-type": 'application/json; charset="UTF-8"' });
    expect(reply.status).toBe(200);
  });
});

describe("[gateway:http] a body is one JSON-RPC message", () => {
  it.each<[string, number, string | Uint8Array]>([
    ["an array", -32600, "[]"],
    ["a batch", -32600, `[${JSON.stringify(LIST)}]`],
    ["nothing", -32700, ""],
    ["blanks", -32700, " \n"],
    ["not JSON", -32700, "{"],
    ["not UTF-8", -32700, Buffer.from([0x7b, 0xff, 0x7d])],
    ["two messages", -32700, `${JSON.stringify(LIST)}\n${JSON.stringify(LIST)}`],
    ["a key twice", -32700, '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}'],
    ["a folded key", -32600, '{"jsonrpc":"2.0","id":1,"Method":"x","method":"tools/list"}'],
    ["a number", -32600, "7"],
    ["an id that is null", -32600, '{"jsonrpc":"2.0","id":null,"method":"tools/list"}'],
  ])("%s: 400", async (_what, code, body) => {
    const session = await openSession(server.port);
    const reply = await session.post(body);
    expect([reply.status, reply.messages[0]?.error?.code]).toEqual([400, code]);
    expect(Object.keys(reply.messages[0]?.error ?? {})).toEqual(["code", "message"]);
  });
  it("keeps the text of numbers: an id comes back as it was sent, an inexact argument is refused", async () => {
    const session = await openSession(server.port);
    expect((await session.post('{"jsonrpc":"2.0","id":1.0,"method":"ping"}')).text).toContain('"id":1.0');
    const inexact = await session.post(
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_sessions","arguments":{"n":9007199254740993}}}',
    );
    expect(inexact.messages[0]?.error?.code).toBe(-32602);
  });
  it("a request method without an id is refused and not executed", async () => {
    const session = await openSession(server.port);
    const reply = await session.post({ jsonrpc: "2.0", method: "tools/call", params: { name: "list_sessions" } });
    expect(reply.status).toBe(400);
  });
});

describe("[gateway:http] sessions", () => {
  it("have random ids of at least 122 bits that are not the claim's", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await openSession(server.port)).id));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{32}$/);
  });
  it("a request without one is 400, with an unknown one 404, with two 400", async () => {
    const { id } = await openSession(server.port);
    for (const method of ["POST", "GET", "DELETE"]) {
      const sent = method === "POST" ? { body: LIST } : {};
      const status = async (session: Sent["headers"]): Promise<number> =>
        (await send(server.port, { method, ...sent, headers: { ...session } })).status;
      expect(await status({})).toBe(400);
      expect(await status({ "mcp-session-id": "" })).toBe(400);
      expect(await status({ "mcp-session-id": [id, id] })).toBe(400);
      for (const unknown of ["unknown", "constructor", "__proto__", id.toLowerCase()])
        expect(await status({ "mcp-session-id": unknown })).toBe(404);
    }
  });
  it("DELETE ends one: 404 from then on, for it alone", async () => {
    const [first, second] = [await openSession(server.port), await openSession(server.port)];
    expect((await first.delete()).status).toBe(204);
    expect((await first.post(LIST)).status).toBe(404);
    expect((await first.delete()).status).toBe(404);
    expect((await second.post(LIST)).status).toBe(200);
  });
  it("each has a claim and a decision log of its own", async () => {
    const before = new Set(filesIn(server.stateDir));
    const sessions = await Promise.all([openSession(server.port), openSession(server.port)]);
    for (const session of sessions) await session.call(1, "list_sessions");
    const added = filesIn(server.stateDir).filter((name) => !before.has(name));
    expect(added).toHaveLength(2);
    for (const name of added) expect(name).toMatch(/^mcp-\d{19}\.jsonl$/);
  });
  it("a second initialize in a session changes nothing, and opens none", async () => {
    const session = await openSession(server.port);
    const reply = await session.post(hello({ elicitation: {} }, 7));
    expect([reply.status, reply.messages[0]?.result?.["serverInfo"].name]).toEqual([200, "regate"]);
    expect((await session.call(8, "list_sessions")).result?.["isError"]).not.toBe(true);
  });
  it("a handshake that is refused leaves none behind", async () => {
    const reply = await send(server.port, { body: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} } });
    expect(reply.messages[0]?.error?.code).toBe(-32602);
    const id = reply.headers["mcp-session-id"] as string;
    expect((await send(server.port, { body: LIST, headers: { "mcp-session-id": id } })).status).toBe(404);
  });
  it("an unknown protocol version is 400", async () => {
    const session = await openSession(server.port);
    expect((await session.post(LIST, { "mcp-protocol-version": "2020-01-01" })).status).toBe(400);
    expect((await session.post(LIST, { "mcp-protocol-version": undefined })).status).toBe(200);
  });
  it("an id in flight is -32600, and the number 7 is not the text 7", async () => {
    const { own, holding } = await startHolding();
    const session = await openSession(own.port);
    const number = await holding(session, 7, "number");
    const second = await session.post(toolCall(7, "run_shell", { command: "true" }));
    expect([second.status, second.messages[0]?.error?.code]).toEqual([400, -32600]);
    const text = await holding(session, "7", "text");
    for (const call of [number, text]) expect((await call.release()).messages[0]?.result?.["structuredContent"].stdout).toBe("done\n");
  });
});

describe("[gateway:http] answers", () => {
  it.each([
    ["application/json", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["application/json, text/event-stream", "application/json"],
    ["*/*", "application/json"],
    ["text/event-stream, application/json;q=0", "text/event-stream"],
  ])("to a client that accepts %s come as %s", async (accept, type) => {
    const session = await openSession(server.port);
    const reply = await session.post(LIST, { accept });
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, type]);
    expect(reply.messages[0]?.result?.["tools"].length).toBeGreaterThan(5);
  });
  it("notifications and answers are 202 without a body", async () => {
    const session = await openSession(server.port);
    for (const body of [
      { jsonrpc: "2.0", method: "notifications/whatever" },
      { jsonrpc: "2.0", id: "regate-guess-1", result: {} },
    ]) {
      const reply = await session.post(body);
      expect([reply.status, reply.text]).toEqual([202, ""]);
    }
  });
  it("a refusal of the gate is status 200", async () => {
    const denied = await startHttp(["serve", "--bundle", "identity-gate"]);
    const session = await openSession(denied.port);
    const reply = await session.post(toolCall(1, "run_shell", { command: "true" }));
    expect([reply.status, codeOf(reply.messages[0]?.result)]).toEqual([200, "identity.unconfirmed"]);
  });
  it("notifications/cancelled ends the call of its session, and of no other", async () => {
    const { own, holding } = await startHolding();
    const [one, two] = [await openSession(own.port), await openSession(own.port)];
    const [cancelled, other] = [await holding(one, 0, "one"), await holding(two, 0, "two")];
    await one.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
    expect((await cancelled.reply).messages).toEqual([]);
    expect((await other.release()).messages[0]?.result?.["structuredContent"].stdout).toBe("done\n");
  });
});

describe("[gateway:http] 50 clients at the same time", () => {
  const CLIENTS = Array.from({ length: 50 }, (_, client) => client);
  /** An answer that repeats what was asked: no tool has this name. */
  const echoOf = (name: string) => ({ code: -32602, message: `unknown tool \`${name}\`` });

  it("with the same ids and distinct payloads get each their own answers", async () => {
    const sessions = await Promise.all(CLIENTS.map(() => openSession(server.port)));
    const ids = [0, 1, "1", 2, 3];
    const answers = await Promise.all(
      sessions.flatMap((session, client) =>
        ids.map(async (id) => [await session.call(id, `c${client}-${typeof id}-${id}`), client, id] as const),
      ),
    );
    for (const [answer, client, id] of answers) expect([answer.id, answer.error]).toEqual([id, echoOf(`c${client}-${typeof id}-${id}`)]);
  });
  it("of 2026-07-28 too, with one id for all", async () => {
    const answers = await Promise.all(
      CLIENTS.map((client) => send(server.port, modern("tools/call", { name: `c${client}`, arguments: {} }, 1))),
    );
    for (const client of CLIENTS) expect(answers[client]?.messages).toEqual([{ jsonrpc: "2.0", id: 1, error: echoOf(`c${client}`) }]);
  });
});

describe("[gateway:http] revision 2026-07-28", () => {
  const good = modern("tools/call", { name: "list_sessions", arguments: {} });
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

  it("needs neither a handshake nor a session, and ignores one", async () => {
    expect((await send(server.port, good)).messages[0]?.result?.["resultType"]).toBe("complete");
    const reply = await send(server.port, { ...good, headers: { ...good.headers, "mcp-session-id": "unknown" } });
    expect([reply.status, reply.headers["mcp-session-id"]]).toEqual([200, undefined]);
  });
  it.each<[string, Sent["headers"]]>([
    ["no version", { "mcp-protocol-version": undefined }],
    ["another version", { "mcp-protocol-version": "2025-11-25" }],
    ["no method", { "mcp-method": undefined }],
    ["another method", { "mcp-method": "tools/list" }],
    ["the method in another letter case", { "mcp-method": "Tools/Call" }],
    ["the method twice", { "mcp-method": ["tools/call", "tools/call"] }],
    ["no name", { "mcp-name": undefined }],
    ["another name", { "mcp-name": "run_shell" }],
    ["the name twice", { "mcp-name": ["list_sessions", "run_shell"] }],
    ["two names in one", { "mcp-name": "list_sessions, run_shell" }],
    ["a wrapped other name", { "mcp-name": `=?base64?${Buffer.from("run_shell").toString("base64")}?=` }],
    ["a wrapping in capitals", { "mcp-name": `=?BASE64?${Buffer.from("list_sessions").toString("base64")}?=` }],
    ["a broken wrapping", { "mcp-name": "=?base64?bGlzdF9zZXNzaW9ucw?=" }],
  ])("%s in the headers is 400 and -32020", async (_what, headers) => {
    const before = filesIn(server.stateDir).length;
    const reply = await send(server.port, { ...good, headers: { ...good.headers, ...headers } });
    expect([reply.status, reply.messages[0]?.error?.code, reply.messages[0]?.id]).toEqual([400, -32020, 1]);
    expect(filesIn(server.stateDir)).toHaveLength(before);
  });
  it("a wrapped name is compared after decoding", async () => {
    const headers = { ...good.headers, "mcp-name": `=?base64?${Buffer.from("list_sessions").toString("base64")}?=` };
    expect((await send(server.port, { ...good, headers })).status).toBe(200);
  });
  it.each<[string, number, number, Sent]>([
    ["no _meta", 400, -32602, { ...modern("server/discover"), body: { jsonrpc: "2.0", id: 1, method: "server/discover", params: {} } }],
    ["no version", 400, -32602, modern("tools/list", { _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": undefined } })],
    ["no capabilities", 400, -32602, modern("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } })],
    ["a method that is not served", 404, -32601, modern("prompts/list")],
    ["initialize", 404, -32601, modern("initialize")],
    ["ping", 404, -32601, modern("ping")],
  ])("%s is %i", async (_what, status, code, sent) => {
    const reply = await send(server.port, sent);
    expect([reply.status, reply.messages[0]?.error?.code]).toEqual([status, code]);
  });
  it("another revision is 400 and -32022 with those that are served", async () => {
    const { headers, body } = modern("server/discover", { _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" } });
    const reply = await send(server.port, { body, headers: { ...headers, "mcp-protocol-version": "2099-01-01" } });
    expect([reply.status, reply.messages[0]?.error]).toMatchObject([
      400,
      { code: -32022, data: { supported: ["2026-07-28"], requested: "2099-01-01" } },
    ]);
  });
  it("closing the connection cancels the call, and ends what it runs", async () => {
    const workdir = temporaryFolder();
    const own = await startHttp(["serve", "--bundle", "agent-session", "--workdir", workdir]);
    const command = "touch started; until test -e go; do sleep 0.05; done; touch ended";
    const call = open(own.port, modern("tools/call", { name: "run_shell", arguments: { command } }));
    await until(() => (marks(workdir).includes("started") ? true : undefined));
    call.abort();
    const log = (): string =>
      filesIn(own.stateDir)
        .map((name) => readFileSync(join(own.stateDir, "decisions", name), "utf8"))
        .join("");
    await until(() => (log().includes("call.cancelled") ? true : undefined));
    writeFileSync(join(workdir, "go"), "");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(marks(workdir)).toEqual(["started"]);
  });
  it("asks the human by a result, and takes the answer with the repeated call", async () => {
    const gate = await startHttp(["serve", "--bundle", "identity-gate"]);
    const withForms = { ...meta, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
    const ask = async (name: string, args: object, more: object = {}) =>
      (await send(gate.port, modern("tools/call", { _meta: withForms, name, arguments: args, ...more }))).messages[0]?.result as any;
    await ask("whoami", {});
    const question = await ask("run_shell", { command: "rm -f nothing" });
    expect(question.resultType).toBe("input_required");
    const more = { requestState: question.requestState, inputResponses: { confirm: { action: "accept", content: { confirm: true } } } };
    expect((await ask("run_shell", { command: "rm -f nothing" }, more)).isError).not.toBe(true);
  });
});

describe("[gateway:http] questions to the human of a session", () => {
  const YES = { action: "accept", content: { confirm: true } };
  const DESTROY = toolCall(9, "run_shell", { command: "rm -f nothing" });
  const opened = async () => {
    const gate = await startHttp(["serve", "--bundle", "identity-gate"]);
    const session = await openSession(gate.port, { elicitation: {} });
    await session.call(1, "whoami");
    return session;
  };
  it("go on the stream of the call that asks, before its answer", async () => {
    const session = await opened();
    const call = session.open(DESTROY);
    const question = await call.next(({ method }) => method === "elicitation/create");
    expect((await call.head).headers["content-type"]).toBe("text/event-stream");
    expect((await session.post({ jsonrpc: "2.0", id: question.id, result: YES })).status).toBe(202);
    await call.ended;
    expect(call.messages().map(({ id, method }) => method ?? id)).toEqual(["elicitation/create", 9]);
    expect(codeOf(call.messages()[1]?.result)).toBe("ok");
  });
  it("wait for the GET stream of a client that takes no stream for its answers", async () => {
    const session = await opened();
    const call = session.post(DESTROY, { accept: "application/json" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stream = session.get();
    const question = await stream.next(({ method }) => method === "elicitation/create");
    await session.post({ jsonrpc: "2.0", id: question.id, result: YES });
    expect(codeOf((await call).messages[0]?.result)).toBe("ok");
    stream.abort();
  });
  it("are not answered by another session", async () => {
    const session = await opened();
    const call = session.open(DESTROY);
    const question = await call.next(({ method }) => method === "elicitation/create");
    const stranger = await openSession(session.port, { elicitation: {} });
    await stranger.post({ jsonrpc: "2.0", id: question.id, result: YES });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(call.messages()).toHaveLength(1);
    await session.post({ jsonrpc: "2.0", id: question.id, result: { action: "decline" } });
    await call.ended;
    expect(codeOf(call.messages()[1]?.result)).toBe("confirm.declined");
  });
});

describe("[gateway:http] the SDK's own client", () => {
  it("lists, calls and is asked", async () => {
    const gate = await startHttp(["serve", "--bundle", "identity-gate"]);
    const client = new Client({ name: "sdk", version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { confirm: true } }));
    const transport = new StreamableHTTPClientTransport(new URL(gate.url));
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.callTool({ name: "whoami", arguments: {} });
    const answer = await client.callTool({ name: "run_shell", arguments: { command: "rm -f nothing" } });
    expect(answer["isError"]).not.toBe(true);
    await transport.terminateSession();
    await client.close();
  });
});

describe("[gateway:http] limits", () => {
  it("more sessions than allowed are 503, until one ends", async () => {
    const small = await startHttp(["serve", "--bundle", "agent-session", "--http-max-sessions", "2"]);
    const first = await openSession(small.port);
    await openSession(small.port);
    const reply = await send(small.port, { body: hello() });
    expect([reply.status, reply.headers["retry-after"]]).toEqual([503, "30"]);
    await first.delete();
    expect((await send(small.port, { body: hello() })).status).toBe(200);
  });
  it("a session that asks nothing is forgotten, with its GET stream; a call that runs keeps its session", async () => {
    const { own, holding } = await startHolding("--http-idle-seconds", "5");
    const busy = await openSession(own.port);
    const call = await holding(busy, 1, "call");
    const idle = await openSession(own.port);
    const stream = idle.get();
    expect((await stream.head).status).toBe(200);
    await stream.ended;
    expect((await idle.post(LIST)).status).toBe(404);
    // It has asked nothing for longer than the other.
    expect((await call.release()).messages[0]?.result?.["structuredContent"].stdout).toBe("done\n");
    expect((await busy.post(LIST)).status).toBe(200);
  });
  it("a client that never ends its head is cut off, others are served meanwhile", async () => {
    expect((await send(server.port, { body: hello() })).status).toBe(200);
    expect(await slow.closed).toContain("408");
  });
  it("a new GET stream takes the place of the one before", async () => {
    const session = await openSession(server.port);
    const first = session.get();
    await first.head;
    const second = session.get();
    expect((await second.head).status).toBe(200);
    await first.ended;
    second.abort();
  });
});

describe("[gateway:http] the end", () => {
  // A stop that takes longer than 1.9 s ends with 1.
  it("SIGTERM answers what runs, ends commands and streams, and exits 0 in time", async () => {
    const workdir = temporaryFolder();
    const own = await startHttp(["serve", "--bundle", "agent-session", "--workdir", workdir]);
    const session = await openSession(own.port);
    const stream = session.get();
    await stream.head;
    const call = session.open(toolCall(1, "run_shell", { command: "touch started; sleep 30; touch ended" }));
    await until(() => (marks(workdir).includes("started") ? true : undefined));
    expect((await own.stop()).code).toBe(0);
    await Promise.all([call.ended, stream.ended]);
    expect(call.messages()).toHaveLength(1);
    expect(marks(workdir)).toEqual(["started"]);
  });
  it("an idle server with open connections ends in time", async () => {
    const own = await startHttp(["serve", "--bundle", "agent-session"]);
    const stream = (await openSession(own.port)).get();
    await stream.head;
    const socket = openSocket(own.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.on("error", () => undefined);
    expect((await own.stop()).code).toBe(0);
  });
});

describe("[gateway:http] the start", () => {
  it.each([
    ["0.0.0.0:0", "loopback"],
    ["192.0.2.1:80", "loopback"],
    ["example.com:80", "loopback"],
    ["[::]:0", "loopback"],
    ["127.0.0.1", "HOST:PORT"],
    ["8931", "HOST:PORT"],
    ["127.0.0.1:99999", "HOST:PORT"],
    ["http://127.0.0.1:1", "HOST:PORT"],
    ["", "empty"],
  ])("--listen %s is exit 2 with one line", (address, says) => {
    const run = regate(["serve", `--listen=${address}`]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    expect(run.lines[0]).toContain("--listen");
    expect(run.lines[0]).toContain(says);
  });
  it.each([
    ["serve", []],
    ["proxy", ["--", "node"]],
  ])("%s: a port in use is exit 2 with one line that names it", (command, words) => {
    const run = regate([command, "--bundle", "agent-session", "--listen", `127.0.0.1:${server.port}`, ...words]);
    expect([run.status, run.lines]).toEqual([
      2,
      [expect.stringContaining(`\`127.0.0.1:${server.port}\` cannot be listened on (EADDRINUSE)`)],
    ]);
  });
  it("one line on stderr says where, once the port accepts", () => {
    expect(
      server
        .stderr()
        .split("\n")
        .filter((line) => line.includes("listening")),
    ).toEqual([`regate: listening on ${server.url}`]);
  });
});

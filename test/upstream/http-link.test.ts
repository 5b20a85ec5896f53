import { Agent as HttpAgent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { sendOut } from "../../src/upstream/http-exchange.ts";
import { httpLink } from "../../src/upstream/http-link.ts";
import type { ReceivedContext, UpstreamLink } from "../../src/upstream/link.ts";

/** One request as it reached the server. */
interface Got {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly raw: readonly string[];
  readonly body: any;
}

interface Kit {
  readonly link: UpstreamLink;
  readonly got: Got[];
  readonly told: [string, unknown][];
  readonly url: string;
  readonly messages: () => any[];
}

type Answer = (got: Got, response: ServerResponse) => void | Promise<void>;

async function serve(answer: Answer): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const one = {
        method: request.method ?? "",
        headers: request.headers,
        raw: request.rawHeaders,
        body: text === "" ? undefined : JSON.parse(text),
      };
      got.push(one);
      void answer(one, response);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, got };
}

async function open(url: string, got: Got[], options: { headers?: Record<string, string>; maxMessageBytes?: number } = {}): Promise<Kit> {
  const told: [string, unknown][] = [];
  const entry = { kind: "http", id: "up", url, headers: options.headers ?? {}, tools: new Map() } as const;
  const link = await httpLink(entry, { maxMessageBytes: options.maxMessageBytes ?? 1_000_000 })(
    {
      onMessage: (json, context?: ReceivedContext) =>
        void told.push(["message", { ...JSON.parse(json), ...(context?.requestId === undefined ? {} : { on: context.requestId }) }]),
      onUnreadable: (reason) => void told.push(["unreadable", reason]),
      onLost: (id) => void told.push(["lost", id]),
      onEnd: (reason) => void told.push(["end", reason]),
    },
    new AbortController().signal,
  );
  onTestFinished(() => link.close());
  return { link, got, told, url, messages: () => told.filter(([kind]) => kind === "message").map(([, message]) => message) };
}

async function kit(answer: Answer, options: Parameters<typeof open>[2] = {}): Promise<Kit> {
  const { url, got } = await serve(answer);
  return await open(url, got, options);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {} } };
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
const call = (id: number, more: object = {}): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x", ...more } });
const cancelled = (requestId: number): object => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
const text = (message: object): string => JSON.stringify(message);
const plain = (response: ServerResponse, message: object, headers: Record<string, string> = {}, status = 200): void =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(message));
const events = (response: ServerResponse): ServerResponse => response.writeHead(200, { "content-type": "text/event-stream" });
const result = (id: unknown, value: object = {}): object => ({ jsonrpc: "2.0", id, result: value });

/** A server with a handshake; `other` answers the rest. */
const withHandshake =
  (other: Answer): Answer =>
  (got, response) => {
    if (got.body?.method === "initialize")
      return plain(response, result(got.body.id, { protocolVersion: "2025-06-18" }), { "Mcp-Session-Id": "s-1" });
    if (got.method === "DELETE" || got.body?.id === undefined || got.body.method === undefined)
      return void response.writeHead(got.method === "GET" ? 405 : 202).end();
    return other(got, response);
  };

describe("[gateway:http] an HTTP upstream", () => {
  it("gets its own session, revision and credentials, and nothing else", async () => {
    const { link, got } = await kit(
      withHandshake((one, response) => plain(response, result(one.body.id))),
      {
        headers: { Authorization: "Bearer ours", "x-tenant": "t" },
      },
    );
    void link.send(text(INITIALIZE));
    void link.send(text(INITIALIZED));
    await link.send(text(call(2)));
    await until(() => got.length === 4);
    const names = got.map(({ raw }) =>
      raw
        .filter((_, index) => index % 2 === 0)
        .map((name) => name.toLowerCase())
        .toSorted(),
    );
    const usual = ["accept", "authorization", "connection", "content-length", "content-type", "host", "x-tenant"];
    expect(names[0]).toEqual(usual);
    expect(names[1]).toEqual([...usual, "mcp-protocol-version", "mcp-session-id"].toSorted());
    expect(got.map(({ method, body }) => body?.method ?? method).slice(0, 2)).toEqual(["initialize", "notifications/initialized"]);
    expect(got[3]?.headers).toMatchObject({ "mcp-session-id": "s-1", "mcp-protocol-version": "2025-06-18", authorization: "Bearer ours" });
  });
  it("[M07] [M08] answers plainly or by events, cut anywhere, with what belongs to the request before", async () => {
    const emoji = "a\u2028b\u0085c 🦊 é";
    const { link, messages } = await kit(async (one, response) => {
      if (one.body.id === 1) return plain(response, result(1, { emoji }));
      const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { emoji } });
      const bytes = Buffer.from(
        `: hi\r\n\r\nid: 1\r\nevent: message\r\ndata: ${note}\r\n\r\ndata: ${JSON.stringify(result(2, { emoji }))}\n\n`,
      );
      events(response);
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        if (byte > 127 || byte < 32) await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    await link.send(text(call(1)));
    await link.send(text(call(2)));
    await until(() => messages().length === 3);
    expect(messages()).toEqual([
      { ...result(1, { emoji }), on: "1" },
      { jsonrpc: "2.0", method: "notifications/progress", params: { emoji }, on: "2" },
      { ...result(2, { emoji }), on: "2" },
    ]);
  });
  it("gets the headers of 2026-07-28 from the message that is sent", async () => {
    const { link, got } = await kit((one, response) => plain(response, result(one.body.id)));
    const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
    const inputSchema = {
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        deep: { type: "object", properties: { n: { type: "integer", "x-mcp-header": "N" } } },
        bad: { type: "string", "x-mcp-header": "no token" },
        gone: { type: "string", "x-mcp-header": "Gone" },
        unknown: { type: "string" },
      },
    };
    const args = { region: "münchen", deep: { n: 7 }, bad: "x", gone: null, unknown: "y" };
    await link.send(text(call(1, { ...meta, arguments: args })), { inputSchema });
    await link.send(text({ jsonrpc: "2.0", id: 2, method: "resources/read", params: { ...meta, uri: " =?base64?x?=" } }));
    await link.send(text({ jsonrpc: "2.0", id: 3, method: "tools/list", params: meta }));
    const wrapped = (value: string): string => `=?base64?${Buffer.from(value).toString("base64")}?=`;
    expect(got[0]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "x",
      "mcp-param-region": wrapped("münchen"),
      "mcp-param-n": "7",
    });
    expect(Object.keys(got[0]?.headers ?? {}).filter((name) => name.startsWith("mcp-param-"))).toHaveLength(2);
    expect(got[1]?.headers["mcp-name"]).toBe(wrapped(" =?base64?x?="));
    expect(got[2]?.headers["mcp-name"]).toBeUndefined();
  });
  it("that redirects is refused, and where it leads gets nothing", async () => {
    const target = await serve((_one, response) => plain(response, {}));
    const { link } = await kit((_one, response) => void response.writeHead(307, { location: target.url }).end(), {
      headers: { authorization: "Bearer ours" },
    });
    await expect(link.send(text(call(1)))).rejects.toThrow("redirects");
    expect(target.got).toEqual([]);
  });
  it("that cannot be reached has got nothing, and the connection is over", async () => {
    // Nobody listens there; a port that was free a moment ago may be another test's by now.
    const { link, told } = await open("http://127.0.0.1:1/mcp", []);
    await expect(link.send(text(call(1)))).rejects.toThrow("ECONNREFUSED");
    expect(told).toEqual([]);
    await link.ended;
    expect(told).toEqual([["end", "it cannot be reached (ECONNREFUSED)"]]);
    await expect(link.send(text(call(2)))).rejects.toThrow("closed");
  });
  it("that breaks after it got the request loses it, and never gets it again", async () => {
    const { link, got, told } = await kit((_one, response) => void response.destroy());
    await link.send(text(call(1)));
    expect(told).toEqual([["lost", "1"]]);
    expect(got).toHaveLength(1);
  });
  it.each([
    ["ends before the answer", (response: ServerResponse) => void events(response).end()],
    ["is cut before the answer", (response: ServerResponse) => void events(response).write("data: {", () => response.destroy())],
  ])("whose stream %s and has no event ids loses the request", async (_what, answer) => {
    const { link, got, told } = await kit((_one, response) => answer(response));
    await link.send(text(call(1)));
    await until(() => told.length > 0);
    expect(told).toEqual([["lost", "1"]]);
    expect(got.map(({ method }) => method)).toEqual(["POST"]);
  });
  it("whose stream breaks behind an event is asked for the rest, and not for the call again", async () => {
    const { link, got, messages } = await kit((one, response) => {
      events(response);
      if (one.method === "POST") return void response.write("retry: 10\nid: e-7\ndata:\n\n", () => response.destroy());
      return void response.end(`id: e-8\ndata: ${JSON.stringify(result(1))}\n\n`);
    });
    await link.send(text(call(1)));
    await until(() => messages().length === 1);
    expect(got.map(({ method, headers }) => [method, headers["last-event-id"]])).toEqual([
      ["POST", undefined],
      ["GET", "e-7"],
    ]);
    expect(messages()).toEqual([{ ...result(1), on: "1" }]);
  });
  it.each([
    ["plain", (response: ServerResponse) => plain(response, result(1, { pad: "x".repeat(2_000) }))],
    [
      "as an event",
      (response: ServerResponse) => void events(response).end(`data: ${JSON.stringify(result(1, { pad: "x".repeat(2_000) }))}\n\n`),
    ],
  ])("that answers too long, %s, loses the request", async (_what, answer) => {
    const { link, told } = await kit((_one, response) => answer(response), { maxMessageBytes: 1_000 });
    await link.send(text(call(1)));
    await until(() => told.some(([kind]) => kind === "lost"));
    expect(told.map(([kind]) => kind)).toEqual(["unreadable", "lost"]);
  });
  it("that answers in bytes that are no UTF-8 loses the request", async () => {
    const { link, told } = await kit(
      (_one, response) => void response.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0x7b, 0xff])),
    );
    await link.send(text(call(1)));
    await until(() => told.some(([kind]) => kind === "lost"));
    expect(told[0]).toEqual(["unreadable", "a reply that is not UTF-8"]);
  });
  it("its errors come as they are, whatever their status; one without an id is the request's", async () => {
    const { link, messages } = await kit((one, response) => {
      const error = { code: -32601, message: "no", data: { n: 1 } };
      return plain(response, { jsonrpc: "2.0", id: one.body.id === 1 ? 1 : null, error }, {}, one.body.id === 1 ? 404 : 400);
    });
    await link.send(text(call(1)));
    await link.send(text(call(2)));
    expect(messages().map(({ id, error }) => [id, error.code])).toEqual([
      [1, -32601],
      [2, -32601],
    ]);
  });
  it("of a status without an error: 4xx took nothing, what a 5xx did nobody knows", async () => {
    const { link, told } = await kit((one, response) => void response.writeHead(one.body.id === 1 ? 401 : 502).end());
    await expect(link.send(text(call(1)))).rejects.toThrow("401");
    await link.send(text(call(2)));
    expect(told).toEqual([["lost", "2"]]);
  });
  it("that forgot the session has got nothing, and the connection is over", async () => {
    const { link, told } = await kit(
      withHandshake((_one, response) => plain(response, { jsonrpc: "2.0", id: null, error: { code: -1, message: "" } }, {}, 404)),
    );
    await link.send(text(INITIALIZE));
    await expect(link.send(text(call(2)))).rejects.toThrow("404");
    await link.ended;
    expect(told.at(-1)).toEqual(["end", "its session ended"]);
  });
  it("a cancellation closes the stream of 2026-07-28, and is told to an older server", async () => {
    let closed = false;
    const { link, got, told } = await kit(
      withHandshake((one, response) => {
        response.once("close", () => (closed = true));
        events(response).write(": open\n\n");
        if (one.body.id === 9) response.write("");
      }),
    );
    const meta = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
    await link.send(text(call(9, meta)));
    await link.send(text({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9, ...meta } }));
    await until(() => closed);
    expect(told).toEqual([]);
    await link.send(text(INITIALIZE));
    await link.send(text({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } }));
    expect(got.at(-1)?.body.method).toBe("notifications/cancelled");
  });

  it("goes on when a call is cancelled before its connection is there, and gets nothing of one that was cancelled at once", async () => {
    let answer: (() => void) | undefined;
    const { link, got, told, messages } = await kit((one, response) => {
      if (one.body.id === 1) answer = () => plain(response, result(1));
    });
    void link.send(text(call(1)));
    await until(() => answer !== undefined);
    for (let id = 2; id < 60; id += 1) {
      void link.send(text(call(id)));
      for (let turn = 2; turn < id % 12; turn += 1) await Promise.resolve();
      await link.send(text(cancelled(id)));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    answer?.();
    await until(() => messages().length > 0);
    expect(told).toEqual([["message", { ...result(1), on: "1" }]]);
    expect(got.filter(({ body }) => [0, 1, 2].includes(body.id % 12) && body.id > 1)).toEqual([]);
  });

  it("an older server keeps the stream of a cancelled call for a while only, so that none that hangs takes all connections", async () => {
    const seen: string[] = [];
    const handshake = withHandshake((one, response) => {
      seen.push(`call ${one.body.id}`);
      response.once("close", () => seen.push(`closed ${one.body.id}`));
      if (one.body.id === 3) events(response).write(": open\n\n");
    });
    const { link, told } = await kit((one, response) => {
      if (one.body?.method === "notifications/cancelled") seen.push(`cancelled ${one.body.params.requestId}`);
      return handshake(one, response);
    });
    const has = (text: string): boolean => seen.includes(text);
    await link.send(text(INITIALIZE));
    await link.send(text(INITIALIZED));
    for (const id of [2, 3, 4]) void link.send(text(call(id)));
    await until(() => [2, 3, 4].every((id) => has(`call ${id}`)));
    for (const id of [2, 3]) await link.send(text(cancelled(id)));
    await until(() => [2, 3].every((id) => has(`closed ${id}`)));
    // The server hears of the cancellation while the stream is still its own.
    for (const id of [2, 3]) expect(seen.indexOf(`cancelled ${id}`)).toBeLessThan(seen.indexOf(`closed ${id}`));
    expect([has("cancelled 2"), has("cancelled 3"), has("closed 4")]).toEqual([true, true, false]);
    expect(told.filter(([kind]) => kind !== "message")).toEqual([]);
  });

  it("what went out on a connection that another request had left is known to be sent", async () => {
    const { url } = await serve((one, response) => {
      if (one.body.id === 1) setTimeout(() => plain(response, result(1)), 50);
      else response.destroy();
    });
    const agent = { keepAlive: true, maxSockets: 1 };
    const sockets = { http: new HttpAgent(agent), https: new HttpsAgent(agent) };
    onTestFinished(() => sockets.http.destroy());
    const { signal } = new AbortController();
    const ask = (id: number): ReturnType<typeof sendOut> =>
      sendOut(sockets, { url: new URL(url), method: "POST", headers: {}, body: text(call(id)), signal });
    const [first, second] = [ask(1), ask(2)];
    const reply = await first;
    if (reply.kind === "reply") reply.reply.resume();
    expect(await second).toMatchObject({ kind: "failed", sent: true });
  });

  it("what belongs to no request comes on the GET stream, which is opened after the handshake and again when it ends", async () => {
    let streams = 0;
    const { link, got, messages } = await kit((one, response) => {
      if (one.method !== "GET") return withHandshake(() => undefined)(one, response);
      streams += 1;
      return void events(response).end(
        `id: g-${streams}\nretry: 10\ndata: {"jsonrpc":"2.0","method":"notifications/n","params":{"n":${streams}}}\n\n`,
      );
    });
    await link.send(text(INITIALIZE));
    expect(got.some(({ method }) => method === "GET")).toBe(false);
    await link.send(text(INITIALIZED));
    await until(() => messages().length >= 3);
    expect(messages()[2]).toEqual({ jsonrpc: "2.0", method: "notifications/n", params: { n: 2 } });
    expect(
      got
        .filter(({ method }) => method === "GET")
        .map(({ headers }) => headers["last-event-id"])
        .slice(0, 2),
    ).toEqual([undefined, "g-1"]);
  });
  it("that wants its stream taken up again at once is not asked without a pause", async () => {
    const asked: number[] = [];
    const { link } = await kit((one, response) => {
      if (one.method === "GET") {
        asked.push(performance.now());
        return void events(response).end("retry: 0\n\n");
      }
      return withHandshake((other, reply) => plain(reply, result(other.body.id)))(one, response);
    });
    await link.send(text(INITIALIZE));
    await link.send(text(INITIALIZED));
    await until(() => asked.length === 5);
    for (const [index, at] of asked.slice(1).entries()) expect(at - (asked[index] ?? at)).toBeGreaterThan(90);
  });

  it("that leaves its streams open behind the answers does not run out of connections", async () => {
    const open = new Set<ServerResponse>();
    const { link, messages } = await kit(
      withHandshake((one, response) => {
        open.add(response);
        response.once("close", () => open.delete(response));
        events(response).write(`data: ${JSON.stringify(result(one.body.id))}\n\n`);
      }),
    );
    await link.send(text(INITIALIZE));
    const ids = Array.from({ length: 300 }, (_, at) => at + 2);
    for (const id of ids) void link.send(text(call(id)));
    await until(() => open.size === 0 && messages().length > 300);
    expect(messages()).toHaveLength(301);
  });

  it("that never answers a notification holds up what comes behind it for a while only", async () => {
    const { link, messages } = await kit((one, response) => {
      if (one.body?.method === "notifications/roots/list_changed") return undefined;
      return withHandshake((other, reply) => plain(reply, result(other.body.id)))(one, response);
    });
    await link.send(text(INITIALIZE));
    const untaken = link.send(text({ jsonrpc: "2.0", method: "notifications/roots/list_changed" })) as Promise<void>;
    void link.send(text(call(2)));
    await expect(untaken).rejects.toThrow("in time");
    await until(() => messages().some(({ id }) => id === 2));
  });

  it("the end tells the server, once, and everybody who waits", async () => {
    const { link, got, told } = await kit(withHandshake((_one, response) => void events(response).write(": open\n\n")));
    await link.send(text(INITIALIZE));
    await link.send(text(call(2)));
    await Promise.all([link.close(), link.close()]);
    await link.ended;
    expect(got.filter(({ method }) => method === "DELETE").map(({ headers }) => headers["mcp-session-id"])).toEqual(["s-1"]);
    expect(told.filter(([kind]) => kind === "end")).toEqual([["end", "it was closed"]]);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./client.ts";
import { hello, modern, open, openSession, send, startHttp, toolCall, until, type HttpServer } from "./http-kit.ts";

const FIXTURE = `${process.cwd()}/test/upstream/fixture-server.mjs`;
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
});

let gateway: HttpServer;
let log: string;
const logged = (file = log): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** A gateway in front of the fixture that logs every byte. */
async function start(atEnd?: (finish: () => Promise<void>) => void, ...flags: string[]): Promise<[HttpServer, string]> {
  const folder = mkdtempSync(join(tmpdir(), "regate-fixture-"));
  const file = join(folder, "log");
  const finish = async (): Promise<void> => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  if (atEnd === undefined) onTestFinished(finish);
  else atEnd(finish);
  const words = ["proxy", "--bundle", "agent-session", ...flags, "--", process.execPath, FIXTURE, file];
  return [await startHttp(words, atEnd ?? onTestFinished), file];
}

beforeAll(async () => {
  [gateway, log] = await start((finish) => ends.push(finish));
});

describe("[gateway:http] the gateway over HTTP", () => {
  it("what is refused by the front leaves no byte at the upstream (CVE-2025-66414, SEP-2243)", async () => {
    const session = await openSession(gateway.port);
    await session.call(1, "echo", { s: "first" });
    const before = logged();
    const evil = toolCall(66, "echo", { s: "evil" });
    const { port } = gateway;
    for (const host of ["evil.example", `localhost.evil.com:${port}`, `127.0.0.1.evil.com:${port}`, undefined])
      await session.post(evil, { host });
    await session.post(evil, { origin: "http://evil.example" });
    await session.post(evil, { "content-type": "text/plain" });
    await session.post([evil]);
    await session.post(evil, { "mcp-session-id": "other" });
    const smuggled = modern("tools/call", { name: "wipe", arguments: { s: "evil" } });
    const wrapped = `=?base64?${Buffer.from("echo").toString("base64")}?=`;
    for (const name of ["echo", ["wipe", "echo"], "wipe, echo", wrapped, "=?BASE64?d2lwZQ==?=", undefined]) {
      await send(port, { body: smuggled.body, headers: { ...smuggled.headers, "mcp-name": name } });
    }
    await session.call(2, "echo", { s: "last" });
    expect(logged().slice(before.length)).not.toContain("evil");
    expect(logged().slice(before.length)).toContain("last");
  });
  it("a refused resource is an error with status 200, an unknown tool -32602", async () => {
    const session = await openSession(gateway.port);
    const refused = await session.post({ jsonrpc: "2.0", id: 1, method: "x/custom", params: {} });
    expect([refused.status, refused.messages[0]?.error?.code]).toEqual([200, 4403]);
    const unknown = await session.post(toolCall(2, "nothing"));
    expect([unknown.status, unknown.messages[0]?.error?.code]).toEqual([200, -32602]);
  });
  it("50 clients with the same ids and distinct payloads: none crossed, progress included (CVE-2026-25536)", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, client) => {
        const { headers, body } = modern("tools/call", {
          name: client % 2 === 0 ? "echo" : "progress",
          arguments: { s: `payload-${client}` },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            progressToken: "same",
          },
        });
        return await send(gateway.port, { headers, body });
      }),
    );
    for (const [client, { text, messages }] of answers.entries()) {
      expect(messages.at(-1)?.id).toBe(1);
      if (client % 2 === 0) expect(text).toContain(`payload-${client}\\"`);
      else
        expect(messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params)).toEqual([
          { progressToken: "same", progress: 1, total: 3 },
          { progressToken: "same", progress: 2, total: 3 },
          { progressToken: "same", progress: 3, total: 3 },
        ]);
      expect(text.match(/payload-\d+/g)?.every((payload) => payload === `payload-${client}`) ?? true).toBe(true);
    }
  });
  it("a question of the upstream goes on the stream of its call, and the answer back to it", async () => {
    const session = await openSession(gateway.port, { sampling: {} });
    const call = session.open(toolCall(5, "ask", { s: "sampling/createMessage" }));
    const question = await call.next(({ method }) => method === "sampling/createMessage");
    expect(question.id).toMatch(/^regate-/);
    await session.post({ jsonrpc: "2.0", id: question.id, result: { role: "assistant", content: { type: "text", text: "yes" } } });
    await call.ended;
    expect(call.text()).toContain("yes");
  });
  it("what the upstream says of its own accord waits for the GET stream", async () => {
    const session = await openSession(gateway.port);
    await session.call(1, "grow");
    const stream = session.get();
    expect((await stream.next(({ method }) => method === "notifications/tools/list_changed")).id).toBeUndefined();
    stream.abort();
  });
  it("closing a stream of 2026-07-28 cancels the call at the upstream", async () => {
    const [own, file] = await start();
    const call = open(own.port, modern("tools/call", { name: "hang", arguments: {} }));
    await until(() => (logged(file).includes('"hang"') ? true : undefined));
    call.abort();
    await until(() => (logged(file).includes("notifications/cancelled") ? true : undefined));
    expect(logged(file)).toContain("requestId");
  });
  it("DELETE ends the session's own upstream and no other; the end of the gateway ends all in time", async () => {
    const [own] = await start();
    const sessions = await Promise.all([openSession(own.port), openSession(own.port)]);
    const pids = async (): Promise<number> => {
      const ps = spawn("ps", ["-o", "pid=", "--ppid", String(own.child.pid)], { stdio: ["ignore", "pipe", "ignore"] });
      let text = "";
      ps.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
      await once(ps, "close");
      return text.split("\n").filter((line) => line.trim() !== "" && Number(line) !== ps.pid).length;
    };
    for (const session of sessions) await session.call(1, "echo");
    const before = await pids();
    expect((await sessions[0]?.delete())?.status).toBe(204);
    await expect.poll(pids).toBe(before - 1);
    expect((await sessions[1]?.call(2, "echo"))?.result).toBeDefined();
    // A stop that takes longer than 1.9 s ends with 1.
    expect((await own.stop()).code).toBe(0);
  });
});

describe("[gateway:http] an upstream over HTTP", () => {
  it("gets the entry's credentials and nothing of the client", async () => {
    const heads: Record<string, unknown>[] = [];
    const upstream = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => {
        heads.push(request.headers);
        if (request.method !== "POST") return void response.writeHead(405).end();
        const { id, method } = JSON.parse(text) as { id?: number; method?: string };
        if (id === undefined) return void response.writeHead(202).end();
        const tools = [{ name: "echo", description: "e", inputSchema: { type: "object" } }];
        const results: Record<string, object> = {
          initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "u", version: "1" } },
          "tools/list": { tools },
          "tools/call": { content: [{ type: "text", text: "called" }] },
        };
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "theirs" });
        return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method ?? ""] ?? {} }));
      });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => {
      upstream.closeAllConnections();
      upstream.close();
    });
    await once(upstream, "listening");
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`;
    const file = join(temporaryFolder(), "mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { up: { url, headers: { authorization: "Bearer ours" } } } }));
    const own = await startHttp(["proxy", "--bundle", "agent-session", "--config", file]);
    const theirs = { authorization: "Bearer client", cookie: "a=b", "x-upstream": "other", "x-forwarded-for": "6.6.6.6" };
    const session = await openSession(own.port, {}, theirs);
    const answer = await session.call(1, "echo", {});
    expect(answer.result?.["content"][0].text).toBe("called");
    expect(session.id).not.toBe("theirs");
    const text = JSON.stringify(heads);
    for (const secret of ["client", "a=b", "6.6.6.6", "x-upstream", session.id, String(own.port)]) expect(text).not.toContain(secret);
    expect(heads.every(({ authorization }) => authorization === "Bearer ours")).toBe(true);
    expect((await send(own.port, { body: hello() })).status).toBe(200);
  });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ENVELOPE, modern, openSession, send, startHttp, type HttpServer, type WireMessage } from "../e2e/http-kit.ts";
import { folder } from "./gateway-kit.ts";

const SERVER = join(import.meta.dirname, "crossing-server.mjs");
const CLIENTS = Array.from({ length: 50 }, (_, client) => client);
const TOKEN = "same";

/** One gateway in front of a server over stdio and one over HTTP. */
async function start(): Promise<HttpServer> {
  const far = spawn(process.execPath, [SERVER, "http"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void far.kill("SIGKILL"));
  const [address] = (await once(far.stdout.setEncoding("utf8"), "data")) as [string];
  const config = join(folder(), "mcp.json");
  const mcpServers = { near: { command: process.execPath, args: [SERVER] }, far: { url: address.trim() } };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  return await startHttp(["proxy", "--bundle", "agent-session", "--config", config]);
}

/** Every payload in a text is this one, and it is there. */
function holdsOnly(text: string, payload: string): void {
  expect(new Set(text.match(/payload-[a-z]+-[a-z]+-\d+-/g))).toEqual(new Set([payload]));
}

function progressOf(messages: readonly WireMessage[]): unknown {
  return messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params);
}

const progress = (payload: string): object[] => [1, 2, 3].map((step) => ({ progressToken: TOKEN, progress: step, message: payload }));

/** A session with a handshake: a call with a question of the server, and then two calls at the same time with one token. */
async function legacyClient(port: number, server: string, client: number): Promise<void> {
  const session = await openSession(port, { sampling: {} });
  const payload = `payload-legacy-${server}-${client}-`;
  const params = { name: `${server}__carry`, arguments: { s: payload }, _meta: { progressToken: TOKEN } };
  const stream = session.open({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const question = await stream.next(({ method }) => method === "sampling/createMessage");
  holdsOnly(JSON.stringify(question), payload);
  const content = { type: "text", text: `re:${payload}` };
  await session.post({ jsonrpc: "2.0", id: question.id, result: { role: "assistant", model: "m", content } });
  await stream.ended;
  holdsOnly(stream.text(), payload);
  expect(progressOf(stream.messages())).toEqual(progress(payload));
  expect(stream.messages().filter(({ method }) => method === "notifications/message")).toHaveLength(1);
  expect(stream.messages().at(-1)).toMatchObject({ id: 1, result: { content: [{ text: `${payload} re:${payload}` }] } });
  await Promise.all(
    [1, "1"].map(async (id, index) => {
      const own = `payload-legacy-${server}-${client}${index}-`;
      const plain = { name: `${server}__plain`, arguments: { s: own }, _meta: { progressToken: TOKEN } };
      const reply = await session.post({ jsonrpc: "2.0", id, method: "tools/call", params: plain });
      holdsOnly(reply.text, own);
      expect(progressOf(reply.messages)).toEqual(progress(own));
      expect(reply.messages.at(-1)).toMatchObject({ id, result: { content: [{ text: own }] } });
    }),
  );
}

/** Requests without a session, all with one id and one token. */
async function modernClient(port: number, server: string, client: number): Promise<void> {
  const payload = `payload-modern-${server}-${client}-`;
  const _meta = { ...ENVELOPE, progressToken: TOKEN };
  const reply = await send(port, modern("tools/call", { name: `${server}__plain`, arguments: { s: payload }, _meta }, 1));
  holdsOnly(reply.text, payload);
  expect(progressOf(reply.messages)).toEqual(progress(payload));
  expect(reply.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: payload }], resultType: "complete" } });
}

describe("[gateway:http] 50 clients of each era at the same time, with equal ids and progress tokens", () => {
  it("no answer, progress, log line or question is another's, over stdio and HTTP behind the gateway", async () => {
    const { port } = await start();
    const all = CLIENTS.flatMap((client) => [
      modernClient(port, "near", client),
      modernClient(port, "far", client),
      legacyClient(port, client % 2 === 0 ? "near" : "far", client),
    ]);
    expect(await Promise.all(all)).toHaveLength(150);
  }, 120_000);
});

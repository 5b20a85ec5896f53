import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { PROGRAM } from "./run.ts";

/** A server over HTTP as a process of its own. */
export interface HttpServer {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly stateDir: string;
  stderr(): string;
  /** Sends SIGTERM and gives exit code and the time until then. */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Takes what is to be done at the end of a test, or of all tests of a file. */
export type AtEnd = (finish: () => Promise<void>) => void;

/**
 * Starts `regate` with words of a command that listens on a free port.
 * @param atEnd ends it with the test unless given
 */
export async function startHttp(words: readonly string[], atEnd: AtEnd = onTestFinished): Promise<HttpServer> {
  const folder = mkdtempSync(join(tmpdir(), "regate-http-"));
  const stateDir = join(folder, "state");
  const args = [PROGRAM, ...words.slice(0, 1), "--listen", "127.0.0.1:0", "--state-dir", stateDir, ...words.slice(1)];
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "close");
  atEnd(async () => {
    child.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  let stderr = "";
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const url = await until(() => {
    const found = /listening on (http:\S+)\s/.exec(stderr)?.[1];
    if (found === undefined && child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${stderr}`);
    return found;
  });
  return {
    child,
    url,
    port: Number(new URL(url).port),
    stateDir,
    stderr: () => stderr,
    async stop() {
      const start = performance.now();
      child.kill("SIGTERM");
      const [code] = (await exited) as [number | null];
      return { code, ms: performance.now() - start };
    },
  };
}

/** Waits until something is there. */
export async function until<T>(get: () => T | undefined): Promise<T> {
  for (;;) {
    const value = get();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A reply as it came. */
export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Messages of the body, plain or as events. */
  readonly messages: readonly WireMessage[];
}

/** A JSON-RPC message as it came. */
export interface WireMessage {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, any>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a request is made of; headers replace those that a client of either era sends anyway. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** `undefined` leaves a header out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string | Uint8Array | object;
}

const BOTH = "application/json, text/event-stream";

/** Sends one HTTP request whose head is all ours, and waits for the whole reply. */
export async function send(port: number, { method = "POST", path = "/mcp", headers = {}, body }: Sent): Promise<HttpReply> {
  const stream = open(port, { method, path, headers, ...(body === undefined ? {} : { body }) });
  const { status, headers: head } = await stream.head;
  await stream.ended;
  return { status, headers: head, text: stream.text(), messages: stream.messages() };
}

/** A reply that is read while it comes. */
export interface OpenReply {
  readonly head: Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders }>;
  readonly ended: Promise<void>;
  text(): string;
  messages(): readonly WireMessage[];
  /** Waits for a message. */
  next(fits: (message: WireMessage) => boolean): Promise<WireMessage>;
  /** Gives up. */
  abort(): void;
}

/** Sends one HTTP request and gives the reply while it comes. */
export function open(port: number, { method = "POST", path = "/mcp", headers = {}, body }: Sent): OpenReply {
  const bytes = body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const usual = { host: `127.0.0.1:${port}`, accept: BOTH, ...(method === "POST" ? { "content-type": "application/json" } : {}) };
  const given = Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined);
  const sent = request({ port, host: "127.0.0.1", method, path, setHost: false, agent: false });
  for (const [name, value] of given) sent.setHeader(name, value);
  let text = "";
  const head = new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (reply) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers }));
  });
  const ended = new Promise<void>((resolve) => {
    sent.once("response", (reply) => {
      reply.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      reply.once("close", resolve).on("error", () => resolve());
    });
    sent.once("error", () => resolve());
  });
  head.catch(() => undefined);
  if (bytes === undefined) sent.end();
  else sent.end(bytes);
  const messages = (): readonly WireMessage[] => messagesOf(text);
  return {
    head,
    ended,
    text: () => text,
    messages,
    next: (fits) => until(() => messages().find(fits)),
    abort: () => void sent.destroy(),
  };
}

function messagesOf(text: string): readonly WireMessage[] {
  if (text === "") return [];
  if (text.startsWith("{")) {
    try {
      return [JSON.parse(text) as WireMessage];
    } catch {
      return [];
    }
  }
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((event) => event.split("\n").filter((line) => line.startsWith("data: ")))
    .map((line) => JSON.parse(line.slice("data: ".length)) as WireMessage);
}

/** A session of the older revisions. */
export interface Session {
  readonly id: string;
  readonly port: number;
  post(body: object | string | Uint8Array, headers?: Sent["headers"]): Promise<HttpReply>;
  open(body: object | string, headers?: Sent["headers"]): OpenReply;
  /** Calls a tool and gives the answer. */
  call(id: number | string, name: string, args?: object): Promise<WireMessage>;
  get(headers?: Sent["headers"]): OpenReply;
  delete(headers?: Sent["headers"]): Promise<HttpReply>;
}

/** `initialize` as a client sends it. */
export function hello(capabilities: object = {}, id: number | string = 0): object {
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "kit", version: "1" } };
  return { jsonrpc: "2.0", id, method: "initialize", params };
}

/** Opens a session with a handshake; `always` goes with each of its requests. */
export async function openSession(port: number, capabilities: object = {}, always: Sent["headers"] = {}): Promise<Session> {
  const reply = await send(port, { body: hello(capabilities), headers: always });
  const id = reply.headers["mcp-session-id"];
  if (typeof id !== "string") throw new Error(`no session: ${reply.status} ${reply.text}`);
  const own = { ...always, "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
  const session: Session = {
    id,
    port,
    post: (body, headers = {}) => send(port, { body, headers: { ...own, ...headers } }),
    open: (body, headers = {}) => open(port, { body, headers: { ...own, ...headers } }),
    async call(callId, name, args = {}) {
      const answer = await session.post(toolCall(callId, name, args));
      return answer.messages.find((message) => message.id === callId && message.method === undefined) as WireMessage;
    },
    get: (headers = {}) => open(port, { method: "GET", headers: { ...own, ...headers } }),
    delete: (headers = {}) => send(port, { method: "DELETE", headers: { ...own, ...headers } }),
  };
  await session.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  return session;
}

/** A tools/call. */
export function toolCall(id: number | string, name: string, args: object = {}): object {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

/** The envelope of 2026-07-28. */
export const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
} as const;

/** A request of 2026-07-28 with the headers that belong to it. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
): Required<Pick<Sent, "headers" | "body">> {
  const name = method === "resources/read" ? params["uri"] : params["name"];
  return {
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
    body: { jsonrpc: "2.0", id, method, params: { _meta: ENVELOPE, ...params } },
  };
}

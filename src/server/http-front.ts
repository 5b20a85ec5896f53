import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerDelete, answerGet, answerPost, type FrontParts } from "./http-verbs.ts";
import { createHttpClients } from "./http-clients.ts";
import { judgeOrigin, MCP_PATH, pathOf, type KnownNames } from "./http-head.ts";
import { HTTP_LIMITS, type HttpLimits } from "./http-limits.ts";
import type { OpenPeer, Principal } from "./http-port.ts";
import { refuseRequest, replyJson, type HttpRefusal } from "./http-reply.ts";
import { within } from "../wire/within.ts";

/** Who sends a request, and until when that holds (Unix milliseconds). */
export interface Known {
  readonly principal: Principal;
  readonly expiresAtMs: number;
}

/** Says who sends a request, or why it is refused. Never rejects. */
export type Authenticate = (request: IncomingMessage) => Promise<Known | { readonly refusal: HttpRefusal }>;

/** What an HTTP front is made of. */
export interface HttpFrontOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly openPeer: OpenPeer;
  /** Absent: nobody is asked who they are, and only a loopback address may be served. */
  readonly authenticate?: Authenticate | undefined;
  /** Documents for everybody, by path (RFC 9728 metadata). */
  readonly documents?: ReadonlyMap<string, string> | undefined;
  readonly knownNames?: KnownNames | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  /** Ends the front at once: running calls are aborted. */
  readonly stop: AbortSignal;
  /** Takes one line for stderr. */
  readonly note: (line: string) => void;
}

/** A front that accepts connections. */
export interface HttpFront {
  /** Address of the endpoint, such as `http://127.0.0.1:8931/mcp`. */
  readonly url: string;
  /** Resolves when a stop has ended it and every client. */
  readonly ended: Promise<void>;
}

/** How long aborted calls have to end, and what was answered to be taken. */
const ABORT_GRACE_MS = 1_200;
const FLUSH_MS = 300;
/** Lines that a front writes to stderr about its clients. */
const MAX_NOTES = 1_000;

const NO_NAMES: KnownNames = { hosts: new Set(), origins: new Set() };

/**
 * Serves MCP over Streamable HTTP (reference/gateway.md, HTTP): one service a client, opened by `openPeer`. Resolves once the port accepts.
 * @throws when the address cannot be listened on
 */
export async function openHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const limits: HttpLimits = { ...HTTP_LIMITS, ...options.limits };
  const clients = createHttpClients(options.openPeer, limits);
  const note = bounded(options.note);
  const parts: FrontParts = { clients, limits, note, stop: options.stop };
  const server = createServer({ requestTimeout: limits.requestMs, headersTimeout: limits.headMs, connectionsCheckingInterval: 1_000 });
  server.maxConnections = limits.maxConnections;
  server.keepAliveTimeout = limits.requestMs;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    void route(request, response, { options, parts }).catch((error: unknown) => {
      note(`http: ${error instanceof Error ? error.message : String(error)}`);
      refuseRequest(request, response, { status: 500, message: "internal error" });
    });
  };
  // Whoever asks before sending a body is judged first, like everybody else.
  server.on("request", onRequest).on("checkContinue", onRequest);
  await listening(server, options);
  return { url: urlOf(server.address() as AddressInfo), ended: endOf(server, parts) };
}

/** No client can fill the log: above the limit lines are left out, and that is said. */
function bounded(note: (line: string) => void): (line: string) => void {
  let left = MAX_NOTES;
  return (line) => {
    left -= 1;
    if (left >= 0) note(left === 0 ? `${line} (further lines of the front are not shown)` : line);
  };
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  { options, parts }: { readonly options: HttpFrontOptions; readonly parts: FrontParts },
): Promise<void> {
  response.on("error", () => undefined);
  const foreign = judgeOrigin(request, options.knownNames ?? NO_NAMES);
  if (foreign !== undefined) return refuseRequest(request, response, foreign);
  const path = pathOf(request);
  const document = path === undefined ? undefined : options.documents?.get(path);
  if (document !== undefined && request.method === "GET") return replyJson(response, 200, { json: document });
  if (path !== MCP_PATH) return refuseRequest(request, response, { status: 404, message: "nothing is served here" });
  const known = await options.authenticate?.(request);
  if (known !== undefined && "refusal" in known) return refuseRequest(request, response, known.refusal);
  if (parts.stop.aborted) return refuseRequest(request, response, { status: 503, message: "the server is stopping" });
  const asked = { request, response, principal: known?.principal, expiresAtMs: known?.expiresAtMs };
  if (request.method === "POST") return await answerPost(parts, asked);
  if (request.method === "GET") return answerGet(parts, asked);
  if (request.method === "DELETE") return await answerDelete(parts, asked);
  const headers = { Allow: "GET, POST, DELETE" };
  return refuseRequest(request, response, { status: 405, message: "this method is not served", headers });
}

async function listening(server: Server, { host, port }: Pick<HttpFrontOptions, "host" | "port">): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject).on("error", () => undefined);
      resolve();
    });
  });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}${MCP_PATH}`;
}

/** Waits for the stop; then nothing new is taken, what runs is aborted, and what was answered is sent. */
async function endOf(server: Server, { clients, stop }: FrontParts): Promise<void> {
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener("abort", resolve, { once: true }));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await clients.endAll(ABORT_GRACE_MS);
  server.closeIdleConnections();
  await within(FLUSH_MS, closed);
  server.closeAllConnections();
  await closed;
}

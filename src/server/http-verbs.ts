import type { IncomingMessage, ServerResponse } from "node:http";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { errorAnswer } from "./answers.ts";
import { readBody } from "./http-body.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpClients } from "./http-clients.ts";
import type { Exchange } from "./exchange.ts";
import { openExchange, type PostOptions } from "./http-exchange.ts";
import { acceptsOf, judgeBodyHead, TOO_LARGE } from "./http-head.ts";
import type { HttpLimits } from "./http-limits.ts";
import { isModernMessage, judgeModern, legacyStatus, modernStatus, type AskingLine } from "./http-modern.ts";
import type { Principal } from "./http-port.ts";
import { refuseRequest, replyEmpty, replyJson, type HttpRefusal } from "./http-reply.ts";
import type { RequestId } from "./request-id.ts";
import { RPC } from "./rpc.ts";
import { screenLine, type ScreenedLine } from "./screen.ts";

/** The parts of an open front. */
export interface FrontParts {
  readonly clients: HttpClients;
  readonly limits: HttpLimits;
  readonly note: (line: string) => void;
  readonly stop: AbortSignal;
}

/** One request that came to the endpoint, from whom. */
export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal | undefined;
  /** Unix milliseconds until which the token holds that came with the request. */
  readonly expiresAtMs: number | undefined;
}

type RequestLine = Extract<ScreenedLine, { kind: "request" }>;

/** Longest time that a timer can hold. */
const MAX_TIMER_MS = 2_147_483_647;
const SESSION = "Mcp-Session-Id";
const FULL: HttpRefusal = { status: 503, message: "too many sessions", headers: { "Retry-After": "30" } };
/** A message that is no request: nobody waits, so nothing of ours can go its way. */
const NO_WAY_BACK: Exchange = { send: () => false };

/** Answers POST: one message as the body. */
export async function answerPost(parts: FrontParts, asked: Asked): Promise<void> {
  const { request, response } = asked;
  const refusal = judgeBodyHead(request);
  if (refusal !== undefined) return refuse(asked, refusal);
  const accepts = acceptsOf(request);
  if (!accepts.json && !accepts.stream) return refuse(asked, { status: 406, message: "`Accept` names no type that is served" });
  const body = await readBody(request, response);
  if (body.kind === "gone") return;
  if (body.kind === "too_large") return refuse(asked, TOO_LARGE);
  const line = screenLine(body.bytes);
  if (line.kind === "blank") return refuse(asked, { status: 400, message: "a body is one JSON-RPC message", code: RPC.parse });
  if (line.kind === "refused") return refuse(asked, { status: refusedStatus(line), ...line });
  const isAsking = line.kind === "request" || line.kind === "notification";
  if (isAsking && isModernMessage(request, line)) return await answerModern(parts, asked, line);
  return await answerLegacy(parts, asked, line);
}

function refusedStatus({ code }: { readonly code: number }): number {
  return code === RPC.invalidParams ? 200 : 400;
}

async function answerModern(parts: FrontParts, asked: Asked, line: AskingLine): Promise<void> {
  const { request, response, principal } = asked;
  const error = judgeModern(request, line);
  const id = line.kind === "request" ? line.id : undefined;
  if (error !== undefined) return replyJson(response, error.code === RPC.methodNotFound ? 404 : 400, { json: errorAnswer(error, id).json });
  const client = await parts.clients.stateless(principal);
  if (client === undefined) return refuseFull(parts, asked, id);
  if (line.kind === "notification") return told(asked, client, line);
  const stateless = { scope: nextScope(), requestHeaders: request.headersDistinct };
  void (await answerRequest(parts, asked, { client, line, statusOf: modernStatus, ...stateless }));
}

let scopes = 0;

/** A name for the ids of one request: they count among themselves only. */
function nextScope(): string {
  scopes += 1;
  return `h${scopes}`;
}

async function answerLegacy(parts: FrontParts, asked: Asked, line: ScreenedLine): Promise<void> {
  const { request } = asked;
  const id = line.kind === "request" ? { id: line.id } : {};
  const version = request.headers["mcp-protocol-version"];
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
    return refuse(asked, { status: 400, message: "`MCP-Protocol-Version` is not supported", ...id });
  const isOpening = line.kind === "request" && line.method === "initialize" && request.headers["mcp-session-id"] === undefined;
  if (isOpening) return await openSession(parts, asked, line);
  const client = sessionOf(parts, asked);
  if ("status" in client) return refuse(asked, { ...client, ...id });
  if (line.kind === "request") return void (await answerRequest(parts, asked, { client, line, statusOf: legacyStatus }));
  if (line.kind !== "dropped") return told(asked, client, line);
  void client.peer.take(line, NO_WAY_BACK);
  return refuse(asked, { status: 400, message: "not a request, a notification or an answer" });
}

/** A notification, or a client's answer to a request of ours. */
function told({ response }: Asked, client: HttpClient, line: ScreenedLine): void {
  const done = client.use();
  void client.peer.take(line, NO_WAY_BACK);
  done();
  replyEmpty(response, 202);
}

/** The session opens with the answer: a client that is refused, or does not stay for it, leaves none behind. */
async function openSession(parts: FrontParts, asked: Asked, line: RequestLine): Promise<void> {
  const client = await parts.clients.open(asked.principal);
  if (client === undefined) return refuseFull(parts, asked, line.id);
  const headers = { [SESSION]: client.id };
  const isOpen = await answerRequest(parts, asked, { client, line, statusOf: legacyStatus, headers });
  if (!isOpen) await parts.clients.end(client);
}

interface Question extends Pick<PostOptions, "statusOf" | "scope" | "headers" | "requestHeaders"> {
  readonly client: HttpClient;
  readonly line: RequestLine;
}

/** @returns whether the client was there to take a result */
async function answerRequest({ limits, note }: FrontParts, { request, response }: Asked, question: Question): Promise<boolean> {
  const { client, line, ...rest } = question;
  // Its end would cancel the call; that it came before the call changes nothing.
  if (question.scope !== undefined && response.destroyed) return false;
  const exchange = openExchange(response, { ...rest, accepts: acceptsOf(request), keepAliveMs: limits.keepAliveMs });
  const done = client.use();
  try {
    const answer = await client.peer.take(line, exchange);
    const isTaken = exchange.finish(answer);
    if (!isTaken && answer !== undefined && question.scope === undefined) note("http: an answer was lost: its client did not stay for it");
    return isTaken && answer !== undefined && answer.code === undefined;
  } finally {
    done();
  }
}

/** Answers GET: the stream of what belongs to no request. */
export function answerGet(parts: FrontParts, asked: Asked): void {
  const client = sessionOf(parts, asked);
  if ("status" in client) return refuse(asked, client);
  if (!acceptsOf(asked.request).stream) return refuse(asked, { status: 406, message: "`Accept` must name text/event-stream" });
  client.outbox.open(asked.response, parts.limits.keepAliveMs);
  endAt(asked);
}

/** A stream does not outlive the token that opened it. */
function endAt({ response, expiresAtMs }: Asked): void {
  if (expiresAtMs === undefined) return;
  const timer = setTimeout(() => response.end(), Math.min(MAX_TIMER_MS, Math.max(0, expiresAtMs - Date.now())));
  timer.unref();
  response.once("close", () => clearTimeout(timer));
}

/** Answers DELETE: the session and everything behind it ends. */
export async function answerDelete(parts: FrontParts, asked: Asked): Promise<void> {
  const client = sessionOf(parts, asked);
  if ("status" in client) return refuse(asked, client);
  await parts.clients.end(client);
  replyEmpty(asked.response, 204);
}

/** The session that a request names, if it is the principal's own: to anybody else it does not exist (trial M18). */
function sessionOf({ clients, note }: FrontParts, { request, principal }: Asked): HttpClient | HttpRefusal {
  const ids = request.headersDistinct["mcp-session-id"] ?? [];
  const [id] = ids;
  if (id === undefined || id === "" || ids.length > 1) return { status: 400, message: `one \`${SESSION}\` header is needed` };
  const client = clients.find(id, principal);
  if (client === "foreign") note(`http: \`${principal?.subject ?? ""}\` used the session of another principal and was refused`);
  return client === undefined || client === "foreign" ? { status: 404, message: "unknown session" } : client;
}

function refuseFull({ limits, note }: FrontParts, asked: Asked, id: RequestId | undefined): void {
  note(`http: a client was refused, since ${limits.maxSessions} are served already (\`--http-max-sessions\`)`);
  refuse(asked, { ...FULL, ...(id === undefined ? {} : { id }) });
}

function refuse({ request, response }: Asked, refusal: HttpRefusal): void {
  refuseRequest(request, response, refusal);
}

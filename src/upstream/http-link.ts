import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { within } from "../wire/within.ts";
import type { HttpEntry } from "./entry.ts";
import { createSockets, type Outcome } from "./http-exchange.ts";
import { modernHeaders } from "./http-headers.ts";
import { answerTo, listen, readReply } from "./http-incoming.ts";
import { readText } from "./http-replies.ts";
import { endSoon, giveUp, giveUpSoon, isGood, lose, request, type HttpSession } from "./http-session.ts";
import type { OpenLink, SentContext, UpstreamEvents, UpstreamLink } from "./link.ts";

/** How an HTTP server is spoken to. */
export interface HttpLinkOptions {
  /** Longest message that is read from the server, in bytes. */
  readonly maxMessageBytes: number;
}

/** How long the server has to hear that its session ends. */
const DELETE_MS = 500;
/** How long the server has to take what has no answer. */
const TAKE_MS = 5_000;
/** Longest body of a refusal that is read. */
const MAX_REFUSAL_BYTES = 1024 * 1024;
const POST_HEADERS = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" } as const;

/**
 * Makes the opener of a connection to an HTTP server: its own session, its own headers, the entry's credentials, nothing of a client
 * (reference/gateway.md, Environment, credentials, HTTP). Nothing is sent before the first message. Redirects are refused: they could lead
 * credentials elsewhere.
 */
export function httpLink(entry: HttpEntry, { maxMessageBytes }: HttpLinkOptions): OpenLink {
  return (events, signal) =>
    signal.aborted ? Promise.reject(new Error("the gateway is closing")) : Promise.resolve(openLink(entry, events, maxMessageBytes));
}

function openLink(entry: HttpEntry, events: UpstreamEvents, maxBytes: number): UpstreamLink {
  const { session, ended } = openSession(entry, events, maxBytes);
  const order: Order = { before: Promise.resolve() };
  let closing: Promise<void> | undefined;
  return {
    ended,
    send: (json, context) => sendInTurn(session, order, { json, ...(context === undefined ? {} : { context }) }),
    close: () => (closing ??= close(session, ended)),
  };
}

function openSession(entry: HttpEntry, events: UpstreamEvents, maxBytes: number) {
  const closing = new AbortController();
  const sockets = createSockets();
  let over = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    over = resolve;
  });
  const session: HttpSession = {
    entry,
    url: new URL(entry.url),
    events,
    maxBytes,
    sockets,
    closing: closing.signal,
    waiting: new Map(),
    end(reason) {
      if (closing.signal.aborted) return;
      closing.abort();
      for (const waiting of session.waiting.values()) waiting.abort();
      sockets.http.destroy();
      sockets.https.destroy();
      events.onEnd(reason);
      over();
    },
  };
  return { session, ended };
}

async function close(link: HttpSession, ended: Promise<void>): Promise<void> {
  if (!link.closing.aborted && link.session !== undefined) {
    const farewell = request(link, { method: "DELETE", headers: {}, signal: link.closing });
    const outcome = await within(DELETE_MS, farewell);
    if (outcome?.kind === "reply") outcome.reply.resume();
  }
  link.end("it was closed");
  await ended;
}

/** What must be over before the next message is sent: the handshake, and whatever has no answer. */
interface Order {
  before: Promise<unknown>;
}

interface Sending {
  readonly json: string;
  readonly context?: SentContext;
}

async function sendInTurn(link: HttpSession, order: Order, { json, context }: Sending): Promise<void> {
  if (link.closing.aborted) throw new Error("the connection is closed");
  const message = JSON.parse(json) as JsonObject;
  const modern = modernHeaders(message, context);
  const { method, id } = message;
  if (method === "notifications/cancelled" && cancelsStream(link, message, modern !== undefined)) return;
  const isRequest = typeof method === "string" && id !== undefined;
  const asking = isRequest ? askingOf(link, JSON.stringify(id), modern !== undefined) : undefined;
  const out: Out = { json, method: typeof method === "string" ? method : "", headers: { ...POST_HEADERS, ...modern } };
  const sending = order.before.then(() => (asking === undefined ? sendOnly(link, out) : sendRequest(link, out, asking)));
  if (!isRequest || method === "initialize") order.before = sending.catch(() => undefined);
  await sending;
}

/** In 2026-07-28 giving up the stream is the cancellation; older servers are told, and the stream is left to them. */
function cancelsStream(link: HttpSession, { params }: JsonObject, isModern: boolean): boolean {
  const id = JSON.stringify((isJsonObject(params) ? params["requestId"] : undefined) ?? null);
  const isStateless = isModern || link.version === undefined;
  (isStateless ? giveUp : giveUpSoon)(link, id);
  return isStateless;
}

interface Out {
  readonly json: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A notification, or an answer to a request of the server. One that is not taken in time is given up: what comes behind it waits for it. */
async function sendOnly(link: HttpSession, { json, method, headers }: Out): Promise<void> {
  const late = AbortSignal.timeout(TAKE_MS);
  const outcome = await request(link, { method: "POST", body: json, headers, signal: AbortSignal.any([link.closing, late]) });
  if (outcome.kind === "failed" && late.aborted) throw new Error("the server did not take it in time");
  const reply = replyOf(link, outcome);
  reply?.resume();
  if (reply === undefined) return;
  if (!isGood(reply)) throw refusal(link, reply);
  if (method === "notifications/initialized") void listen(link);
}

interface Asking {
  /** As JSON text. */
  readonly id: string;
  readonly isModern: boolean;
  /** Aborted when nobody waits for the answer any more, which may be before anything is sent. */
  readonly signal: AbortSignal;
}

function askingOf(link: HttpSession, id: string, isModern: boolean): Asking {
  const givenUp = new AbortController();
  link.waiting.set(id, givenUp);
  return { id, isModern, signal: givenUp.signal };
}

async function sendRequest(link: HttpSession, { json, method, headers }: Out, { id, isModern, signal }: Asking): Promise<void> {
  if (signal.aborted) return lose(link, id);
  const outcome = await request(link, { method: "POST", body: json, headers, signal });
  // What became of a request that was given up says nothing about the server.
  if (outcome.kind === "failed" && signal.aborted) return lose(link, id);
  const reply = replyOf(link, outcome, id);
  if (reply === undefined) return lose(link, id);
  if (!isGood(reply)) return await readRefusal(link, reply, id);
  const session = reply.headers["mcp-session-id"];
  if (method === "initialize" && typeof session === "string" && /^[\u0021-\u007e]{1,1024}$/.test(session)) link.session = session;
  const reading = readReply(link, reply, { id, method, isModern, signal });
  // What follows the handshake needs what it brings.
  if (method === "initialize") await reading;
}

/**
 * The reply, or undefined when the message may have arrived and nothing came back.
 * @throws when nothing was sent; the link then ends, since whatever the server knew of it is gone
 */
function replyOf(link: HttpSession, outcome: Outcome, id?: string): IncomingMessage | undefined {
  if (outcome.kind === "reply") return outcome.reply;
  if (outcome.sent || link.closing.aborted) return undefined;
  if (id !== undefined) link.waiting.delete(id);
  endSoon(link, `it cannot be reached (${outcome.reason})`);
  throw new Error(`the server cannot be reached (${outcome.reason})`);
}

/** A reply with an error status: the server's own error if it has one, else nothing was done, except that of a 5xx nobody knows. */
async function readRefusal(link: HttpSession, reply: IncomingMessage, id: string): Promise<void> {
  const { statusCode = 0 } = reply;
  const body = await readText(reply, MAX_REFUSAL_BYTES);
  const answer = "text" in body ? answerWith(body.text, id) : undefined;
  const isGone = statusCode === 404 && link.session !== undefined;
  if (answer !== undefined && !isGone) {
    link.waiting.delete(id);
    return link.events.onMessage(answer, { requestId: id });
  }
  if (statusCode >= 500) return lose(link, id);
  link.waiting.delete(id);
  throw refusal(link, reply);
}

/** Why a message was not taken. A session that the server no longer knows is the end of the link. */
function refusal(link: HttpSession, { statusCode = 0 }: IncomingMessage): Error {
  if (statusCode === 404 && link.session !== undefined) endSoon(link, "its session ended");
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return new Error(isRedirect ? `the server redirects (${statusCode}): redirects are refused` : `the server answered ${statusCode}`);
}

/** The server's error as the answer to a request: as it came, or under the request's id if it came without one. */
function answerWith(text: string, id: string): string | undefined {
  if (answerTo(text, id)?.["error"] !== undefined) return text;
  try {
    const message = JSON.parse(text) as JsonValue;
    const error = isJsonObject(message) && message["jsonrpc"] === "2.0" ? message["error"] : undefined;
    const isError = isJsonObject(error) && typeof error["code"] === "number" && typeof error["message"] === "string";
    return isError ? `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}` : undefined;
  } catch {
    return undefined;
  }
}

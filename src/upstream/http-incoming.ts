import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { readEvents, readText, type BodyEnd } from "./http-replies.ts";
import { isGood, lose, request, STREAM_GRACE_MS, type HttpSession } from "./http-session.ts";

/** How often a stream that broke is taken up again without having brought anything new. */
const MAX_RESUMES = 5;
const FIRST_DELAY_MS = 500;
/** Whatever a server wants: `retry: 0` would be asked for without a pause. */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 30_000;

/** A request of ours whose reply has begun. */
export interface Awaited {
  /** Its id as JSON text. */
  readonly id: string;
  readonly method: string;
  /** 2026-07-28: streams cannot be taken up again. */
  readonly isModern: boolean;
  readonly signal: AbortSignal;
}

/** A stream of events as far as it was read. */
interface Place {
  lastId?: string;
  delayMs: number;
  failures: number;
}

/**
 * Reads the reply to a request, plain or as events, up to its answer. A stream that ends before it is taken up again from its last event,
 * which repeats nothing at the server; where that is not possible the answer is lost. Never rejects.
 */
export async function readReply(link: HttpSession, reply: IncomingMessage, awaited: Awaited): Promise<void> {
  const place: Place = { delayMs: FIRST_DELAY_MS, failures: 0 };
  if (isStream(reply)) {
    let current: IncomingMessage | undefined = reply;
    while (current !== undefined) {
      await readStream(link, current, { place, awaited });
      current = link.waiting.has(awaited.id) && !awaited.isModern ? await resume(link, place, awaited.signal) : undefined;
    }
  } else if (isJson(reply)) {
    const body = await readText(reply, link.maxBytes);
    if ("text" in body) receive(link, body.text, awaited);
    else unreadable(link, body.end);
  } else {
    reply.resume();
  }
  lose(link, awaited.id);
}

/** What is dropped although it came; a stream that only ended is no news. */
const UNREADABLE: Readonly<Partial<Record<BodyEnd, string>>> = {
  too_large: "a message that is too long",
  not_utf8: "a reply that is not UTF-8",
};

function unreadable(link: HttpSession, end: BodyEnd): void {
  const what = UNREADABLE[end];
  if (what !== undefined) link.events.onUnreadable?.(what);
}

function isStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers["content-type"] ?? "") && isPlain(headers);
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\b/i.test(headers["content-type"] ?? "") && isPlain(headers);
}

function isPlain(headers: IncomingMessage["headers"]): boolean {
  return (headers["content-encoding"] ?? "identity") === "identity";
}

interface Reading {
  readonly place: Place;
  /** Absent on the GET stream. */
  readonly awaited?: Awaited;
}

async function readStream(link: HttpSession, reply: IncomingMessage, { place, awaited }: Reading): Promise<BodyEnd> {
  let leaving: NodeJS.Timeout | undefined;
  const end = await readEvents(reply, link.maxBytes, {
    onData(json) {
      place.failures = 0;
      receive(link, json, awaited);
      // Nothing belongs to the request behind its answer: a server that does not end the stream must not keep a connection.
      if (awaited !== undefined && !link.waiting.has(awaited.id)) leaving ??= setTimeout(() => reply.destroy(), STREAM_GRACE_MS).unref();
    },
    onId: (id) => {
      if (/^[\u0020-\u007e]{1,1024}$/.test(id)) place.lastId = id;
    },
    full: () => link.events.full?.(),
    onRetry: (ms) => (place.delayMs = Math.min(Math.max(ms, MIN_DELAY_MS), MAX_DELAY_MS)),
  });
  clearTimeout(leaving);
  if (end === "too_large" || end === "not_utf8") delete place.lastId;
  unreadable(link, end);
  reply.destroy();
  return end;
}

/** Hands a message on; the answer to the request ends the wait for it. */
function receive(link: HttpSession, json: string, awaited: Awaited | undefined): void {
  const answered = awaited === undefined ? undefined : answerTo(json, awaited.id);
  if (answered !== undefined && awaited !== undefined) {
    link.waiting.delete(awaited.id);
    if (awaited.method === "initialize") noteVersion(link, answered);
  }
  link.events.onMessage(json, awaited === undefined ? undefined : { requestId: awaited.id });
}

/** The message, if it answers the request with this id. */
export function answerTo(json: string, id: string): JsonObject | undefined {
  try {
    const message = JSON.parse(json) as JsonValue;
    const isAnswer = isJsonObject(message) && message["method"] === undefined && JSON.stringify(message["id"] ?? null) === id;
    return isAnswer ? message : undefined;
  } catch {
    return undefined;
  }
}

function noteVersion(link: HttpSession, { result }: JsonObject): void {
  const version = isJsonObject(result) ? result["protocolVersion"] : undefined;
  if (typeof version === "string" && /^[\u0021-\u007e]{1,64}$/.test(version)) link.version = version;
}

/** Takes a stream up again behind its last event; undefined when that is not possible. */
async function resume(link: HttpSession, place: Place, signal: AbortSignal): Promise<IncomingMessage | undefined> {
  while (place.lastId !== undefined && place.failures < MAX_RESUMES && !signal.aborted) {
    place.failures += 1;
    await sleep(Math.min(place.delayMs * 2 ** (place.failures - 1), MAX_DELAY_MS), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const headers = { Accept: "text/event-stream", "Last-Event-ID": place.lastId };
    const outcome = await request(link, { method: "GET", headers, signal });
    if (outcome.kind === "failed") continue;
    if (isGood(outcome.reply) && isStream(outcome.reply)) return outcome.reply;
    outcome.reply.resume();
    return undefined;
  }
  return undefined;
}

/** Keeps the GET stream open for what belongs to no request, as long as the server has one. Never rejects. */
export async function listen(link: HttpSession): Promise<void> {
  const { closing: signal } = link;
  const place: Place = { delayMs: FIRST_DELAY_MS, failures: 0 };
  while (!signal.aborted) {
    const headers = { Accept: "text/event-stream", ...(place.lastId === undefined ? {} : { "Last-Event-ID": place.lastId }) };
    const outcome = await request(link, { method: "GET", headers, signal });
    if (outcome.kind === "reply") {
      if (!isGood(outcome.reply) || !isStream(outcome.reply)) return void outcome.reply.resume();
      await readStream(link, outcome.reply, { place });
    }
    place.failures += 1;
    await sleep(Math.min(place.delayMs * 2 ** (place.failures - 1), MAX_DELAY_MS), undefined, { signal }).catch(() => undefined);
  }
}

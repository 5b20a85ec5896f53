import type { IncomingMessage } from "node:http";
import type { HttpEntry } from "./entry.ts";
import { sendOut, type Outbound, type Outcome, type Sockets } from "./http-exchange.ts";
import type { UpstreamEvents } from "./link.ts";

/** One open link to an HTTP server. */
export interface HttpSession {
  readonly entry: HttpEntry;
  readonly url: URL;
  readonly events: UpstreamEvents;
  /** Longest message that is read, in bytes. */
  readonly maxBytes: number;
  readonly sockets: Sockets;
  /** Aborted at the end. */
  readonly closing: AbortSignal;
  /** Requests whose answer has not come, by id as JSON text; aborting one gives up its stream. */
  readonly waiting: Map<string, AbortController>;
  /** `Mcp-Session-Id` of the server, and the revision that was agreed on; absent before the handshake. */
  session?: string;
  version?: string;
  /** Ends the link; later calls change nothing. */
  end(reason: string): void;
}

/** What one HTTP request of a link is made of. */
export interface LinkRequest extends Pick<Outbound, "method" | "body" | "signal"> {
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends one HTTP request with what each of this link carries: the session, the revision, the entry's headers. */
export async function request(link: HttpSession, { headers, ...rest }: LinkRequest): Promise<Outcome> {
  const own: Record<string, string> = {
    ...link.entry.headers,
    ...(link.version === undefined ? {} : { "MCP-Protocol-Version": link.version }),
    ...(link.session === undefined ? {} : { "Mcp-Session-Id": link.session }),
  };
  return await sendOut(link.sockets, { ...rest, url: link.url, headers: { ...withoutEqual(own, headers), ...headers } });
}

/** Of two headers that differ in letter case only, the second counts. */
function withoutEqual(from: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): Record<string, string> {
  const taken = new Set(Object.keys(other).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(from).filter(([name]) => !taken.has(name.toLowerCase())));
}

/** Whether a reply says that the message was taken. */
export function isGood({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** An answer that can no longer come. */
export function lose(link: HttpSession, id: string): void {
  if (link.waiting.delete(id)) link.events.onLost?.(id);
}

/** How long a stream is left to a server that was told to stop, or has answered: one that hangs must not keep a connection. */
export const STREAM_GRACE_MS = 1_000;

/** Gives up a request that nobody waits for, and its stream. */
export function giveUp(link: HttpSession, id: string): void {
  link.waiting.get(id)?.abort();
  link.waiting.delete(id);
}

/** Gives it up after a while, unless it has ended by then. */
export function giveUpSoon(link: HttpSession, id: string): void {
  if (link.waiting.has(id)) setTimeout(() => giveUp(link, id), STREAM_GRACE_MS).unref();
}

/** Ends the link after whoever waits for this message has heard what became of it. */
export function endSoon(link: HttpSession, reason: string): void {
  setImmediate(() => link.end(reason));
}

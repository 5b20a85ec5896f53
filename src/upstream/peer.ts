import type { JsonObject, JsonValue } from "../call/json.ts";
import type { NumberSource } from "../wire/json-source.ts";
import { readIncoming, type Incoming } from "./incoming.ts";
import type { OpenLink, ReceivedContext, SentContext, UpstreamLink } from "./link.ts";

/** How a request to an upstream ended. */
export type PeerAnswer =
  | { readonly kind: "result"; readonly result: JsonObject; readonly numbers: readonly NumberSource[] }
  | { readonly kind: "error"; readonly error: JsonObject; readonly numbers: readonly NumberSource[] }
  /** The connection was lost; `sent` tells whether the request may have reached the server. */
  | { readonly kind: "lost"; readonly sent: boolean };

/** A request of ours to an upstream that was not answered yet. */
export interface Flight<Owner> {
  /** Upstream id, as JSON text. */
  readonly id: string;
  readonly method: string;
  /** Whoever gets what belongs to the request. */
  readonly owner: Owner;
  /** Progress token as it was sent. */
  readonly token?: JsonValue;
}

/** What is sent. */
export interface Outgoing<Owner> {
  readonly method: string;
  /** Params as JSON text; absent: none. */
  readonly params?: string | undefined;
  readonly owner: Owner;
  readonly token?: JsonValue | undefined;
  readonly context?: SentContext | undefined;
  /** Gets the answer, once, at the moment in which it comes. Must not throw. */
  readonly settle: (answer: PeerAnswer) => void;
}

/** Who hears what an upstream says of its own accord. None of them may throw. */
export interface PeerEvents<Owner> {
  onNotification(message: Incoming & { kind: "notification" }, flight: Flight<Owner> | undefined): void;
  onRequest(message: Incoming & { kind: "request" }, flight: Flight<Owner> | undefined): void;
  onEnd(reason: string): void;
  onStderr(line: string): void;
  /** Given while nothing more should be read. */
  full?(): Promise<unknown> | undefined;
  /** Something was dropped; `kind` is a fixed text. */
  onDropped(kind: string): void;
}

/** Sends a request of which only the answer counts. */
export function askPeer<Owner>(
  peer: Peer<Owner>,
  question: Omit<Outgoing<Owner>, "settle">,
): { readonly id: string; readonly answer: Promise<PeerAnswer> } {
  let settle: (answer: PeerAnswer) => void = () => undefined;
  const answer = new Promise<PeerAnswer>((resolve) => {
    settle = resolve;
  });
  return { id: peer.request({ ...question, settle }).id, answer };
}

/** One JSON-RPC connection to an upstream. */
export interface Peer<Owner> {
  /** Sends a request under an id of ours. */
  request(outgoing: Outgoing<Owner>): Flight<Owner>;
  /** Nobody waits for the answer any more: it is dropped when it comes. Tells whether it was still awaited. */
  forget(id: string): boolean;
  /** The request in flight that was sent with this progress token. */
  byToken(token: JsonValue): Flight<Owner> | undefined;
  /** The requests in flight, oldest first. */
  flights(): Iterable<Flight<Owner>>;
  /** Sends a notification; gives false when it could not be sent, or the server leaves too much unread and it is no cancellation. */
  notify(method: string, params?: string): boolean;
  /** Answers a request of the upstream. @param body `"result":…` or `"error":…` */
  respond(id: string, body: string): void;
  readonly isOpen: () => boolean;
  close(): Promise<void>;
}

interface Open<Owner> extends Flight<Owner> {
  /** Whether it may have reached the server. */
  readonly sent: boolean;
  readonly settle: (answer: PeerAnswer) => void;
}

/**
 * Opens a connection and speaks JSON-RPC over it: ids of ours, each answered at most once, nothing awaited after the connection is over.
 * Rejects when the link cannot be opened.
 */
export async function openPeer<Owner>(open: OpenLink, events: PeerEvents<Owner>, signal: AbortSignal): Promise<Peer<Owner>> {
  const flights = new Map<string, Open<Owner>>();
  const state = { isOpen: true, lastId: 0 };
  const end = (reason: string): void => {
    if (!state.isOpen) return;
    state.isOpen = false;
    for (const flight of flights.values()) flight.settle({ kind: "lost", sent: flight.sent });
    flights.clear();
    events.onEnd(reason);
  };
  const take = (id: string): Open<Owner> | undefined => {
    const flight = flights.get(id);
    flights.delete(id);
    return flight;
  };
  const link = await open(
    {
      onMessage: (json, context) => receive(json, context, { flights, take, events }),
      onUnreadable: (reason) => events.onDropped(`dropped ${reason}`),
      onEnd: end,
      onLost: (id) => take(id)?.settle({ kind: "lost", sent: true }),
      onStderr: (line) => events.onStderr(line),
      full: () => events.full?.(),
    },
    signal,
  );
  return {
    request(outgoing) {
      state.lastId += 1;
      const id = String(state.lastId);
      const { method, owner, token, settle } = outgoing;
      const sent = link.canSend === undefined || link.canSend();
      const flight: Open<Owner> = token === undefined ? { id, method, owner, settle, sent } : { id, method, owner, settle, sent, token };
      if (link.isFull?.() === true) {
        settle({ kind: "lost", sent: false });
        return flight;
      }
      flights.set(id, flight);
      const params = outgoing.params === undefined ? "" : `,"params":${outgoing.params}`;
      const fail = (): void => take(id)?.settle({ kind: "lost", sent: false });
      transmit(link, { json: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${params}}`, context: outgoing.context, fail });
      return flight;
    },
    forget: (id) => take(id) !== undefined,
    byToken: (token) => [...flights.values()].find((flight) => flight.token === token),
    flights: () => flights.values(),
    notify(method, params) {
      if (!state.isOpen || (link.isFull?.() === true && method !== "notifications/cancelled")) return false;
      let sent = true;
      const json = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params === undefined ? "" : `,"params":${params}`}}`;
      transmit(link, { json, fail: () => (sent = false) });
      return sent;
    },
    respond: (id, body) => transmit(link, { json: `{"jsonrpc":"2.0","id":${id},${body}}`, fail: () => undefined }),
    isOpen: () => state.isOpen,
    close: () => link.close(),
  };
}

interface Transmission {
  readonly json: string;
  readonly context?: SentContext | undefined;
  readonly fail: () => void;
}

/** Sends now; whatever way the link says that nothing was sent ends in `fail`. */
function transmit(link: UpstreamLink, { json, context, fail }: Transmission): void {
  try {
    const sending = link.send(json, context);
    if (sending instanceof Promise) sending.catch(fail);
  } catch {
    fail();
  }
}

interface Receiver<Owner> {
  readonly flights: ReadonlyMap<string, Open<Owner>>;
  readonly take: (id: string) => Open<Owner> | undefined;
  readonly events: PeerEvents<Owner>;
}

function receive<Owner>(json: string, context: ReceivedContext | undefined, { flights, take, events }: Receiver<Owner>): void {
  const incoming = readIncoming(json);
  const about = context?.requestId === undefined ? undefined : flights.get(context.requestId);
  switch (incoming.kind) {
    case "answer": {
      const flight = take(incoming.id);
      if (flight === undefined) return events.onDropped("dropped an answer to no request");
      return flight.settle(answerOf(incoming));
    }
    case "notification":
      return events.onNotification(incoming, about);
    case "request":
      return events.onRequest(incoming, about);
    default:
      return events.onDropped(`dropped ${incoming.reason}`);
  }
}

function answerOf({ message, numbers }: Incoming & { kind: "answer" }): PeerAnswer {
  const { result, error } = message;
  return error === undefined
    ? { kind: "result", result: result as JsonObject, numbers }
    : { kind: "error", error: error as JsonObject, numbers };
}

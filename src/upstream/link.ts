import type { JsonObject } from "../call/json.ts";

/** What a sender of a message knows beside its text. */
export interface SentContext {
  /** `inputSchema` of the tool that a tools/call names: an HTTP link makes the `Mcp-Param-*` headers from it. */
  readonly inputSchema?: Readonly<JsonObject>;
}

/** One connection to an upstream server, whatever carries it: messages as text, one JSON-RPC object each. */
export interface UpstreamLink {
  /**
   * Sends one message. Order is kept.
   * @throws (or rejects) when nothing of the message was sent, so that it may be sent elsewhere; a loss after that is told by `onEnd`
   */
  send(json: string, context?: SentContext): void | Promise<void>;
  /** False when it is certain that nothing that is sent now goes out, although the connection is not over yet. Absent: nobody knows. */
  readonly canSend?: () => boolean;
  /** True while the server has left so much unread that nothing should be asked of it. Absent: never. */
  readonly isFull?: () => boolean;
  /** Ends the connection in good order (stdin closed and process group ended, or DELETE); resolves when it is over. Never rejects. */
  close(): Promise<void>;
  /** Resolves when the connection is over, whoever ended it. */
  readonly ended: Promise<void>;
}

/** Where a message of an upstream came in. */
export interface ReceivedContext {
  /** Upstream id (JSON text) of the request on whose response stream the message came; absent on stdio and on a GET stream. */
  readonly requestId?: string;
}

/** What a connection tells; none of them may throw. Called in the order in which things happened, never before `OpenLink` was called. */
export interface UpstreamEvents {
  /** One message as it came: bounded text, decoded strictly, not yet parsed. */
  onMessage(json: string, context?: ReceivedContext): void;
  /** A line or event that is no text of bounded size; it is dropped and counted. */
  onUnreadable?(reason: string): void;
  /** The connection is over; called once, also after `close`. `reason` is prose for one stderr line. */
  onEnd(reason: string): void;
  /** A request whose answer can no longer come although the connection goes on (an HTTP stream that broke). `id` is its id as JSON text. */
  onLost?(id: string): void;
  /** Given while whoever hears all this has not taken enough of it: nothing more is read until it resolves. */
  full?(): Promise<unknown> | undefined;
  /** One line of the server's stderr. */
  onStderr?(line: string): void;
}

/**
 * Opens a connection. Rejects when it cannot be opened: then nothing was started and `onEnd` is not called.
 * @param signal aborts the opening
 */
export type OpenLink = (events: UpstreamEvents, signal: AbortSignal) => Promise<UpstreamLink>;

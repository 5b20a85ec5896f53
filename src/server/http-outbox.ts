import type { ServerResponse } from "node:http";
import { MAX_WAITING } from "./http-limits.ts";
import { openEventStream, type EventStream } from "./http-stream.ts";

/** Messages of ours to one client that belong to none of its requests: they go on its GET stream, and wait while there is none. */
export interface Outbox {
  /**
   * Takes a message.
   * @returns false when no more can wait, or the session is over: the message is lost
   */
  send(json: string): boolean;
  /** Makes a reply the stream; a stream that is open already ends, since a client that asks anew has lost it. */
  open(response: ServerResponse, keepAliveMs: number): void;
  /** Ends the stream; nothing is taken any more. */
  close(): void;
}

/** Above this many unread bytes a message waits here and not in the socket. */
const MAX_UNREAD = 1024 * 1024;

/** Makes an empty outbox without a stream. */
export function createOutbox(): Outbox {
  const waiting: string[] = [];
  let bytes = 0;
  let stream: EventStream | undefined;
  let isClosed = false;

  const isReady = (): boolean => stream?.isOpen() === true && stream.backlog() <= MAX_UNREAD;
  const flush = (): void => {
    for (let json = isReady() ? waiting.shift() : undefined; json !== undefined; json = isReady() ? waiting.shift() : undefined) {
      bytes -= json.length;
      stream?.write(json);
    }
  };

  return {
    send(json) {
      if (isClosed || waiting.length >= MAX_WAITING.messages || bytes + json.length > MAX_WAITING.bytes) return false;
      waiting.push(json);
      bytes += json.length;
      flush();
      return true;
    },
    open(response, keepAliveMs) {
      stream?.end();
      const opened = openEventStream(response, {}, keepAliveMs);
      stream = opened;
      response.on("drain", flush);
      response.once("close", () => {
        if (stream === opened) stream = undefined;
      });
      flush();
    },
    close() {
      isClosed = true;
      waiting.length = 0;
      stream?.end();
      stream = undefined;
    },
  };
}

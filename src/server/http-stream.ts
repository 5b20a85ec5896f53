import type { ServerResponse } from "node:http";
import type { ReplyHeaders } from "./http-reply.ts";

/** One open stream of server-sent events. */
export interface EventStream {
  /** Writes one JSON-RPC message as an event. */
  write(json: string): void;
  /** False once it was told to end, or the client is gone. */
  isOpen(): boolean;
  /** Bytes that the client has not taken yet. */
  backlog(): number;
  end(): void;
}

const HEADERS: ReplyHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
  "X-Content-Type-Options": "nosniff",
};

/** Turns a reply into a stream. Its head goes out at once; a comment keeps it alive through proxies that end what is silent. */
export function openEventStream(response: ServerResponse, headers: ReplyHeaders, keepAliveMs: number): EventStream {
  response.writeHead(200, { ...HEADERS, ...headers });
  response.flushHeaders();
  const timer = setInterval(() => response.write(": keep-alive\n\n"), keepAliveMs);
  timer.unref();
  response.once("close", () => clearInterval(timer));
  return {
    // A line end can only stand between the tokens of JSON; in an event it would end the data.
    write: (json) => void response.write(`event: message\ndata: ${/[\r\n]/.test(json) ? json.replaceAll(/[\r\n]+/g, " ") : json}\n\n`),
    isOpen: () => !response.writableEnded && !response.destroyed,
    backlog: () => response.writableLength,
    end() {
      clearInterval(timer);
      response.end();
    },
  };
}

import type { ServerResponse } from "node:http";
import type { Answer } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import type { Accepts } from "./http-head.ts";
import { replyEmpty, replyJson, type ReplyHeaders } from "./http-reply.ts";
import { openEventStream, type EventStream } from "./http-stream.ts";

/** A POST that waits for its answer. */
export interface PostExchange extends Exchange {
  /**
   * Sends the answer and ends the reply; without one the request was cancelled, and the reply ends empty.
   * @returns false when the client is gone: the answer is lost
   */
  finish(answer: Answer | undefined): boolean;
}

/** How a POST is answered. */
export interface PostOptions {
  readonly accepts: Accepts;
  /** HTTP status of an answer that is no stream. */
  readonly statusOf: (answer: Answer) => number;
  readonly keepAliveMs: number;
  readonly headers?: ReplyHeaders;
  /** Given for stateless requests: the end of the connection then cancels the call (reference/gateway.md, HTTP). */
  readonly scope?: string;
  /** The request's own headers, given for stateless requests. */
  readonly requestHeaders?: NonNullable<Exchange["headers"]>;
}

/** Unread bytes of one stream above which further messages do not go on it. */
const MAX_UNREAD = 16 * 1024 * 1024;

/**
 * Opens the way back of one POST: plain JSON when the answer comes soon and nothing before it, else a stream, if the client takes one.
 */
export function openExchange(response: ServerResponse, options: PostOptions): PostExchange {
  const { accepts, statusOf, keepAliveMs, headers = {}, scope } = options;
  const givenUp = new AbortController();
  let stream: EventStream | undefined;
  let isOver = false;

  const start = (): EventStream => (stream ??= openEventStream(response, headers, keepAliveMs));
  const late = setTimeout(() => accepts.stream && start(), keepAliveMs);
  response.once("close", () => {
    clearTimeout(late);
    if (!isOver) givenUp.abort();
    isOver = true;
  });

  return {
    send(json) {
      if (isOver || !accepts.stream || response.writableLength > MAX_UNREAD) return false;
      start().write(json);
      return true;
    },
    finish(answer) {
      if (isOver) return false;
      isOver = true;
      clearTimeout(late);
      reply(answer);
      return true;
    },
    ...(scope === undefined ? {} : { scope, givenUp: givenUp.signal }),
    ...(options.requestHeaders === undefined ? {} : { headers: options.requestHeaders }),
  };

  function reply(answer: Answer | undefined): void {
    const status = answer === undefined ? 202 : statusOf(answer);
    const isPlain = answer === undefined ? !accepts.stream : accepts.json || status !== 200;
    if (stream === undefined && isPlain && answer === undefined) return replyEmpty(response, status);
    if (stream === undefined && isPlain && answer !== undefined) return replyJson(response, status, { json: answer.json, headers });
    const events = start();
    if (answer !== undefined) events.write(answer.json);
    events.end();
  }
}

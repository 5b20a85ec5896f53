import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";

/** How the body of a reply ended. */
export type BodyEnd = "ended" | "broken" | "too_large" | "not_utf8";

/** A whole body, or why there is none. */
export type BodyText = { readonly text: string } | { readonly end: Exclude<BodyEnd, "ended"> };

/** Reads a body as one text of bounded size; whatever else it is ends the reply. Never rejects. */
export async function readText(reply: IncomingMessage, maxBytes: number): Promise<BodyText> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) return { end: "too_large" };
      chunks.push(chunk);
    }
  } catch {
    return { end: "broken" };
  }
  const text = decoded(new TextDecoder("utf-8", { fatal: true }), Buffer.concat(chunks));
  return text === undefined ? { end: "not_utf8" } : { text };
}

/** What a stream of events tells. */
export interface EventReader {
  /** One message. */
  onData(json: string): void;
  /** The id from which the stream can be taken up again. */
  onId(id: string): void;
  /** Milliseconds to wait before that. */
  onRetry(ms: number): void;
  /** Given while nothing more should be read. */
  full(): Promise<unknown> | undefined;
}

/** Reads a stream of events until it ends; an event above `maxBytes` ends it. Bytes are decoded across chunks, strictly. Never rejects. */
export async function readEvents(reply: IncomingMessage, maxBytes: number, reader: EventReader): Promise<BodyEnd> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const state: { end: BodyEnd } = { end: "ended" };
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent({ event = "message", id, data }) {
      if (state.end !== "ended") return;
      if (Buffer.byteLength(data) > maxBytes) state.end = "too_large";
      else if (id !== undefined) reader.onId(id);
      if (state.end === "ended" && event === "message" && data !== "") reader.onData(data);
    },
    onRetry: (ms) => reader.onRetry(ms),
    onError(error) {
      if (error.type === "max-buffer-size-exceeded") state.end = "too_large";
    },
  });
  try {
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      const text = decoded(decoder, chunk);
      if (text === undefined) return "not_utf8";
      parser.feed(text);
      if (state.end !== "ended") return state.end;
      const full = reader.full();
      if (full !== undefined) await full;
    }
    return "ended";
  } catch {
    return state.end === "ended" ? "broken" : state.end;
  }
}

function decoded(decoder: TextDecoder, chunk: Buffer): string | undefined {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    return undefined;
  }
}

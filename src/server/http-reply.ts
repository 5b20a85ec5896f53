import type { IncomingMessage, ServerResponse } from "node:http";
import { errorAnswer } from "./answers.ts";
import type { RequestId } from "./request-id.ts";
import { RPC } from "./rpc.ts";

/** Headers of one reply, beside those that all have. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** Why a request is refused before anything behind the front has seen it. */
export interface HttpRefusal {
  readonly status: number;
  /** For the client; fixed text. */
  readonly message: string;
  readonly headers?: ReplyHeaders;
  /** JSON-RPC code of the body; -32600 unless given. */
  readonly code?: number;
  /** Absent: the body has the id null. */
  readonly id?: RequestId;
}

const COMMON: ReplyHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

/** Sends a JSON body and ends the reply; nothing when the client is gone. */
export function replyJson(
  response: ServerResponse,
  status: number,
  reply: { readonly json: string; readonly headers?: ReplyHeaders },
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headOf(reply.json, reply.headers));
  response.end(reply.json);
}

function headOf(json: string, headers: ReplyHeaders = {}): Record<string, string | number> {
  return { ...COMMON, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(json), ...headers };
}

/** Ends a reply without a body. */
export function replyEmpty(response: ServerResponse, status: number, headers: ReplyHeaders = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...COMMON, "Content-Length": 0, ...headers });
  response.end();
}

/** How much of a refused body is still taken, and for how long, so that the client comes to read the answer and is not cut off. */
const LINGER = { bytes: 64 * 1024 * 1024, ms: 5_000 } as const;

/** Refuses a request with a JSON-RPC error as body, at once. What still comes of its own body is thrown away. */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, refusal: HttpRefusal): void {
  const { status, message, headers = {}, code = RPC.invalidRequest, id } = refusal;
  const { json } = errorAnswer({ code, message }, id);
  const asksFirst = request.headers.expect !== undefined;
  if (request.complete || asksFirst)
    return replyJson(response, status, { json, headers: asksFirst ? { ...headers, Connection: "close" } : headers });
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headOf(json, headers));
  response.write(json);
  linger(request, () => response.end());
}

function linger(request: IncomingMessage, end: () => void): void {
  const timer = setTimeout(end, LINGER.ms);
  let bytes = 0;
  const over = (): void => {
    clearTimeout(timer);
    end();
  };
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER.bytes) over();
  });
  request.once("end", over).once("close", over);
}

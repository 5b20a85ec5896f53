import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";

/** The sockets of one link, kept open between its requests. */
export interface Sockets {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Makes the sockets of one link. */
export function createSockets(): Sockets {
  const options = { keepAlive: true, maxSockets: 256, maxFreeSockets: 8, keepAliveMsecs: 10_000 };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

/** One HTTP request. */
export interface Outbound {
  readonly url: URL;
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Gives the request up. */
  readonly signal: AbortSignal;
}

/** What came of a request: the head of a reply, or nothing. `sent`: anything of it may have reached the server. */
export type Outcome =
  | { readonly kind: "reply"; readonly reply: IncomingMessage }
  | { readonly kind: "failed"; readonly sent: boolean; readonly reason: string };

/**
 * Sends one request and waits for the head of its reply. Redirects are not followed, bodies not decompressed, and nothing but the given
 * headers is sent (beside Host, Content-Length and Connection). There is no time limit: whoever waits has one. Never rejects.
 */
export async function sendOut(sockets: Sockets, { url, method, headers, body, signal }: Outbound): Promise<Outcome> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes === undefined ? {} : { "Content-Length": String(bytes.length) };
  const options: RequestOptions = { method, headers: { ...headers, ...length } };
  let sent = false;
  const outcome = new Promise<Outcome>((resolve) => {
    const isSecure = url.protocol === "https:";
    const request = isSecure
      ? httpsRequest(url, { ...options, agent: sockets.https })
      : httpRequest(url, { ...options, agent: sockets.http });
    const giveUp = (): void => void request.destroy();
    signal.addEventListener("abort", giveUp, { once: true });
    request.once("close", () => signal.removeEventListener("abort", giveUp));
    if (signal.aborted) giveUp();
    request.once("socket", (socket: Socket) => {
      // Also one that another request has just left to a request that waited for it.
      if (request.reusedSocket || !socket.connecting) sent = true;
      else socket.once(isSecure ? "secureConnect" : "connect", () => (sent = true));
    });
    request.once("response", (reply) => {
      // Whoever reads the body is told as well; nobody may be reading.
      reply.on("error", () => undefined);
      resolve({ kind: "reply", reply });
    });
    request.on("error", (error: NodeJS.ErrnoException) => resolve({ kind: "failed", sent, reason: error.code ?? error.message }));
    request.end(bytes);
  });
  // A header that HTTP cannot carry is refused before anything is sent.
  return await outcome.catch((error: unknown) => ({ kind: "failed", sent: false, reason: String(error) }));
}

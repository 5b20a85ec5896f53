/** Largest answer of an authorization server that is read. */
export const MAX_ANSWER_BYTES = 1024 * 1024;
/** How long one request may take. */
export const REQUEST_TIMEOUT_MS = 10_000;

const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Whether a URL may be talked to: https, or plain http to this machine, and no credentials in it. */
export function isAllowedUrl(text: unknown): text is string {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));
}

/** Whether a URL is plain http to this machine. */
export function isPlainHttp(text: string): boolean {
  return new URL(text).protocol === "http:";
}

/** As the OAuth library calls it. */
export type BoundedFetch = (url: string, request: BoundedRequest) => Promise<Response>;

interface BoundedRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | undefined;
}

/**
 * A `fetch` for talking to one authorization server: allowed URLs only, no redirect is followed, at most 10 s and 1 MiB an answer.
 * @param signal ends every request
 */
export function boundedFetch(signal: AbortSignal): BoundedFetch {
  return async (url, { method, headers, body: sent }) => {
    if (!isAllowedUrl(url)) throw new TypeError("the address of an endpoint is neither https nor on this machine");
    const response = await fetch(url, {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    const body = await bodyOf(response);
    return new Response(body.length === 0 ? null : body, { status: response.status, headers: response.headers });
  };
}

async function bodyOf(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) throw new RangeError(`an answer has more than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(chunk);
  }
  return new Uint8Array(Buffer.concat(parts));
}

import { randomBytes } from "node:crypto";
import type { ClientPeer, OpenPeer, Principal } from "./http-port.ts";
import { createOutbox, type Outbox } from "./http-outbox.ts";

/** One client of the front. */
export interface HttpClient {
  /** The transport session id: unguessable, and not the claim's (reference/gateway.md, HTTP). */
  readonly id: string;
  /** Equal exactly for the same issuer, subject and client (trial M18). */
  readonly owner: string;
  readonly peer: ClientPeer;
  readonly outbox: Outbox;
  /** Counts a request from now until the returned function is called; meanwhile the client is not idle. */
  use(): () => void;
  /** Milliseconds since the last request ended; 0 while one runs. */
  idleMs(): number;
}

/** What one client is made of. */
export interface HttpClientOptions {
  readonly openPeer: OpenPeer;
  readonly principal: Principal | undefined;
  readonly era: "legacy" | "modern";
}

/** Bytes of a session id: 192 bits. */
const ID_BYTES = 24;

/** Opens the service of a client. Rejects when that is not possible. */
export async function openHttpClient({ openPeer, principal, era }: HttpClientOptions): Promise<HttpClient> {
  const outbox = createOutbox();
  const peer = await openPeer({ principal, era, send: (json) => era === "legacy" && outbox.send(json) });
  const used = { requests: 0, at: performance.now() };
  return {
    id: randomBytes(ID_BYTES).toString("base64url"),
    owner: ownerOf(principal),
    peer,
    outbox,
    use() {
      used.requests += 1;
      return () => {
        used.requests -= 1;
        used.at = performance.now();
      };
    },
    idleMs: () => (used.requests > 0 ? 0 : performance.now() - used.at),
  };
}

/** Ends a client: its calls are aborted and answered if they end in time, everything behind it is closed. */
export async function closeHttpClient({ peer, outbox }: HttpClient): Promise<void> {
  peer.abort();
  await Promise.all([peer.close(), peer.idle()]);
  outbox.close();
}

/** Who owns what a principal opens. */
export function ownerOf(principal: Principal | undefined): string {
  return principal === undefined ? "" : JSON.stringify([principal.issuer, principal.subject, principal.clientId]);
}

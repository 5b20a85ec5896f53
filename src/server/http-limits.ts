/** Limits of the HTTP front; each bounds what one client can hold of the process (docs/http.md). */
export interface HttpLimits {
  /** Clients at a time: sessions of the older revisions, and principals of 2026-07-28. */
  readonly maxSessions: number;
  /** A client that asks nothing for so long is forgotten, its open GET stream notwithstanding. */
  readonly idleMs: number;
  /** Connections at a time. */
  readonly maxConnections: number;
  /** Time for the head of a request, and for a whole request. */
  readonly headMs: number;
  readonly requestMs: number;
  /** Silence after which an open stream gets a comment, and a request that waits becomes a stream. */
  readonly keepAliveMs: number;
}

/** The limits unless the operator sets others. */
export const HTTP_LIMITS: HttpLimits = Object.freeze({
  maxSessions: 256,
  idleMs: 3_600_000,
  maxConnections: 1_024,
  headMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 15_000,
});

/** Messages that wait for a client's GET stream (reference/gateway.md, HTTP), and their bytes. */
export const MAX_WAITING = { messages: 1_000, bytes: 16 * 1024 * 1024 } as const;

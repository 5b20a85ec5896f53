/**
 * One request of a client over HTTP and the way back to it while it lasts (reference/gateway.md, HTTP). Over stdio there is none: all
 * messages go the same way.
 */
export interface Exchange {
  /**
   * Sends a message of ours that belongs to this request: a notification, or a request to the client; never its answer.
   * @returns false when it cannot go this way (the client takes a single answer only, or is gone): it then goes the connection's way
   */
  send(json: string): boolean;
  /**
   * Tells the requests of stateless clients (2026-07-28) apart, whose ids may be equal: ids count within the scope, and nothing of one
   * scope can name a request of another. Absent: ids are the connection's.
   */
  readonly scope?: string;
  /** Aborted when the client gave the request up; its call is then cancelled, and nothing is answered. Absent: only a message cancels. */
  readonly givenUp?: AbortSignal;
  /** The headers of a request of 2026-07-28, by name in lower case: what they say of its arguments is compared where the tool is known. */
  readonly headers?: Readonly<Record<string, readonly string[] | undefined>>;
}

import type { Connection } from "./connection.ts";

/** Who sends an HTTP request, as its token proves it (design §11: a session belongs to the principal that opened it). */
export interface Principal {
  readonly issuer: string;
  readonly subject: string;
  /** `client_id`, else `azp`; null when the token names none. */
  readonly clientId: string | null;
  /** `groups` of the token; empty when it has none. */
  readonly groups: readonly string[];
}

/** What the HTTP front gives to the service of one client. */
export interface ClientPort {
  /** Undefined where no tokens are asked for: then everybody who reaches the loopback address is one. */
  readonly principal: Principal | undefined;
  /**
   * `legacy`: one session of one client, opened by its `initialize`. `modern`: the stateless requests of one principal, each with a scope
   * of its own (`Exchange.scope`); nothing can be sent to such a client but on its exchanges.
   */
  readonly era: "legacy" | "modern";
  /**
   * Sends a message that belongs to no request in flight, or whose exchange did not take it: it waits for the client's GET stream.
   * @returns false when it cannot be kept: 1,000 messages wait already, or the client is gone. A request of an upstream must then be
   *   answered with an error, never forgotten
   */
  send(json: string): boolean;
}

/** The service of one client: a connection whose end is the end of everything behind it. */
export interface ClientPeer extends Pick<Connection, "take" | "abort" | "idle" | "close"> {
  /** Ends what is behind the connection: corridor, log, upstreams. Calls in flight were aborted before. */
  close(): Promise<void>;
}

/** Opens the service of one client; a rejection is answered 500 and opens nothing. */
export type OpenPeer = (port: ClientPort) => Promise<ClientPeer>;

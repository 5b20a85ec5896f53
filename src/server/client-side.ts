import type { Connection } from "./connection.ts";

/** One client as its transport sees it, for the connection that is opened for it. */
export interface ClientSide {
  /**
   * Takes a message of ours or of an upstream (a request or a notification, never an answer) to the client: JSON on one line, without LF.
   * @param about key (`RequestId.key`) of the client's own request in flight that the message belongs to; absent: to none
   */
  readonly send: (json: string, about?: string) => void;
  /** Takes one line for stderr. */
  readonly log: (line: string) => void;
  /** Told that a line answered a question of ours: the next line must wait until those who asked have heard it. */
  readonly onAnswer?: () => void;
}

/**
 * Opens the connection of one client; closing it ends everything that was opened for it.
 * @param state `session`: a claim and upstream connections of its own (stdio, one Mcp-Session-Id); `request`: the connection of one
 *   modern HTTP request, over a corridor and upstream connections that all of them share
 */
export type OpenClient = (side: ClientSide, state: "session" | "request") => Promise<Connection>;

import { randomBytes } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { InitializeRequestSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject, JsonValue } from "../call/json.ts";
import type { RpcReply } from "./rpc.ts";

/** The SDK's part of a connection: the handshake of the legacy revisions, and requests of ours to the client. */
export interface LegacySession {
  /**
   * Answers `initialize`.
   * @returns undefined when the params do not have the form that the SDK wants
   */
  initialize(params: JsonObject): Promise<RpcReply> | undefined;
  /** Hands a notification on; those without a handler are ignored. */
  notify(method: string, params: JsonObject): void;
  /**
   * Hands a client's answer to a request of ours on.
   * @returns false when it answers none
   */
  respond(message: JsonObject): boolean;
  /** Asks the human through the client, if it can show forms (legacy `elicitation/create`). */
  readonly elicit: Server["elicitInput"];
  close(): Promise<void>;
}

/** What a legacy session needs. */
export interface LegacyOptions {
  readonly version: string;
  /** Takes a message of ours to the client: a request or a notification, never an answer. */
  readonly send: (message: object) => void;
  /** The SDK does not take a message; its error quotes the message, so it is not for logs. */
  readonly onError: (error: Error) => void;
}

/**
 * Opens the SDK's low-level server behind a transport of ours. No other request of the client reaches it than `initialize`, under an id
 * of ours: its schemas would strip keys of tools/call that policy must see, it answers some malformed requests not at all, and it cannot
 * handle all ids (reference/mcp.md §3.2).
 */
export async function openLegacySession({ version, send, onError }: LegacyOptions): Promise<LegacySession> {
  const server = new Server({ name: "regate", version }, { capabilities: { tools: {}, logging: {} } });
  const asked = createOwnIds();
  const pending = new Map<number, (reply: RpcReply) => void>();
  let lastId = 0;
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if (!("method" in message)) settle(pending, message);
      else send(asked.outward(message));
    },
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
  server.onerror = onError;
  await server.connect(transport);

  return {
    initialize(params) {
      const message = { jsonrpc: "2.0" as const, id: lastId + 1, method: "initialize", params };
      if (!InitializeRequestSchema.safeParse(message).success) return undefined;
      lastId += 1;
      return new Promise((resolve) => {
        pending.set(lastId, resolve);
        transport.onmessage?.(message);
      });
    },
    notify: (method, params) => transport.onmessage?.({ jsonrpc: "2.0", method, params }),
    respond(message) {
      const inward = asked.inward(message);
      if (inward) transport.onmessage?.(inward);
      return inward !== undefined;
    },
    elicit: (params, options) => server.elicitInput(params, options),
    close: () => server.close(),
  };
}

/** Answers the waiting request; an answer without one cannot come from the SDK. */
function settle(pending: Map<number, (reply: RpcReply) => void>, message: JSONRPCMessage): void {
  if (!("id" in message) || typeof message.id !== "number") return;
  const resolve = pending.get(message.id);
  pending.delete(message.id);
  if ("result" in message) resolve?.({ result: message.result });
  else if ("error" in message) resolve?.(rpcReply(message.error));
}

function rpcReply({ code, message, data }: { code: number; message: string; data?: unknown }): RpcReply {
  return { error: { code, message, ...(data === undefined ? {} : { data: data as JsonValue }) } };
}

/** Ids of our own requests: unguessable on the wire (reference/mcp.md §4.1), the SDK's numbers inside. */
function createOwnIds() {
  const prefix = `regate-${randomBytes(12).toString("hex")}-`;
  const outstanding = new Map<string, string | number>();
  return {
    outward(message: JSONRPCMessage): object {
      if (!("id" in message) || message.id === undefined) return withOwnRequestId(message, prefix);
      outstanding.set(`${prefix}${message.id}`, message.id);
      return { ...message, id: `${prefix}${message.id}` };
    },
    inward(message: JsonObject): JSONRPCMessage | undefined {
      const own = message["id"];
      const id = typeof own === "string" ? outstanding.get(own) : undefined;
      if (typeof own !== "string" || id === undefined) return undefined;
      outstanding.delete(own);
      return { ...message, id } as unknown as JSONRPCMessage;
    },
  };
}

/** A cancellation of ours names our request by the id that the client knows. */
function withOwnRequestId(message: JSONRPCMessage, prefix: string): object {
  if (!("method" in message) || message.method !== "notifications/cancelled") return message;
  const requestId = message.params?.["requestId"];
  return { ...message, params: { ...message.params, requestId: `${prefix}${String(requestId)}` } };
}

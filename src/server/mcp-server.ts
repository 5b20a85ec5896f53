import { randomBytes } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { InitializeRequestSchema, isJSONRPCRequest, type JSONRPCMessage, type JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject, JsonValue } from "../call/json.ts";
import type { RpcReply } from "./rpc.ts";
import type { ScreenedRequest } from "./screen.ts";

/** The SDK's part of a connection: the handshake of the legacy revisions, ping, and requests of ours to the client. */
export interface LegacySession {
  /** Whether the request has the form that the SDK wants; it leaves others without any answer. */
  accepts(request: ScreenedRequest): boolean;
  /** Lets the SDK answer an accepted request. Ids of the client do not reach it: it gets ids of its own, since it cannot handle all of theirs. */
  request(request: ScreenedRequest): Promise<RpcReply>;
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
  readonly onError: (error: Error) => void;
}

/**
 * Opens the SDK's low-level server behind a transport of ours. tools/list and tools/call never reach it: its schemas would strip keys
 * that policy must see. It declares tools and nothing else, so that every other request is -32601.
 */
export async function openLegacySession({ version, send, onError }: LegacyOptions): Promise<LegacySession> {
  const server = new Server({ name: "regate", version }, { capabilities: { tools: {} } });
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
    accepts: (request) => {
      const message = sdkRequest(request, 0);
      return isJSONRPCRequest(message) && (request.method !== "initialize" || InitializeRequestSchema.safeParse(message).success);
    },
    request: (request) =>
      new Promise((resolve) => {
        lastId += 1;
        pending.set(lastId, resolve);
        transport.onmessage?.(sdkRequest(request, lastId));
      }),
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

function sdkRequest({ method, params }: ScreenedRequest, id: number): JSONRPCRequest {
  return { jsonrpc: "2.0", id, method, ...(params ? { params } : {}) };
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

import type { JsonObject, JsonValue } from "../call/json.ts";

/** JSON-RPC and MCP error codes that the edge speaks (JSON-RPC 2.0 §5.1; MCP 2026-07-28). */
export const RPC = Object.freeze({
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
});

/** A JSON-RPC error; `message` is prose without user text beyond a bounded, quoted excerpt. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonValue;
}

/** What a request is answered with. `result` is an object that JSON can carry; if it cannot, the answer says so. */
export type RpcReply = { readonly result: object } | { readonly error: RpcError };

/** A reply that is an error. */
export function rpcError(code: number, message: string, data?: JsonObject): { readonly error: RpcError } {
  return { error: data === undefined ? { code, message } : { code, message, data } };
}

/** User text as it may stand in an error message: escaped, cut at 64 characters, in backticks. */
export function quoted(text: string): string {
  const shown = JSON.stringify(text).slice(1, -1);
  return shown.length > 64 ? `\`${shown.slice(0, 64)}…\`` : `\`${shown}\``;
}

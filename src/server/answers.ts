import { isJsonObject } from "../call/json.ts";
import { REFUSALS, type RefusalCode } from "../gate/refusals.ts";
import type { RequestId } from "./request-id.ts";
import { DECISION_META } from "./results.ts";
import { RPC, type RpcError, type RpcReply } from "./rpc.ts";

/** Longest result that is sent: hosts give up at 10 MiB a message (reference/mcp.md §3.1). */
export const MAX_RESULT_BYTES = 8 * 1024 * 1024;

/** One answer, ready for a transport. */
export interface Answer {
  /** A JSON-RPC response on one line, without LF. */
  readonly json: string;
  /** The error's code; absent for a result. */
  readonly code?: number;
}

/** An error as an answer; without an id it has the id null (JSON-RPC 2.0 §5). */
export function errorAnswer(error: RpcError, id?: RequestId): Answer {
  return { json: `{"jsonrpc":"2.0","id":${id?.json ?? "null"},"error":${JSON.stringify(error)}}`, code: error.code };
}

/**
 * Writes a reply down. A result that JSON cannot carry or that is too large becomes, for a tool call, an error result of its own code
 * without structured content (trial M06), and for any other request an internal error; never a cut or missing answer.
 */
export function renderReply(id: RequestId, reply: RpcReply, method: string): Answer {
  if ("error" in reply) return errorAnswer(reply.error, id);
  const json = serialised(reply.result);
  if (json !== undefined && Buffer.byteLength(json) <= MAX_RESULT_BYTES) return resultAnswer(id, json);
  if (method !== "tools/call") return errorAnswer({ code: RPC.internal, message: "internal error" }, id);
  const code = json === undefined ? "call.failed" : "call.result_too_large";
  return resultAnswer(id, JSON.stringify(replacement(code, reply.result)));
}

/** A result that is JSON text already. */
export function resultAnswer(id: RequestId, json: string): Answer {
  return { json: `{"jsonrpc":"2.0","id":${id.json},"result":${json}}` };
}

function serialised(result: object): string | undefined {
  try {
    return JSON.stringify(result);
  } catch {
    return undefined;
  }
}

/** The decision's id and the members that a modern result needs are kept, everything else of the result is left out. */
function replacement(code: RefusalCode, result: object): object {
  const { text, retryable } = REFUSALS[code];
  const meta: unknown = "_meta" in result ? result._meta : undefined;
  const decision = isJsonObject(meta) ? meta[DECISION_META] : undefined;
  const decisionId = isJsonObject(decision) ? decision["decision_id"] : undefined;
  return {
    ...("resultType" in result ? { resultType: "complete" } : {}),
    content: [{ type: "text", text }],
    isError: true,
    _meta: { [DECISION_META]: { ...(typeof decisionId === "string" ? { decision_id: decisionId } : {}), code, retryable } },
  };
}

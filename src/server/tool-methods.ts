import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { Corridor } from "./corridor-types.ts";
import type { RetryChannel } from "./retry.ts";
import { quoted, RPC, rpcError, type RpcReply } from "./rpc.ts";

/**
 * Answers tools/list, in both protocol eras: one page, in the corridor's order.
 */
export function listTools(corridor: Corridor): RpcReply {
  return { result: { tools: corridor.listTools() } };
}

/** How one tools/call is answered. */
export interface CallOptions {
  readonly signal: AbortSignal;
  readonly retry?: RetryChannel;
}

/**
 * Answers tools/call, in both protocol eras: the corridor gets name and arguments exactly as they were sent and its result goes back as
 * it is. Enters the corridor before it returns, so that calls are judged in the order of their lines (design §5).
 * @param params screened params: `name` is a string, `arguments` an object or absent
 */
export async function callTool(corridor: Corridor, params: JsonObject, options: CallOptions): Promise<RpcReply> {
  const tool = params["name"] as string;
  const given = params["arguments"];
  const answer = await corridor.call({ tool, arguments: isJsonObject(given) ? given : {}, path: "direct", ...options });
  if (answer.kind === "unknown_tool") return rpcError(RPC.invalidParams, `unknown tool ${quoted(tool)}`);
  return { result: answer.result };
}

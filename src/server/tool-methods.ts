import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { Corridor, ReportProgress } from "./corridor-types.ts";
import { metaOf } from "./params-rules.ts";
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
  readonly signal: Withdrawal;
  readonly retry?: RetryChannel;
  /** Sends a message of ours to the client that made the call. */
  readonly send?: ((json: string) => void) | undefined;
}

/**
 * Answers tools/call, in both protocol eras: the corridor gets name and arguments exactly as they were sent and its result goes back as
 * it is. Enters the corridor before it returns, so that calls are judged in the order of their lines (design §5).
 * @param params screened params: `name` is a string, `arguments` an object or absent
 */
export async function callTool(corridor: Corridor, params: JsonObject, options: CallOptions): Promise<RpcReply> {
  const tool = params["name"] as string;
  const given = params["arguments"];
  const { send, ...others } = options;
  const progress = send === undefined ? undefined : progressTo(params, send);
  const answer = await corridor.call({
    tool,
    arguments: isJsonObject(given) ? given : {},
    path: "direct",
    ...others,
    ...(progress === undefined ? {} : { progress }),
  });
  if (answer.kind === "unknown_tool") return rpcError(RPC.invalidParams, `unknown tool ${quoted(tool)}`);
  return { result: answer.result };
}

/** The way back for notifications/progress, if the request carries a token for them (MCP, progress). */
function progressTo(params: JsonObject, send: (json: string) => void): ReportProgress | undefined {
  const progressToken = metaOf(params)["progressToken"];
  if (typeof progressToken !== "string" && !Number.isSafeInteger(progressToken)) return undefined;
  return (state) => send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, ...state } }));
}

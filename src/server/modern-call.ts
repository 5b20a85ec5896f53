import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { Corridor } from "./corridor-types.ts";
import { completed, inputRequired } from "./modern.ts";
import { elicitationParams } from "./question.ts";
import { CONFIRM_KEY, type RetryChannel, type RetryQuestion } from "./retry.ts";
import type { RpcReply } from "./rpc.ts";
import { callTool } from "./tool-methods.ts";

/**
 * Answers tools/call of revision 2026-07-28. This revision has no requests to the client: a question to the human goes out as a result
 * that asks, and the client repeats the call with the answer (reference: mcp, results that ask).
 */
export async function callWithRetry(
  corridor: Corridor,
  params: JsonObject,
  { signal, version, send }: { readonly signal: Withdrawal; readonly version: string; readonly send?: (json: string) => void },
): Promise<RpcReply> {
  let asked: RetryQuestion | undefined;
  const retry: RetryChannel = { ...broughtBy(params), ask: (question) => void (asked = question) };
  const reply = await callTool(corridor, params, { signal, retry, send });
  return asked === undefined ? completed(reply, version) : inputRequired(reply, asksOf(asked), version);
}

function broughtBy(params: JsonObject): Pick<RetryChannel, "state" | "responses"> {
  const { requestState: state, inputResponses: responses } = params;
  return { ...(typeof state === "string" ? { state } : {}), ...(isJsonObject(responses) ? { responses } : {}) };
}

function asksOf({ question, state }: RetryQuestion): { readonly inputRequests: JsonObject; readonly requestState: string } {
  const request: JsonObject = { method: "elicitation/create", params: elicitationParams(question) };
  return { inputRequests: { [CONFIRM_KEY]: request }, requestState: state };
}

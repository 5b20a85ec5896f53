import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { CallToolResult } from "./corridor-types.ts";
import type { GatewayEdge } from "./gateway-types.ts";
import { elicitationParams } from "./question.ts";
import { CONFIRM_KEY, type RetryChannel, type RetryQuestion } from "./retry.ts";

/** How a stateless client is asked by the gateway itself. */
export interface Channel {
  readonly retry: RetryChannel;
  /** The client repeats a call with a state of ours. */
  readonly isOurs: boolean;
  asked?: RetryQuestion;
}

/** States that are told from those of upstreams; far fewer can be answered at a time. */
const MAX_STATES = 4_096;

/** Asks a stateless client; a state that is not ours belongs to the upstream and passes. */
export function retryChannel(edge: GatewayEdge, { requestState: state, inputResponses: responses }: JsonObject): Channel {
  const isOurs = typeof state === "string" && edge.states.has(state);
  const channel: Channel = {
    isOurs,
    retry: {
      ...(isOurs ? { state } : {}),
      ...(isOurs && isJsonObject(responses) ? { responses } : {}),
      ask(question) {
        edge.states.add(question.state);
        if (edge.states.size > MAX_STATES) edge.states.delete(edge.states.values().next().value ?? "");
        channel.asked = question;
      },
    },
  };
  return channel;
}

/** A result that asks in place of one that is complete. */
export function asking({ question, state }: RetryQuestion, { _meta }: CallToolResult): JsonObject {
  const request: JsonObject = { method: "elicitation/create", params: elicitationParams(question) };
  return { resultType: "input_required", inputRequests: { [CONFIRM_KEY]: request }, requestState: state, _meta: _meta ?? {} };
}

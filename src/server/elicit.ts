import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonValue } from "../call/json.ts";
import type { Confirm, ConfirmOutcome } from "./confirm.ts";
import type { LegacySession } from "./mcp-server.ts";

/** Longest time that a timer can hold: how long is waited is the corridor's business. */
const NO_TIMEOUT_MS = 2_147_483_647;

/**
 * What an answer to the question means (design §6): `accept` with the boolean `confirm: true` is a yes, with `false` a no; `decline` and
 * `cancel` are what they say; everything else is malformed.
 * @param result result of `elicitation/create`, whoever made it
 */
export function elicitationOutcome(result: unknown): ConfirmOutcome {
  if (!isJsonObject(result as JsonValue)) return "malformed";
  const { action, content } = result as { readonly action?: unknown; readonly content?: unknown };
  if (action === "decline") return "declined";
  if (action === "cancel") return "cancelled";
  return action === "accept" ? answered(content) : "malformed";
}

function answered(content: unknown): ConfirmOutcome {
  const confirm = isJsonObject(content as JsonValue) ? (content as { readonly confirm?: unknown }).confirm : undefined;
  if (confirm === true) return "accepted";
  return confirm === false ? "declined" : "malformed";
}

/**
 * Asks through `elicitation/create` of the legacy revisions. Never throws: what the client or the SDK throws is an outcome.
 * @param canShow whether the client declared, at its handshake, that it can show forms
 */
export function elicitThrough(elicit: LegacySession["elicit"], canShow: () => boolean): Confirm {
  return async ({ question, signal }) => {
    if (!canShow()) return "no_channel";
    const { message, requestedSchema } = question;
    try {
      const params = { message, requestedSchema: structuredClone(requestedSchema) };
      return elicitationOutcome(await elicit(params, { signal, timeout: NO_TIMEOUT_MS }));
    } catch (error) {
      return failure(error);
    }
  };
}

function failure(error: unknown): ConfirmOutcome {
  const code: number | undefined = error instanceof McpError ? error.code : undefined;
  return code === ErrorCode.MethodNotFound ? "no_channel" : "malformed";
}

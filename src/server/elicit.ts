import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { Confirm, ConfirmOutcome } from "./confirm.ts";
import { elicitationOutcome } from "./elicitation-outcome.ts";
import type { LegacySession } from "./mcp-server.ts";

/** Longest time that a timer can hold: how long is waited is the corridor's business. */
const NO_TIMEOUT_MS = 2_147_483_647;

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

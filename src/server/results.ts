import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { REFUSALS } from "../gate/refusals.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Refusal } from "../gate/verdict.ts";
import type { Reason } from "../policy/decision.ts";
import type { CallToolResult } from "./corridor-types.ts";

/** Key under which every result names the decision that it follows from (design §5). */
export const DECISION_META = "regate/decision";

/**
 * The result that a refusal becomes: one text block, `isError`, no structured content, and what would help (design §5; trial M04). The
 * same bytes on every path.
 */
export function refusalResult(refusal: Refusal, decisionId: string): CallToolResult {
  const { code, retryable, resolve } = refusal;
  return {
    content: [{ type: "text", text: refusal.text }],
    isError: true,
    _meta: { [DECISION_META]: { decision_id: decisionId, code, retryable, ...(resolve === undefined ? {} : { resolve }) } },
  };
}

/**
 * A tool's own result, with the decision that let it run. What a tool or an upstream server says under our key is replaced.
 * @param warnings the policy's warnings on an admitted call
 */
export function decidedResult(result: CallToolResult, decisionId: string, warnings: readonly Reason[] = []): CallToolResult {
  const meta: JsonObject = { decision_id: decisionId };
  if (warnings.length > 0) meta["warnings"] = warnings.map(({ code, rule, message }) => ({ code, rule, message }));
  const decided = { ...result };
  decided._meta = result._meta === undefined ? {} : { ...result._meta };
  decided._meta[DECISION_META] = meta;
  return decided;
}

/** Tells whether a handler gave back something that is a tool result at all (embedders and upstream servers may not). */
export function isToolResult(value: unknown): value is CallToolResult {
  if (typeof value !== "object" || value === null || !("content" in value) || !Array.isArray(value.content)) return false;
  return value.content.every(
    (block: unknown) => typeof block === "object" && block !== null && "type" in block && typeof block.type === "string",
  );
}

/** The code of a result that is a refusal of this gate. */
export function refusalCodeOf({ _meta }: CallToolResult): RefusalCode | undefined {
  const decision = _meta?.[DECISION_META];
  const code = isJsonObject(decision) ? decision["code"] : undefined;
  return typeof code === "string" && Object.hasOwn(REFUSALS, code) ? (code as RefusalCode) : undefined;
}

import type { JsonValue } from "../call/json.ts";
import { isJsonObject } from "../call/json.ts";

/** How a policy's document is to be read; never guessed from what it looks like (design §2). */
export type Dialect = "regate" | "opa-allow" | "decision";

/**
 * Translates a foreign document into Regate's own form; the strict parser judges the outcome. What does not fit the dialect becomes
 * undefined, which is malformed.
 * @param document what the policy answered
 */
export function translate(document: JsonValue, dialect: Dialect): JsonValue | undefined {
  if (dialect === "regate") return document;
  if (!isJsonObject(document)) return undefined;
  return dialect === "opa-allow" ? fromAllow(document) : fromDecision(document);
}

/** `{allow, deny_reason}` alone. */
function fromAllow(document: { [key: string]: JsonValue }): JsonValue | undefined {
  if (!hasOnly(document, ["allow", "deny_reason"])) return undefined;
  return { ...document, reasons: [], effect: "none", confirm: "none" };
}

/** `{decision, reason}`: `allow`, `deny` or `requires-approval`; any other value of `decision` denies. */
function fromDecision(document: { [key: string]: JsonValue }): JsonValue | undefined {
  const { decision, reason } = document;
  if (!hasOnly(document, ["decision", "reason"]) || typeof decision !== "string") return undefined;
  if (reason !== undefined && typeof reason !== "string") return undefined;
  const terms = { reasons: [], effect: "none", ...(reason === undefined ? {} : { deny_reason: reason }) };
  if (decision === "requires-approval") return { ...terms, allow: true, confirm: "block", approval: {} };
  return { ...terms, allow: decision === "allow", confirm: "none" };
}

function hasOnly(document: object, keys: readonly string[]): boolean {
  return Object.keys(document).every((key) => keys.includes(key));
}

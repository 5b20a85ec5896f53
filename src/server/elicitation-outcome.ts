import { isJsonObject, type JsonValue } from "../call/json.ts";
import type { ConfirmOutcome } from "./confirm.ts";

/**
 * What an answer to the question means (design §6): `accept` with the boolean `confirm: true` is a yes, with `false` a no; `decline` and
 * `cancel` are what they say; everything else is malformed.
 * @param result result of `elicitation/create`, whoever made it
 */
export function elicitationOutcome(result: unknown): ConfirmOutcome {
  const action = ownOf(result, "action");
  if (action === "decline") return "declined";
  if (action === "cancel") return "cancelled";
  const confirm = action === "accept" ? ownOf(ownOf(result, "content"), "confirm") : undefined;
  if (confirm === true) return "accepted";
  return confirm === false ? "declined" : "malformed";
}

function ownOf(value: unknown, key: string): JsonValue | undefined {
  const object = value as JsonValue | undefined;
  return isJsonObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

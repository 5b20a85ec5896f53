import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { ClientFacts } from "../session/session.ts";

/**
 * What a client says about itself, in `initialize` or in the `_meta` of a request; self-reported, so never used for a security decision.
 * Elicitation counts when forms are supported: an empty `elicitation` capability means forms, one that names only `url` does not.
 */
export function clientFacts(capabilities: JsonValue | undefined, info: JsonValue | undefined): ClientFacts {
  const elicitation = isJsonObject(capabilities) && supportsForms(capabilities["elicitation"]);
  const { name, version } = isJsonObject(info) ? info : ({} as JsonObject);
  return {
    elicitation,
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof version === "string" ? { version } : {}),
  };
}

function supportsForms(elicitation: JsonValue | undefined): boolean {
  if (!isJsonObject(elicitation)) return false;
  return Object.keys(elicitation).length === 0 || isJsonObject(elicitation["form"]);
}

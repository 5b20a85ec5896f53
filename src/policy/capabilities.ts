import type { JsonObject, JsonValue } from "../call/json.ts";
import { isJsonObject } from "../call/json.ts";
import { COMPILED_BUILTINS, HOST_BUILTINS, NATIVE_BUILTINS } from "./allowed-builtins.ts";

/** A capabilities document as `opa capabilities --current` prints it; only the parts that the cut reads are named. */
export interface Capabilities {
  readonly builtins: readonly (JsonObject & { readonly name: string })[];
  readonly features?: readonly string[];
}

/** Language features that policies are written in; template strings are left out with their builtin. */
const FEATURES = ["keywords_in_refs", "rego_v1"];

/** Keywords that a file may import: `future.keywords.not` makes a negation over something undefined true (design §1). */
const FUTURE_KEYWORDS = ["not"];

/** `concat` over a set joins in hash order, so a policy may join arrays only. */
const JOINS_SETS = "concat";

/**
 * Cuts OPA's capabilities down to what a Regate policy may use (design §2): the allowed builtins as OPA declares them, except that
 * `concat` takes arrays only; the language without template strings; no network.
 * @throws Error naming the builtins or features that the document lacks: then it is of another OPA version
 */
export function cutCapabilities(current: Capabilities): JsonObject {
  const allowed = new Set([...NATIVE_BUILTINS, ...HOST_BUILTINS, ...COMPILED_BUILTINS]);
  const builtins = current.builtins.filter(({ name }) => allowed.has(name));
  const present = new Set([...builtins.map(({ name }) => name), ...(current.features ?? [])]);
  const missing = [...allowed, ...FEATURES].filter((name) => !present.has(name));
  if (missing.length > 0) throw new Error(`capabilities lack ${missing.map((name) => `\`${name}\``).join(", ")}`);
  return {
    builtins: builtins.map((builtin) => (builtin.name === JOINS_SETS ? withoutSets(builtin) : builtin)),
    future_keywords: FUTURE_KEYWORDS,
    features: FEATURES,
    allow_net: [],
  };
}

/** The declaration with every choice between a set and one other type reduced to that other type. */
function withoutSets<Value extends JsonValue>(value: Value): Value;
function withoutSets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member) => withoutSets(member));
  if (!isJsonObject(value)) return value;
  const { of: choices, ...rest } = value;
  const others = Array.isArray(choices) ? choices.filter((one) => isJsonObject(one) && one["type"] !== "set") : [];
  const only = value["type"] === "any" && others.length === 1 ? others[0] : undefined;
  if (isJsonObject(only)) return { ...rest, ...only };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutSets(member)]));
}

import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { HOST_BUILTINS } from "./builtins/registry.ts";
import { NATIVE_BUILTINS, WRONG_IN_WASM } from "./wasm-builtins.ts";

/** A capabilities document as `opa capabilities --current` prints it; only the parts that the cut reads are named. */
export interface Capabilities {
  readonly builtins: readonly (JsonObject & { readonly name: string })[];
  readonly features?: readonly string[];
}

/** Builtins of which nothing is left in a module: operators, and annotations that OPA resolves when it compiles. */
const COMPILED_AWAY: readonly string[] = ["assign", "eq", "rego.metadata.chain", "rego.metadata.rule"];

/** Native builtins that OPA has deprecated, or whose text follows hash order: `$"{…}"` over a set or an object. */
const LEFT_OUT: ReadonlySet<string> = new Set(["all", "any", "internal.template_string", "net.cidr_overlap", "re_match", "set_diff"]);

/** Language features that policies are written in; template strings are left out with their builtin. */
const FEATURES: readonly string[] = ["keywords_in_refs", "rego_v1"];

/** Keywords that a file may import: `future.keywords.not` makes a negation over something undefined true (design §1). */
const FUTURE_KEYWORDS: readonly string[] = ["not"];

/** Joins a set in hash order, so a policy may join arrays only. */
const JOINS_SETS = "concat";

/**
 * Cuts OPA's capabilities down to what a Regate policy may use (design §2): builtins that are native in the module and right there,
 * or supplied by the engine, as OPA declares them, except that `concat` takes arrays only; the language without template strings;
 * no network. The result is `policy/capabilities.json`.
 * @throws Error naming the builtins or features that the document lacks: then it is of another OPA version
 */
export function cutCapabilities(current: Capabilities): JsonObject {
  const native = [...NATIVE_BUILTINS.keys()].filter((name) => !WRONG_IN_WASM.has(name) && !LEFT_OUT.has(name));
  const allowed = new Set([...native, ...HOST_BUILTINS.keys(), ...COMPILED_AWAY]);
  const builtins = current.builtins.filter(({ name }) => allowed.has(name));
  const present = new Set([...builtins.map(({ name }) => name), ...(current.features ?? [])]);
  const missing = [...allowed, ...FEATURES].filter((name) => !present.has(name));
  if (missing.length > 0) throw new Error(`capabilities lack ${missing.map((name) => `\`${name}\``).join(", ")}`);
  return {
    builtins: builtins.map((builtin) => (builtin.name === JOINS_SETS ? withoutSets(builtin) : builtin)),
    future_keywords: [...FUTURE_KEYWORDS],
    features: [...FEATURES],
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

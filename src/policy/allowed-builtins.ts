/**
 * The builtins that a policy may use: what OPA's WASM runtime has and computes as OPA's interpreter does, and what our engine supplies.
 * `policy/capabilities.json` is the cut of OPA's own capabilities by these lists (design §2; reference/opa-wasm.md §5).
 */

/** Builtins that OPA compiles into the module and that agree with the interpreter. */
export const NATIVE_BUILTINS: readonly string[] = [
  ["abs", "ceil", "floor", "round", "plus", "minus", "mul", "div", "rem"],
  ["count", "sum", "product", "max", "min", "sort"],
  ["array.concat", "array.flatten", "array.reverse", "array.slice"],
  ["bits.and", "bits.or", "bits.xor", "bits.negate", "bits.lsh", "bits.rsh"],
  ["assign", "eq", "equal", "neq", "lt", "lte", "gt", "gte", "to_number"],
  ["base64.encode", "base64url.encode"],
  ["json.filter", "json.remove"],
  ["glob.match", "regex.match", "regex.is_valid"],
  ["graph.reachable", "walk"],
  ["internal.member_2", "internal.member_3"],
  ["net.cidr_contains", "net.cidr_intersects"],
  ["object.filter", "object.get", "object.keys", "object.remove", "object.union"],
  ["and", "or", "intersection", "union"],
  ["concat", "contains", "endswith", "lower", "split", "startswith", "substring", "upper"],
  ["strings.replace_n", "strings.reverse"],
  ["trim", "trim_left", "trim_prefix", "trim_right", "trim_space", "trim_suffix"],
  ["is_array", "is_boolean", "is_null", "is_number", "is_object", "is_set", "is_string", "type_name"],
].flat();

/** Builtins that our engine supplies to the module; they are undefined on error and never throw. */
export const HOST_BUILTINS: readonly string[] = [
  "crypto.sha256",
  "glob.quote_meta",
  "hex.decode",
  "hex.encode",
  "indexof_n",
  "net.cidr_is_valid",
  "numbers.range_step",
  "object.subset",
  "regex.find_n",
  "regex.replace",
  "semver.compare",
  "semver.is_valid",
  "sprintf",
  "strings.any_prefix_match",
  "strings.any_suffix_match",
  "strings.count",
  "time.add_date",
  "time.clock",
  "time.date",
  "time.diff",
  "time.parse_duration_ns",
  "time.parse_rfc3339_ns",
  "time.weekday",
  "units.parse",
  "units.parse_bytes",
];

/** Builtins that OPA resolves when it compiles; nothing of them is left in a module. */
export const COMPILED_BUILTINS: readonly string[] = ["rego.metadata.chain", "rego.metadata.rule"];

/** Builtins that the module would have, but computes otherwise than the interpreter, with the case; no policy may use them. */
export const WRONG_BUILTINS: ReadonlyMap<string, string> = new Map([
  ["base64.decode", "takes unpadded and foreign characters"],
  ["base64.is_valid", "takes unpadded and foreign characters"],
  ["base64url.decode", "takes unpadded and foreign characters"],
  ["format_int", "gives up on numbers such as 1e15"],
  ["indexof", "finds an empty text"],
  ["internal.template_string", "writes sets and objects in hash order and numbers in another form"],
  ["json.is_valid", "takes a number followed by anything"],
  ["json.marshal", "writes sets and keys in hash order"],
  ["json.unmarshal", "takes a number followed by anything"],
  ["numbers.range", "has no bound"],
  ["object.union_n", "is undefined for an empty array"],
  ["regex.find_all_string_submatch_n", "finds nothing for a number below -1"],
  ["replace", "never returns for an empty pattern"],
]);

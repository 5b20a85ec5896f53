/** A Rego number: its text, since numbers have any precision (`9007199254740993`, `1e400`, `0.10`). */
export interface RegoNumber {
  readonly kind: "number";
  readonly text: string;
}

/** A Rego set; items are sorted in Rego's order and unique. */
export interface RegoSet {
  readonly kind: "set";
  readonly items: readonly RegoValue[];
}

/** A Rego object; entries are sorted by key in Rego's order. Keys may be of any type. */
export interface RegoObject {
  readonly kind: "object";
  readonly entries: readonly (readonly [RegoValue, RegoValue])[];
}

/** A Rego value as host builtins see it (reference/opa-wasm.md §5.5: handed over in Rego form, so that sets stay sets). */
export type RegoValue = null | boolean | string | RegoNumber | readonly RegoValue[] | RegoSet | RegoObject;

/**
 * One builtin that this engine supplies.
 * `call` gets as many values as `arity` says and returns undefined for what is an error in OPA (OPA's Go host does the same), or throws
 * `BuiltinLimit` where OPA would go on and this engine will not: that aborts the decision, which is a denial.
 */
export interface HostBuiltin {
  readonly arity: number;
  readonly call: (...args: RegoValue[]) => RegoValue | undefined;
}

/** A limit of this engine, not of OPA's semantics: the decision is aborted and denied instead of continued on a guess. */
export class BuiltinLimit extends Error {
  override readonly name = "BuiltinLimit";
}

/** Makes a Rego number from a safe integer or a BigInt. */
export function number(value: number | bigint): RegoNumber {
  return { kind: "number", text: String(value) };
}

/** Tells whether a value is a string. */
export function isString(value: RegoValue | undefined): value is string {
  return typeof value === "string";
}

/** Tells whether a value is an array (not a set). */
export function isArray(value: RegoValue | undefined): value is readonly RegoValue[] {
  return Array.isArray(value);
}

/** Tells whether a value is a number. */
export function isNumber(value: RegoValue | undefined): value is RegoNumber {
  return typeof value === "object" && value !== null && !isArray(value) && value.kind === "number";
}

/** Tells whether a value is a set. */
export function isSet(value: RegoValue | undefined): value is RegoSet {
  return typeof value === "object" && value !== null && !isArray(value) && value.kind === "set";
}

/** Tells whether a value is an object. */
export function isObject(value: RegoValue | undefined): value is RegoObject {
  return typeof value === "object" && value !== null && !isArray(value) && value.kind === "object";
}

/** Items of an array or a set in Rego's order; undefined for anything else. */
export function itemsOf(value: RegoValue | undefined): readonly RegoValue[] | undefined {
  if (isArray(value)) return value;
  return isSet(value) ? value.items : undefined;
}

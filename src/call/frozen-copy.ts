import type { JsonObject, JsonValue } from "./json.ts";

/** Why arguments cannot be judged: `too_large` in size, `malformed` when they are not exact, well-formed JSON of bounded depth. */
export type ArgumentProblem = "too_large" | "malformed";

/** A deeply frozen copy, or why there is none. */
export type FrozenCopy =
  | { readonly ok: true; readonly value: Readonly<JsonObject> }
  | { readonly ok: false; readonly problem: ArgumentProblem };

/** Deepest nesting of arguments; wider than the engine's own bound, so that the policy decides where both could. */
const MAX_DEPTH = 128;
/** Characters of all strings and keys, plus one for each value: about 4 MB. */
const MAX_SIZE = 4 * 1024 * 1024;

/** Thrown inside one copy only; never leaves this file. */
class Unfit extends Error {
  readonly problem: ArgumentProblem;

  constructor(problem: ArgumentProblem) {
    super(problem);
    this.problem = problem;
  }
}

interface Budget {
  left: number;
}

/**
 * Copies arguments once and freezes the copy, so that what was judged is what runs (design §1, trial P06). A string with a lone surrogate is
 * malformed: it has no UTF-8 form and aborts the WASM runtime. Every getter is read once;
 * properties that are `undefined` are left out, as in JSON; `__proto__` and `constructor` are ordinary keys.
 * @param value what the caller gave as arguments
 */
export function frozenCopy(value: unknown): FrozenCopy {
  try {
    const copy = copyValue(value, 0, { left: MAX_SIZE });
    return isPlainCopy(copy) ? { ok: true, value: copy } : { ok: false, problem: "malformed" };
  } catch (error) {
    return { ok: false, problem: error instanceof Unfit ? error.problem : "malformed" };
  }
}

function isPlainCopy(copy: JsonValue): copy is JsonObject {
  return typeof copy === "object" && copy !== null && !Array.isArray(copy);
}

function copyValue(value: unknown, depth: number, budget: Budget): JsonValue {
  spend(budget, 1);
  switch (typeof value) {
    case "string":
      return exactString(value, budget);
    case "number":
      return exactNumber(value);
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (depth >= MAX_DEPTH) throw new Unfit("malformed");
      return Array.isArray(value) ? copyArray(value, depth, budget) : copyObject(value, depth, budget);
    default:
      throw new Unfit("malformed");
  }
}

function copyArray(value: readonly unknown[], depth: number, budget: Budget): JsonValue[] {
  if (value.length > budget.left) throw new Unfit("too_large");
  return Object.freeze(Array.from(value, (item) => copyValue(item, depth + 1, budget))) as JsonValue[];
}

function copyObject(value: object, depth: number, budget: Budget): JsonObject {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new Unfit("malformed");
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item === undefined) continue;
    const name = exactString(key, budget);
    const kept = copyValue(item, depth + 1, budget);
    // Assigning `__proto__` would set the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: kept, enumerable: true });
    else copy[name] = kept;
  }
  return Object.freeze(copy);
}

function exactString(text: string, budget: Budget): string {
  spend(budget, text.length);
  if (!text.isWellFormed()) throw new Unfit("malformed");
  return text;
}

/** Refuses what JSON cannot carry exactly; `-0` is written `0` in JSON and so becomes it. */
function exactNumber(value: number): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) throw new Unfit("malformed");
  return value === 0 ? 0 : value;
}

function spend(budget: Budget, amount: number): void {
  budget.left -= amount;
  if (budget.left < 0) throw new Unfit("too_large");
}

import { isJsonObject } from "../call/json.ts";
import type { JsonValue } from "../call/json.ts";
import { maskString, noteErased, redactValue } from "./redact-walk.ts";
import type { Walk } from "./redact-walk.ts";
import { REDACTED } from "./secret-patterns.ts";

/** The arguments that the `args` strings were made from, before and after redaction. */
export interface ArgsSource {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
  readonly walk: Walk;
}

/**
 * Redacts `args`, the sorted `key=value` strings that were made from the arguments (design §2): each is made again from the redacted
 * argument, so that both forms lose exactly the same (trial E05). A string that does not fit its argument is masked by itself.
 */
export function redactArgs(args: JsonValue, { before, after, walk }: ArgsSource): JsonValue {
  if (!Array.isArray(args) || !isJsonObject(before) || !isJsonObject(after))
    return withPath(walk, ["input", "args"], () => redactValue(args, walk));
  const keys = Object.keys(before).toSorted();
  const redacted = args.map((arg, index) =>
    withPath(walk, ["input", "args", index], () => {
      const key = keys[index];
      if (typeof arg !== "string" || key === undefined || !arg.startsWith(`${key}=`)) return redactValue(arg, walk);
      const again = argAfter(key, {
        arg,
        before: before[key] as JsonValue,
        after: Object.hasOwn(after, key) ? after[key] : undefined,
        walk,
      });
      if (again !== arg) noteErased(walk, "masked");
      return again;
    }),
  );
  return redacted.some((arg, index) => arg !== args[index]) ? redacted : args;
}

interface OneArg {
  readonly arg: string;
  readonly before: JsonValue;
  readonly after: JsonValue | undefined;
  readonly walk: Walk;
}

function argAfter(key: string, { arg, before, after, walk }: OneArg): string {
  if (after === before) return arg;
  if (after === undefined) return maskString(`${key}=${REDACTED}`, walk);
  return `${key}=${typeof after === "string" ? after : JSON.stringify(after)}`;
}

function withPath<T>(walk: Walk, path: readonly (string | number)[], run: () => T): T {
  walk.path.push(...path);
  try {
    return run();
  } finally {
    walk.path.length -= path.length;
  }
}

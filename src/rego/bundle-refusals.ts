import type { JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";
import { NEVER_ALLOWED, WRONG_IN_WASM } from "../policy/wasm-builtins.ts";
import type { Problem } from "./protocol.ts";
import type { Uses } from "./read-paths.ts";

/** The one key under which a bundle's data may live (design §1): elsewhere plain data can pose as a rule's result. */
const DATA_ROOT = "regate";

/**
 * Says what is wrong with a bundle's data: a top-level key other than `regate`, or an overlap with a package.
 * @param path of the data file, for the message
 * @param packages dotted package paths, such as `gate.rules.ai_agent`
 */
export function dataProblems(path: string, data: unknown, packages: readonly string[]): readonly Problem[] {
  if (!isJsonObject(data)) return [{ code: "data_error", message: `${path}: not a JSON object` }];
  return Object.keys(data).flatMap((key) => {
    const overlapped = packages.filter((name) => name === key || name.startsWith(`${key}.`));
    if (overlapped.length > 0)
      return overlapped.map((name) => ({ code: "data_error", message: `${path}: data overlaps package \`${name}\`` }));
    return key === DATA_ROOT
      ? []
      : [{ code: "data_error", message: `${path}: data has the key \`${key}\`, and only \`${DATA_ROOT}\` may hold data` }];
  });
}

/** Why no policy in WASM may call a builtin, or undefined when it may. */
export function builtinFault(name: string): string | undefined {
  const never = NEVER_ALLOWED.get(name);
  if (never !== undefined) return `never allowed: ${never}`;
  const wrong = WRONG_IN_WASM.get(name);
  return wrong === undefined ? undefined : `wrong in WASM: ${wrong.reason}`;
}

/** One problem for each call of a builtin that no policy may use: name, file, row. */
export function builtinProblems(uses: Uses): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [name, places] of uses.builtins) {
    const fault = builtinFault(name);
    if (fault !== undefined)
      for (const location of places) problems.push({ code: "builtin_error", message: `\`${name}\` is ${fault}`, location });
  }
  return problems;
}

/** Adds the reason to OPA's "undefined function" where the capabilities leave a builtin out for one. */
export function explainMissing(problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => {
    const name = /^undefined function (\S+)$/u.exec(problem.message)?.[1];
    const fault = name === undefined ? undefined : builtinFault(name);
    return fault === undefined ? problem : { ...problem, message: `${problem.message} (${fault})` };
  });
}

/** Dotted package path of a syntax tree, without the leading `data`. */
export function packageOf(module: JsonObject): string {
  const path = (module["package"] as JsonObject)["path"] as unknown as readonly { readonly value: string }[];
  return path
    .slice(1)
    .map(({ value }) => value)
    .join(".");
}

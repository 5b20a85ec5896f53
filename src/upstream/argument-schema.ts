import { createContext, Script } from "node:vm";
import { Ajv, type AsyncValidateFunction, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../call/json.ts";
import { pathText } from "./argument-types.ts";

/** How long one evaluation may take: a `pattern` of a server may run for ever. */
const EVALUATION_MS = 250;
/** How long a schema may take to be made ready, once: that grows with more than its length. */
const COMPILATION_MS = 1_000;
/** Most schemas that are kept ready. */
const MAX_KEPT = 500;

/** Nothing is loaded, coerced, filled in or written anywhere; formats are annotations. */
const OPTIONS: Options = { strict: false, validateSchema: false, validateFormats: false, ownProperties: true, logger: false };

const kept = new Map<string, ValidateFunction | undefined>();
const sandbox: { check: () => unknown } = { check: () => undefined };
const context = createContext(sandbox);
const script = new Script("check()");

/**
 * Evaluates arguments against the whole of a pinned inputSchema (`full` of reference/gateway.md, Decisions). A schema that cannot be
 * evaluated, or not in time, fits nothing.
 * @param tool the schema, and the digest of the definition that it stands in
 * @returns path and keyword of the first misfit
 */
export function schemaMisfit(
  value: Readonly<JsonObject>,
  { inputSchema, digest }: { readonly inputSchema: JsonObject; readonly digest: string },
): string | undefined {
  const validate = compiled(inputSchema, digest);
  if (validate === undefined) return "the tool's `inputSchema` cannot be evaluated";
  try {
    return inTime(EVALUATION_MS, () => validate(value)) === true ? undefined : misfitText(validate.errors?.[0]);
  } catch {
    return "the tool's `inputSchema` cannot be evaluated in time";
  }
}

/** Runs what may run for ever. @throws Error when the time is up */
function inTime(timeout: number, check: () => unknown): unknown {
  sandbox.check = check;
  try {
    return script.runInContext(context, { timeout });
  } finally {
    sandbox.check = () => undefined;
  }
}

function compiled(schema: JsonObject, digest: string): ValidateFunction | undefined {
  if (kept.has(digest)) return kept.get(digest);
  if (kept.size >= MAX_KEPT) kept.clear();
  const validate = compile(schema);
  kept.set(digest, validate);
  return validate;
}

function compile(schema: JsonObject): ValidateFunction | undefined {
  const { $schema: dialect } = schema;
  const isOld = typeof dialect === "string" && /draft-0[4-7]/.test(dialect);
  try {
    const validate = inTime(COMPILATION_MS, () => (isOld ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS)).compile(schema)) as
      | ValidateFunction
      | AsyncValidateFunction;
    // What gives a promise (`$async`) says nothing in time, and its rejection would be nobody's.
    return "$async" in validate ? undefined : validate;
  } catch {
    // A reference into the network, a pattern that is none, a keyword of another dialect, or too much of all.
    return undefined;
  }
}

function misfitText(error: ErrorObject | undefined): string {
  if (error === undefined) return "does not fit the tool's `inputSchema`";
  const { instancePath, keyword, params } = error;
  const path: (string | number)[] = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
  const { missingProperty, additionalProperty } = params as { missingProperty?: string; additionalProperty?: string };
  const named = missingProperty ?? additionalProperty;
  return `\`${pathText(named === undefined ? path : [...path, named])}\`: does not fit \`${keyword}\``;
}

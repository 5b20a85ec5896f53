import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { has, quotedPath } from "./line-rules.ts";
import type { ParsedJson } from "../wire/json-source.ts";
import { findFoldedKey, META_KEYS, paramsKeys, TOOL_CALL_KEYS, type KeyTable } from "./protocol-keys.ts";
import { quoted, RPC } from "./rpc.ts";

/** A request or notification whose envelope is sound. */
export interface ParamsView {
  readonly method: string;
  /** The params; an empty object when there are none or when they are no object. */
  readonly params: JsonObject;
  readonly message: JsonObject;
  readonly json: ParsedJson;
}

/** One reason to refuse the params of a request; as `LineRule`. */
export interface ParamsRule {
  readonly id: string;
  readonly code: number;
  /** Methods that the rule is about; absent: all. */
  readonly methods?: readonly string[];
  readonly objects: (view: ParamsView) => string | undefined;
}

const CALL = ["tools/call"];

/** What the params of a request must be; in order, the first objection wins (design §11; reference/mcp.md §6.1). */
export const PARAMS_RULES: readonly ParamsRule[] = [
  { id: "params_type", code: RPC.invalidParams, objects: ({ message }) => typed(message, "params", isJsonObject) },
  { id: "params_folded_key", code: RPC.invalidRequest, objects: ({ method, params }) => folded(params, paramsKeys(method)) },
  { id: "meta_type", code: RPC.invalidParams, objects: ({ params }) => typed(params, "_meta", isJsonObject) },
  { id: "meta_folded_key", code: RPC.invalidRequest, objects: ({ params }) => folded(metaOf(params), META_KEYS) },
  { id: "progress_token", code: RPC.invalidParams, objects: ({ params }) => typed(metaOf(params), "progressToken", isToken) },
  { id: "inexact_number", code: RPC.invalidParams, objects: inexactNumber },
  { id: "call_key", code: RPC.invalidParams, methods: CALL, objects: callKey },
  { id: "call_name", code: RPC.invalidParams, methods: CALL, objects: ({ params }) => required(params, "name", isString) },
  { id: "call_arguments", code: RPC.invalidParams, methods: CALL, objects: ({ params }) => typed(params, "arguments", isJsonObject) },
  { id: "call_task", code: RPC.invalidParams, methods: CALL, objects: ({ params }) => typed(params, "task", isJsonObject) },
  { id: "call_responses", code: RPC.invalidParams, methods: CALL, objects: ({ params }) => typed(params, "inputResponses", isJsonObject) },
  { id: "call_state", code: RPC.invalidParams, methods: CALL, objects: ({ params }) => typed(params, "requestState", isString) },
  { id: "list_cursor", code: RPC.invalidParams, methods: ["tools/list"], objects: cursor },
];

/** `_meta` of params, or an empty object. */
export function metaOf(params: JsonObject): JsonObject {
  const meta = has(params, "_meta") ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta : {};
}

function required(from: JsonObject, key: string, fits: Fits): string | undefined {
  return has(from, key) ? typed(from, key, fits) : `\`${key}\` is missing`;
}

type Fits = (value: JsonValue | undefined) => boolean;

function typed(from: JsonObject, key: string, fits: Fits): string | undefined {
  return has(from, key) && !fits(from[key]) ? `\`${key}\` has the wrong type` : undefined;
}

function isString(value: JsonValue | undefined): boolean {
  return typeof value === "string";
}

function isToken(value: JsonValue | undefined): boolean {
  return typeof value === "string" || Number.isInteger(value);
}

function folded(from: JsonObject, known: KeyTable): string | undefined {
  const found = findFoldedKey(Object.keys(from), known);
  return found && `the key ${quoted(found.key)} resembles \`${found.resembles}\``;
}

/** Policy and tool would see another value than the one that was sent (reference/gateway.md, Decisions). */
function inexactNumber({ json }: ParamsView): string | undefined {
  const found = json.numbers.find(({ exact }) => !exact);
  return found && `the number ${quoted(found.text)} at ${quotedPath(found.at)} does not fit a double exactly: send it as a string`;
}

function callKey({ params }: ParamsView): string | undefined {
  const unknown = Object.keys(params).find((key) => !TOOL_CALL_KEYS.exact.has(key));
  return unknown === undefined ? undefined : `unknown key ${quoted(unknown)} beside \`name\` and \`arguments\``;
}

/** The list has one page and no cursor was ever handed out. */
function cursor({ params }: ParamsView): string | undefined {
  return has(params, "cursor") ? "unknown `cursor`" : undefined;
}

import { isJsonObject, type JsonObject } from "../call/json.ts";
import { isMember, pathOf, type NumberSource, type ParsedJson, type Place } from "../wire/json-source.ts";
import { ENVELOPE_KEYS, findFoldedKey, ID_KEY } from "./protocol-keys.ts";
import { readRequestId, type RequestId } from "./request-id.ts";
import { quoted, RPC } from "./rpc.ts";

/** Deepest nesting of a message; deeper ones are refused before anything looks into them. */
export const MAX_DEPTH = 256;

/** A line that is JSON, as the rules see it. */
export interface ParsedLine {
  readonly json: ParsedJson;
  /** The message; an empty object when the line is none. */
  readonly message: JsonObject;
}

/** One reason to refuse: a stable id, its JSON-RPC code, and a test that gives the message when the rule objects. */
export interface LineRule {
  readonly id: string;
  readonly code: number;
  readonly objects: (line: ParsedLine) => string | undefined;
}

/** What every line must be before it is a request, a notification or a response; in order, the first objection wins (design §11). */
export const LINE_RULES: readonly LineRule[] = [
  { id: "duplicate_key", code: RPC.parse, objects: duplicateKey },
  { id: "batch", code: RPC.invalidRequest, objects: ({ json }) => when(Array.isArray(json.value), "batches are not supported") },
  { id: "not_object", code: RPC.invalidRequest, objects: ({ json }) => when(!isJsonObject(json.value), "a message is a JSON object") },
  { id: "depth", code: RPC.invalidRequest, objects: ({ json }) => when(json.depth > MAX_DEPTH, `nested deeper than ${MAX_DEPTH} levels`) },
  { id: "folded_key", code: RPC.invalidRequest, objects: foldedKey },
  { id: "unknown_key", code: RPC.invalidRequest, objects: unknownKey },
  { id: "jsonrpc", code: RPC.invalidRequest, objects: ({ message }) => when(message["jsonrpc"] !== "2.0", '`jsonrpc` must be "2.0"') },
  { id: "method", code: RPC.invalidRequest, objects: method },
  { id: "kind", code: RPC.invalidRequest, objects: kind },
  { id: "response", code: RPC.invalidRequest, objects: response },
  { id: "id", code: RPC.invalidRequest, objects: id },
];

/**
 * The request's id when it can be read without doubt: the message has one `id`, no key that resembles it, and the id itself is valid.
 * @returns undefined when in doubt, and for responses, whose id is not a request's
 */
export function undoubtedId({ json, message }: ParsedLine): RequestId | undefined {
  const doubled = json.duplicates.some((place) => isMember(place) && place.key === "id");
  const resembled = findFoldedKey(Object.keys(message), ID_KEY);
  if (doubled || resembled || isResponse(message)) return undefined;
  return readRequestId(message["id"], idSource(json));
}

/** Source text of the message's id, when `String` would write it otherwise. */
export function idSource(json: ParsedJson): NumberSource | undefined {
  return json.numbers.find(({ at }) => isMember(at) && at.key === "id");
}

/** A message that answers instead of asking. */
export function isResponse(message: JsonObject): boolean {
  return !has(message, "method") && (has(message, "result") || has(message, "error"));
}

/** Whether a message has a key; `constructor` and the like are keys only when they were sent. */
export function has(message: JsonObject, key: string): boolean {
  return Object.hasOwn(message, key);
}

/** A place as it may stand in an error message, such as `params.arguments.n[0]`. */
export function quotedPath(place: Place): string {
  const path = pathOf(place).map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
  return quoted(path.join("").replace(/^\./, ""));
}

function when(condition: boolean, message: string): string | undefined {
  return condition ? message : undefined;
}

function duplicateKey({ json }: ParsedLine): string | undefined {
  const [first] = json.duplicates;
  return first && `the key at ${quotedPath(first)} comes twice`;
}

function foldedKey({ message }: ParsedLine): string | undefined {
  const found = findFoldedKey(Object.keys(message), ENVELOPE_KEYS);
  return found && `the key ${quoted(found.key)} resembles \`${found.resembles}\``;
}

function unknownKey({ message }: ParsedLine): string | undefined {
  const unknown = Object.keys(message).find((key) => !ENVELOPE_KEYS.exact.has(key));
  return unknown === undefined ? undefined : `unknown key ${quoted(unknown)}`;
}

function method({ message }: ParsedLine): string | undefined {
  return when(has(message, "method") && typeof message["method"] !== "string", "`method` must be a string");
}

function kind({ message }: ParsedLine): string | undefined {
  const answers = has(message, "result") || has(message, "error");
  if (has(message, "method")) return when(answers, "a message asks or answers, not both");
  return when(!answers, "`method` is missing");
}

function response({ message }: ParsedLine): string | undefined {
  if (!isResponse(message)) return undefined;
  if (has(message, "params")) return "an answer has no `params`";
  if (!has(message, "error")) return when(!isJsonObject(message["result"]), "`result` must be an object");
  return when(has(message, "result") || !isErrorObject(message["error"]), "`error` must be an object with a code and a message, alone");
}

function isErrorObject(value: unknown): boolean {
  return isJsonObject(value) && Number.isInteger(value["code"]) && typeof value["message"] === "string";
}

function id({ json, message }: ParsedLine): string | undefined {
  const optional = has(message, "method") || has(message, "error");
  if (!has(message, "id")) return when(!optional, "`id` is missing");
  // An error about something unreadable has the id null; answering it with another error could go on for ever.
  if (message["id"] === null && isResponse(message) && has(message, "error")) return undefined;
  return when(!readRequestId(message["id"], idSource(json)), "`id` must be a string or an integer that a double holds exactly");
}

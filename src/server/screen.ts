import { isJsonObject, type JsonObject } from "../call/json.ts";
import { parseJson, type NumberSource, type ParsedJson } from "../wire/json-source.ts";
import { has, idSource, isResponse, LINE_RULES, undoubtedId, type ParsedLine } from "./line-rules.ts";
import { PARAMS_RULES, type ParamsView } from "./params-rules.ts";
import { readRequestId, type RequestId } from "./request-id.ts";
import { RPC } from "./rpc.ts";

/** Longest line that is read; a longer one is refused unread (reference/gateway.md, Pumping). */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** A line that gets an error and reaches nothing. */
export interface RefusedLine {
  readonly kind: "refused";
  /** Stable id of the rule that objects. */
  readonly rule: string;
  readonly code: number;
  readonly message: string;
  /** Absent: answered with the id null. */
  readonly id?: RequestId;
}

/** A request that may be dispatched; `params` exactly as received. */
export interface ScreenedRequest {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
  /** Source texts of the message's numbers, where `String` would write them otherwise. */
  readonly numbers: readonly NumberSource[];
}

/** What a line is. `dropped`: no answer and no effect, `reason` for the log. */
export type ScreenedLine =
  | RefusedLine
  | ScreenedRequest
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject; readonly numbers: readonly NumberSource[] }
  | { readonly kind: "response"; readonly message: JsonObject; readonly numbers: readonly NumberSource[] }
  | { readonly kind: "blank" }
  | { readonly kind: "dropped"; readonly reason: string };

/** The refusal of a line that was longer than `MAX_LINE_BYTES`. */
export const TOO_LONG: RefusedLine = {
  kind: "refused",
  rule: "too_long",
  code: RPC.invalidRequest,
  message: `a line must not be longer than ${MAX_LINE_BYTES} bytes`,
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Judges one line as bytes (design §11): what it is, or why it is refused. Pure; never throws.
 * A blank line is nothing; a request method without an id and a notification with bad params are dropped: neither has an answer.
 */
export function screenLine(bytes: Uint8Array): ScreenedLine {
  const text = decoded(bytes);
  if (text === undefined) return refused("utf8", RPC.parse, "not UTF-8");
  if (/^[\t\r ]*$/.test(text)) return { kind: "blank" };
  const json = parsed(text);
  if (!json) return refused("json", RPC.parse, "not JSON");
  return screenMessage({ json, message: isJsonObject(json.value) ? json.value : {} });
}

function screenMessage(line: ParsedLine): ScreenedLine {
  for (const rule of LINE_RULES) {
    const message = rule.objects(line);
    if (message === undefined) continue;
    const id = undoubtedId(line);
    return { ...refused(rule.id, rule.code, message), ...(id ? { id } : {}) };
  }
  const { message } = line;
  if (!isResponse(message)) return screenCall(line, message["method"] as string);
  const hasId = has(message, "id") && message["id"] !== null;
  return hasId ? { kind: "response", message, numbers: line.json.numbers } : dropped("an error without an id");
}

function screenCall({ json, message }: ParsedLine, method: string): ScreenedLine {
  const id = has(message, "id") ? readRequestId(message["id"], idSource(json)) : undefined;
  if (!id && !method.startsWith("notifications/")) return dropped("a request method without an id");
  const { numbers } = json;
  const params = has(message, "params") && isJsonObject(message["params"]) ? message["params"] : undefined;
  const objection = paramsObjection({ method, params: params ?? {}, message, json });
  if (!id) return objection ? dropped("a notification with bad params") : { kind: "notification", method, params: params ?? {}, numbers };
  if (objection) return { ...objection, id };
  return params ? { kind: "request", id, method, params, numbers } : { kind: "request", id, method, numbers };
}

function paramsObjection(view: ParamsView): RefusedLine | undefined {
  for (const rule of PARAMS_RULES) {
    if (rule.methods && !rule.methods.includes(view.method)) continue;
    const message = rule.objects(view);
    if (message !== undefined) return refused(rule.id, rule.code, message);
  }
  return undefined;
}

function refused(rule: string, code: number, message: string): RefusedLine {
  return { kind: "refused", rule, code, message };
}

function dropped(reason: string): ScreenedLine {
  return { kind: "dropped", reason };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): ParsedJson | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

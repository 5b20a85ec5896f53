import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";

/** Largest entry that is looked at, in bytes (reference: tool sessions, §14). */
export const MAX_DATA_BYTES = 1_048_576;
/** Larger entries are not even read for their reply lane. */
const MAX_READ_BYTES = 8 * MAX_DATA_BYTES;
const MAX_ID_LENGTH = 512;

/** One call as its message says it. Nothing in it is trusted; identity fields are hints for the log. */
export interface Envelope {
  readonly operationId: string;
  readonly correlationId: string;
  /** Empty when the message has none: no record can belong to it. */
  readonly traceId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: JsonObject;
  readonly requireExisting: boolean;
  readonly replyTo: string;
  readonly proof: JsonValue | undefined;
  /** What the publisher says the fingerprint is, if it says so. */
  readonly fingerprint: JsonValue | undefined;
  /** Whom the message claims to come from. */
  readonly claimed: { readonly user_id?: string; readonly platform?: string };
}

/** A message, or what could be read of one that is not in order. */
export type ReadEnvelope =
  | { readonly ok: true; readonly envelope: Envelope }
  | {
      readonly ok: false;
      readonly replyTo?: string;
      readonly operationId?: string;
      readonly correlationId?: string;
      readonly problem: string;
    };

/** Reads the field `data` of an entry (design §9). Never throws. */
export function readEnvelope(data: Uint8Array): ReadEnvelope {
  if (data.length > MAX_READ_BYTES) return { ok: false, problem: `data of more than ${MAX_DATA_BYTES} bytes` };
  const parsed = parse(data);
  if (!isJsonObject(parsed)) return { ok: false, problem: "data is not one JSON object" };
  const known = readable(parsed);
  if (data.length > MAX_DATA_BYTES) return { ok: false, ...known, problem: `data of more than ${MAX_DATA_BYTES} bytes` };
  const problem = problemOf(parsed);
  return problem === undefined ? { ok: true, envelope: envelopeOf(parsed) } : { ok: false, ...known, problem };
}

function parse(data: Uint8Array): JsonValue | undefined {
  try {
    const parsed = parseJsonOnce(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data));
    return parsed.ok ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

function problemOf(message: JsonObject): string | undefined {
  if (message["v"] !== 1) return "`v` is not 1";
  for (const name of ["operation_id", "correlation_id", "tool_name"])
    if (!isId(message[name])) return `\`${name}\` is not a non-empty string`;
  const traceId = message["trace_id"] ?? "";
  if (traceId !== "" && !isId(traceId)) return "`trace_id` is not a string";
  for (const name of ["tool_args", "context"]) if (!isJsonObject(message[name])) return `\`${name}\` is not an object`;
  if (typeof message["require_existing"] !== "boolean") return "`require_existing` is not a boolean";
  return typeof message["reply_to"] === "string" ? undefined : "`reply_to` is not a string";
}

function envelopeOf(message: JsonObject): Envelope {
  return {
    operationId: message["operation_id"] as string,
    correlationId: message["correlation_id"] as string,
    traceId: (message["trace_id"] ?? "") as string,
    tool: message["tool_name"] as string,
    args: message["tool_args"] as JsonObject,
    context: message["context"] as JsonObject,
    requireExisting: message["require_existing"] === true,
    replyTo: message["reply_to"] as string,
    proof: message["proof"],
    fingerprint: message["fingerprint"],
    claimed: { ...hint(message, "user_id"), ...hint(message, "platform") },
  };
}

function hint(message: JsonObject, name: string): Record<string, string> {
  const value = message[name];
  return isId(value) ? { [name]: value } : {};
}

function readable(message: JsonObject): { replyTo?: string; operationId?: string; correlationId?: string } {
  const { reply_to: replyTo, operation_id: operationId, correlation_id: correlationId } = message;
  return {
    ...(typeof replyTo === "string" ? { replyTo } : {}),
    ...(isId(operationId) ? { operationId } : {}),
    ...(isId(correlationId) ? { correlationId } : {}),
  };
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_ID_LENGTH && value.isWellFormed();
}

import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";

/** How a delegated call ended (design §9). */
export type ReplyStatus = "ok" | "error" | "indeterminate";

/** What a reply says about its call beside the ids. */
export interface ReplyBody {
  readonly result?: object;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Whom a reply is for. */
export interface ReplyHead {
  readonly operationId: string;
  readonly correlationId: string;
  /** Absent, and empty in the reply, where no record says whose call it was. */
  readonly fingerprint?: string | undefined;
}

/** One reply that was read. */
export interface Reply {
  readonly operationId: string;
  readonly correlationId: string;
  readonly fingerprint: string | undefined;
  readonly status: ReplyStatus;
  readonly result: JsonObject | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
}

/** The part of a reply that is stored and published again byte for byte. */
export function bodyText(body: ReplyBody): string {
  return JSON.stringify(body);
}

/** Field `data` of a reply: the head is made for each publication, the body is spliced in as it was stored. */
export function replyText({ operationId, correlationId, fingerprint = "" }: ReplyHead, status: string, body: string): string {
  const head = JSON.stringify({ v: 1, operation_id: operationId, correlation_id: correlationId, fingerprint, status });
  return body === "{}" ? head : `${head.slice(0, -1)},${body.slice(1)}`;
}

/** Reads field `data` of a reply; undefined for what is none. */
export function readReply(data: Uint8Array | undefined): Reply | undefined {
  const message = data === undefined ? undefined : parse(data);
  if (message?.["v"] !== 1) return undefined;
  const { operation_id: operationId, correlation_id: correlationId, fingerprint, status, result, error } = message;
  if (typeof operationId !== "string" || typeof correlationId !== "string") return undefined;
  if (status !== "ok" && status !== "error" && status !== "indeterminate") return undefined;
  return {
    operationId,
    correlationId,
    fingerprint: typeof fingerprint === "string" ? fingerprint : undefined,
    status,
    result: isJsonObject(result) ? result : undefined,
    error: errorOf(error),
  };
}

function parse(data: Uint8Array): JsonObject | undefined {
  try {
    const parsed = parseJsonOnce(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data));
    return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(error: unknown): Reply["error"] {
  if (!isJsonObject(error)) return undefined;
  const { code, message } = error;
  return typeof code === "string" && typeof message === "string" ? { code, message } : undefined;
}

import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../call/json.ts";
import type { Answer } from "./answers.ts";
import { modernClient, MODERN_VERSIONS } from "./modern.ts";
import { metaOf } from "./params-rules.ts";
import { MODERN_META } from "./protocol-keys.ts";
import { RPC, rpcError, type RpcError } from "./rpc.ts";
import type { ScreenedLine } from "./screen.ts";

/** A request or a notification of a client. */
export type AskingLine = Extract<ScreenedLine, { kind: "request" | "notification" }>;

/**
 * Tells whether a message over HTTP belongs to revision 2026-07-28: it says so in its header or in the envelope of its `_meta`, or asks
 * what only that revision has. Unlike on stdio `initialize` is no exception: it has no envelope where it opens a session.
 */
export function isModernMessage(request: IncomingMessage, line: AskingLine): boolean {
  const versions = request.headersDistinct["mcp-protocol-version"] ?? [];
  if (versions.some((version) => MODERN_VERSIONS.includes(version))) return true;
  const meta = metaOf(line.params ?? {});
  return line.method === "server/discover" || Object.values(MODERN_META).some((key) => Object.hasOwn(meta, key));
}

/**
 * Checks what a message of 2026-07-28 carries beside its body: a router in front may have decided by the headers, so they must say what
 * the body says (reference/gateway.md, HTTP; SEP-2243). Decisions here are made on the body alone.
 * @returns the error to answer with, at the status of its code, else 400
 */
export function judgeModern(request: IncomingMessage, line: AskingLine): RpcError | undefined {
  const envelope = line.kind === "request" ? envelopeError(line) : undefined;
  if (envelope !== undefined && envelope.code !== RPC.unsupportedVersion) return envelope;
  const wrong = [...expectedHeaders(line)].find(([name, value]) => !carries(request, name, value));
  if (wrong !== undefined) return rpcError(RPC.headerMismatch, `\`${wrong[0]}\` is missing or does not say what the body says`).error;
  if (envelope === undefined && line.kind === "request" && REMOVED.has(line.method)) return METHOD_NOT_FOUND;
  return envelope;
}

/** What opens and tends a session has no meaning without one; nothing behind the front need be asked. */
const REMOVED: ReadonlySet<string> = new Set(["initialize", "ping"]);
const METHOD_NOT_FOUND: RpcError = { code: RPC.methodNotFound, message: "method not found" };

function envelopeError(line: Extract<AskingLine, { kind: "request" }>): RpcError | undefined {
  if (!Object.hasOwn(line.params ?? {}, "_meta")) return rpcError(RPC.invalidParams, "`_meta` is missing").error;
  const client = modernClient(line);
  return "error" in client ? client.error : undefined;
}

/** Where the name is that `Mcp-Name` repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** What each header must say; undefined: nothing that a header could say is right. */
function* expectedHeaders({ method, params = {}, kind }: AskingLine): Iterable<readonly [string, string | undefined]> {
  const meta = metaOf(params);
  if (kind === "request" || Object.hasOwn(meta, MODERN_META.protocolVersion)) {
    yield ["MCP-Protocol-Version", textOf(meta, MODERN_META.protocolVersion)];
  }
  yield ["Mcp-Method", method];
  const key = NAMED.get(method);
  if (key !== undefined) yield ["Mcp-Name", textOf(params, key)];
}

function textOf(from: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

function carries({ headersDistinct }: IncomingMessage, name: string, expected: string | undefined): boolean {
  const values = headersDistinct[name.toLowerCase()] ?? [];
  const [value] = values;
  return values.length === 1 && value !== undefined && expected !== undefined && decodedHeader(value) === expected;
}

const WRAPPED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** The text of a header value: plain visible ASCII, or UTF-8 in the wrapping of SEP-2243; undefined for anything else. */
export function decodedHeader(value: string): string | undefined {
  const wrapped = WRAPPED.exec(value)?.[1];
  if (wrapped === undefined) return /^[\u0020-\u007e]*$/.test(value) && !/^=\?base64\?.*\?=$/.test(value) ? value : undefined;
  const bytes = Buffer.from(wrapped, "base64");
  if (bytes.toString("base64") !== wrapped) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const MODERN_STATUS: ReadonlyMap<number, number> = new Map([
  [RPC.parse, 400],
  [RPC.invalidRequest, 400],
  [RPC.headerMismatch, 400],
  [RPC.missingCapability, 400],
  [RPC.unsupportedVersion, 400],
  [RPC.methodNotFound, 404],
]);

/** HTTP status of an answer of 2026-07-28 (reference/gateway.md, HTTP). */
export function modernStatus({ code }: Answer): number {
  return code === undefined ? 200 : (MODERN_STATUS.get(code) ?? 200);
}

/** HTTP status of an answer of the older revisions: only what is no request at all is one of HTTP's errors. */
export function legacyStatus({ code }: Answer): number {
  return code === RPC.parse || code === RPC.invalidRequest ? 400 : 200;
}

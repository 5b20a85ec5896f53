import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { SentContext } from "./link.ts";
import { paramHeaders, scalarText, valueAt } from "./param-headers.ts";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** Where the name is that `Mcp-Name` repeats. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/**
 * Headers of revision 2026-07-28, made anew from the message that is sent and from nothing that a client sent as a header
 * (reference/gateway.md, HTTP; reference/mcp.md §2.2).
 * @returns undefined for a message of an older revision
 */
export function modernHeaders(message: JsonObject, { inputSchema }: SentContext = {}): Record<string, string> | undefined {
  const { method } = message;
  const params = objectIn(message, "params");
  const version = objectIn(params, "_meta")[VERSION_KEY];
  if (typeof version !== "string" || typeof method !== "string") return undefined;
  const name = params[NAMED.get(method) ?? ""];
  return {
    "MCP-Protocol-Version": headerText(version),
    "Mcp-Method": headerText(method),
    ...(NAMED.has(method) && typeof name === "string" ? { "Mcp-Name": headerText(name) } : {}),
    ...(inputSchema === undefined ? {} : paramHeadersOf(inputSchema, objectIn(params, "arguments"))),
  };
}

function objectIn(from: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  return isJsonObject(value) ? value : {};
}

/** `Mcp-Param-*` for the arguments whose property is declared with `x-mcp-header`. */
function paramHeadersOf(schema: Readonly<JsonObject>, args: JsonObject): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { header, path } of paramHeaders(schema)) {
    const value = valueAt(args, path);
    const text = value === undefined ? undefined : scalarText(value);
    if (text !== undefined) found[header] = headerText(text);
  }
  return found;
}

/** A text as a header value: as it is when it is visible ASCII, else UTF-8 in the wrapping of SEP-2243. */
function headerText(text: string): string {
  const isPlain = /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

import { isJsonObject, type JsonObject } from "../call/json.ts";
import { paramHeaders, saysValue, scalarText, valueAt } from "../upstream/param-headers.ts";
import type { Exchange } from "./exchange.ts";
import { decodedHeader } from "./http-modern.ts";

/**
 * Compares what the headers of a request say of its arguments with the arguments (SEP-2243; reference/mcp.md §2.2): a router in front may
 * have decided by them.
 * @param schema the tool's inputSchema
 * @returns the name of the first header that is missing, doubled, malformed or says something else
 */
export function paramMismatch(schema: unknown, args: JsonObject, headers: NonNullable<Exchange["headers"]>): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  return paramHeaders(schema).find(({ header, path }) => {
    const values = headers[header.toLowerCase()] ?? [];
    const value = valueAt(args, path);
    // Clients leave out what no header can say, such as an object or a number that a double does not hold.
    if (value === undefined || (scalarText(value) === undefined && values.length === 0)) return values.length > 0;
    const text = values.length === 1 ? decodedHeader(values[0] ?? "") : undefined;
    return text === undefined || !saysValue(text, value);
  })?.header;
}

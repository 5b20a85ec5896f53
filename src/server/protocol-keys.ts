/** Keys that the protocol gives a meaning in one place, and all of them in folded form. */
export interface KeyTable {
  readonly exact: ReadonlySet<string>;
  /** Folded form to the key itself. */
  readonly folded: ReadonlyMap<string, string>;
}

/** Keys of a JSON-RPC message (reference/mcp.md §6.1, invariant 1). */
export const ENVELOPE_KEYS: KeyTable = keyTable(["jsonrpc", "id", "method", "params", "result", "error"]);

/** Keys that the params of a tools/call may have (reference/mcp.md §6.1, invariant 3). */
export const TOOL_CALL_KEYS: KeyTable = keyTable(["name", "arguments", "_meta", "task", "inputResponses", "requestState"]);

/** Keys of `_meta` that carry the envelope of revision 2026-07-28 (reference/mcp.md §2.1). */
export const MODERN_META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

/** Keys of `_meta` that the protocol gives a meaning. */
export const META_KEYS: KeyTable = keyTable([...Object.values(MODERN_META), "progressToken"]);

/** The one key that names a request. */
export const ID_KEY: KeyTable = keyTable(["id"]);

const OTHER_PARAMS = keyTable(["_meta"]);
const PARAMS_BY_METHOD: ReadonlyMap<string, KeyTable> = new Map([
  ["initialize", keyTable(["protocolVersion", "capabilities", "clientInfo", "_meta"])],
  ["tools/list", keyTable(["cursor", "_meta"])],
  ["tools/call", TOOL_CALL_KEYS],
  ["notifications/cancelled", keyTable(["requestId", "reason", "_meta"])],
]);

/** Keys of `params` that Regate gives a meaning, by method. */
export function paramsKeys(method: string): KeyTable {
  return PARAMS_BY_METHOD.get(method) ?? OTHER_PARAMS;
}

/**
 * The first key of `keys` that a lenient reader would take for a protocol key although it is another string: other case, compatibility
 * forms such as full-width letters, U+017F, U+212A and U+0131, and added control, format or blank characters such as a trailing NUL
 * (reference/mcp.md §12: CVE-2026-27896, GHSA-q382-vc8q-7jhj).
 * @returns the key as written and the protocol key that it resembles
 */
export function findFoldedKey(keys: readonly string[], known: KeyTable): { key: string; resembles: string } | undefined {
  for (const key of keys) {
    const resembles = known.exact.has(key) ? undefined : known.folded.get(fold(key));
    if (resembles !== undefined) return { key, resembles };
  }
  return undefined;
}

function keyTable(keys: readonly string[]): KeyTable {
  return { exact: new Set(keys), folded: new Map(keys.map((key) => [fold(key), key])) };
}

/** One form for all spellings of a key that some reader treats alike. */
function fold(key: string): string {
  return key
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\p{C}\p{Z}\u0307]/gu, "");
}

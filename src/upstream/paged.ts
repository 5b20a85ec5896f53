import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { pathOf, type NumberSource } from "../wire/json-source.ts";
import { askPeer, type Peer, type PeerAnswer } from "./peer.ts";
import type { ListedEntry } from "./tool-table.ts";
import { within } from "../wire/within.ts";

/** Most pages that are read of one list. */
const MAX_PAGES = 500;
/** How long one page may take. */
const PAGE_MS = 15_000;

/** A list method and the key of its entries. */
export interface ListMethod {
  readonly method: string;
  readonly key: string;
}

/** All pages of a list; `first` is the first page as it came. */
export type Pages =
  | {
      readonly kind: "listed";
      readonly entries: readonly ListedEntry[];
      readonly first: { readonly result: JsonObject; readonly numbers: readonly NumberSource[] };
    }
  | (PeerAnswer & { readonly kind: "error" | "lost" });

/**
 * Reads all pages of a list.
 * @param params params of the first page; a cursor is added for the others
 */
export async function readPages<Owner>(
  peer: Peer<Owner | undefined>,
  { method, key }: ListMethod,
  params: JsonObject | undefined,
): Promise<Pages> {
  const entries: ListedEntry[] = [];
  let first: { result: JsonObject; numbers: readonly NumberSource[] } | undefined;
  let cursor: JsonValue | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const all: JsonObject | undefined = cursor === undefined ? params : { ...params, cursor };
    const flight = askPeer(peer, { method, owner: undefined, ...(all === undefined ? {} : { params: JSON.stringify(all) }) });
    const answer: PeerAnswer | undefined = await within(PAGE_MS, flight.answer);
    if (answer === undefined) {
      if (peer.forget(flight.id)) peer.notify("notifications/cancelled", `{"requestId":${flight.id},"reason":"timed out"}`);
      return { kind: "lost", sent: true };
    }
    if (answer.kind !== "result") return answer;
    const { result, numbers } = answer;
    first ??= { result, numbers };
    const listed = result[key];
    if (Array.isArray(listed)) {
      const own = numbersByEntry(numbers, key);
      for (const [index, value] of listed.entries()) entries.push({ value, numbers: own.get(index) ?? [], base: ["result", key, index] });
    }
    cursor = result["nextCursor"];
    if (typeof cursor !== "string" || !isJsonObject(result)) break;
  }
  return first === undefined ? { kind: "lost", sent: false } : { kind: "listed", entries, first };
}

/** The number sources of each entry of a page: a list may be long, and each of its entries is written by itself. */
function numbersByEntry(numbers: readonly NumberSource[], key: string): ReadonlyMap<number, NumberSource[]> {
  const found = new Map<number, NumberSource[]>();
  for (const number of numbers) {
    const [top, list, index] = pathOf(number.at);
    if (top !== "result" || list !== key || typeof index !== "number") continue;
    const own = found.get(index);
    if (own === undefined) found.set(index, [number]);
    else own.push(number);
  }
  return found;
}

import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { isJsonObject } from "../call/json.ts";
import { canonicalJson, quotedKey, sortedKeys } from "./canonical.ts";

/** `prev_hash` of the first event of a file. */
export const FIRST_PREV_HASH = "0".repeat(64);

/** Where a chain stands: number and hash of its last event; `seq` 0 before the first. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Head of an empty chain. */
export const EMPTY_CHAIN: ChainHead = Object.freeze({ seq: 0, hash: FIRST_PREV_HASH });

/** A chained event: its line without the line feed, and the new head. */
export interface SealedEvent {
  readonly line: string;
  readonly head: ChainHead;
}

/**
 * Chains an event (design §10): adds `custom.regate` with `seq`, `prev_hash` and `hash`, the SHA-256 over the RFC 8785 canonical event
 * without `custom.regate.hash`. The line is itself canonical, so what was hashed is what is written, byte for byte (trial E02).
 * @param event everything but `custom`
 * @param regate everything of `custom.regate` but the chain's own members
 * @throws Error for what has no canonical form, such as a lone surrogate
 */
export function seal(event: JsonObject, regate: JsonObject, after: ChainHead): SealedEvent {
  const seq = after.seq + 1;
  const outer = around(event, "custom");
  const inner = around({ ...regate, seq, prev_hash: after.hash }, "hash");
  const start = `{${outer.before}"custom":{"regate":{${inner.before}`;
  const end = `${inner.behind}}}${outer.behind}}`;
  // `prev_hash` and `seq` stand behind the place of `hash`: without it only its comma is missing.
  const own = sha256(`${start}${end.slice(1)}`);
  return { line: `${start}"hash":"${own}"${end}`, head: { seq, hash: own } };
}

/**
 * Reads the head that a line of a log stands for. It takes the `canonicalize` package, an implementation other than the one that wrote it.
 * @returns undefined when the line is not an event whose hash is right
 */
export function headOf(line: string): ChainHead | undefined {
  try {
    const event = JSON.parse(line) as unknown;
    if (!isJsonObject(event)) return undefined;
    const { custom, ...others } = event;
    const regate = isJsonObject(custom) ? custom["regate"] : undefined;
    if (!isJsonObject(regate)) return undefined;
    const { hash: own, ...ours } = regate;
    const { seq } = ours;
    if (typeof own !== "string" || typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1) return undefined;
    return sha256(canonicalize({ ...others, custom: { regate: ours } }) ?? "") === own ? { seq, hash: own } : undefined;
  } catch {
    return undefined;
  }
}

/** Canonical texts of the members that stand before and behind a member that is to come, with their commas. */
function around(members: JsonObject, place: string): { before: string; behind: string } {
  let before = "";
  let behind = "";
  for (const key of sortedKeys(members)) {
    const text = `${quotedKey(key)}:${canonicalJson(members[key] as JsonValue)}`;
    if (key < place) before += `${text},`;
    else behind += `,${text}`;
  }
  return { before, behind };
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

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

/** A chained event and the new head. */
export interface SealedEvent {
  /** Its line as UTF-8, with the line feed; valid until the next event is sealed. */
  readonly line: Uint8Array;
  readonly head: ChainHead;
}

/** Where lines are put together: an event is made every time that a call is judged. */
let place = Buffer.allocUnsafeSlow(32 * 1024);
const MOST_KEPT = 1024 * 1024;
/** Bytes of `"hash":"…"` and of that with its comma. */
const MEMBER = 73;
const WITH_COMMA = 74;

/**
 * Chains an event (design §10): adds `custom.regate` with `seq`, `prev_hash` and `hash`, the SHA-256 over the RFC 8785 canonical event
 * without `custom.regate.hash`. The line is itself canonical, so what was hashed is what is written, byte for byte (trial E02).
 * @param event everything but `custom`
 * @param regate everything of `custom.regate` but the chain's own members, of which `seq` and `prev_hash` are put in here
 * @throws Error for what has no canonical form, such as a lone surrogate
 */
export function seal(event: JsonObject, regate: JsonObject, after: ChainHead): SealedEvent {
  const seq = after.seq + 1;
  const outer = around(event, "custom");
  regate["seq"] = seq;
  regate["prev_hash"] = after.hash;
  const inner = around(regate, "hash");
  const before = `{${outer.before}"custom":{"regate":{${inner.before}`;
  // `prev_hash` and `seq` stand behind the place of `hash`, so that this begins with a comma.
  const behind = `${inner.behind}}}${outer.behind}}\n`;
  const { line, own } = sealedLine(before, behind);
  return { line, head: { seq, hash: own } };
}

/** Puts the two parts of a line and the hash of both between them; for the hash they stand together, without the comma. */
function sealedLine(before: string, behind: string): { readonly line: Uint8Array; readonly own: string } {
  const room = (before.length + behind.length) * 3 + WITH_COMMA;
  const bytes = room <= place.length ? place : Buffer.allocUnsafeSlow(room);
  if (room <= MOST_KEPT) place = bytes;
  const first = bytes.write(before, 0);
  const end = first + MEMBER + bytes.write(behind, first + MEMBER);
  bytes.copyWithin(WITH_COMMA, 0, first);
  const own = hash("sha256", bytes.subarray(WITH_COMMA, end - 1), "hex");
  bytes.copyWithin(0, WITH_COMMA, WITH_COMMA + first);
  bytes.write(`"hash":"${own}",`, first, "latin1");
  return { line: bytes.subarray(0, end), own };
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
    return hash("sha256", canonicalize({ ...others, custom: { regate: ours } }) ?? "", "hex") === own ? { seq, hash: own } : undefined;
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

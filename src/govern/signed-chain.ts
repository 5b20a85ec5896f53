import { hash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../audit/canonical.ts";
import { FIRST_PREV_HASH } from "../audit/chain.ts";
import type { JsonObject } from "../call/json.ts";
import { isSigned, KEY_NAME } from "./key-pair.ts";
import type { SigningKey } from "./key-pair.ts";
import type { KeyRecord } from "./keys.ts";

const HASH = /^[0-9a-f]{64}$/;

const entrySchema = z.strictObject({
  v: z.literal(1),
  seq: z.int().min(1),
  time: z.iso.datetime(),
  key: z.string().regex(KEY_NAME),
  body: z.record(z.string(), z.any()),
  prev_hash: z.string().regex(HASH),
  hash: z.string().regex(HASH),
  signature: z.string().min(1).max(128),
});

/** One entry of a chain: who said what and when, chained by SHA-256 and signed (design §8). */
export type ChainEntry = Readonly<z.infer<typeof entrySchema>>;

/** Where a chain ends: number and hash of its last entry. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

/** End of a chain without entries. */
export const EMPTY_END: ChainEnd = Object.freeze({ seq: 0, hash: FIRST_PREV_HASH });

/** What reading a chain gave: its entries and end, or the first line that does not hold and why. */
export type ReadChain =
  | { readonly ok: true; readonly entries: readonly ChainEntry[]; readonly end: ChainEnd }
  | { readonly ok: false; readonly line: number; readonly reason: string };

/**
 * Makes the next entry of a chain: the hash is the SHA-256 over the RFC 8785 canonical entry without `hash` and `signature`, the signature
 * that of the key over `regate/<chain>/v1` and the hash.
 * @param chain name of the chain, so that an entry of one cannot stand in another
 */
export function sealEntry(
  chain: string,
  entry: { readonly body: JsonObject; readonly time: Date },
  at: { readonly key: SigningKey; readonly after: ChainEnd },
): ChainEntry {
  const { key, after } = at;
  const unsealed = {
    v: 1 as const,
    seq: after.seq + 1,
    time: entry.time.toISOString(),
    key: key.name,
    body: entry.body,
    prev_hash: after.hash,
  };
  const own = hash("sha256", canonicalJson(unsealed), "hex");
  return Object.freeze({ ...unsealed, hash: own, signature: key.sign(signedText(chain, own)) });
}

/**
 * Reads a chain and proves it: every line whole, in order, linked, hashed and signed by a key on record that was not revoked by then.
 * @param keyOf gives the public record of a key
 */
export function readChainText(chain: string, text: string, keyOf: (name: string) => KeyRecord | undefined): ReadChain {
  const entries: ChainEntry[] = [];
  let end = EMPTY_END;
  if (text !== "" && !text.endsWith("\n")) return { ok: false, line: text.split("\n").length, reason: "the last line is not whole" };
  for (const line of text.split("\n").slice(0, -1)) {
    const entry = entryOf(line);
    const reason = entry === undefined ? "not an entry of a chain" : entryProblem(entry, { chain, end, key: keyOf(entry.key) });
    if (entry === undefined || reason !== undefined) return { ok: false, line: entries.length + 1, reason: reason ?? "" };
    entries.push(entry);
    end = { seq: entry.seq, hash: entry.hash };
  }
  return { ok: true, entries, end };
}

interface EntryPlace {
  readonly chain: string;
  readonly end: ChainEnd;
  readonly key: KeyRecord | undefined;
}

function entryProblem(entry: ChainEntry, { chain, end, key }: EntryPlace): string | undefined {
  const { hash: own, signature, ...unsealed } = entry;
  if (entry.seq !== end.seq + 1) return `entry ${end.seq + 1} is missing`;
  if (entry.prev_hash !== end.hash) return "it does not follow the entry before it";
  if (hash("sha256", canonicalJson(unsealed), "hex") !== own) return "its hash is wrong";
  if (key === undefined) return `its key \`${entry.key}\` is not on record`;
  if (!isSigned(signedText(chain, own), signature, key.public_key)) return `its signature is not that of key \`${entry.key}\``;
  if (key.revoked_at !== undefined && entry.time > key.revoked_at) return `its key \`${entry.key}\` was revoked before`;
  return undefined;
}

function entryOf(line: string): ChainEntry | undefined {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(line));
    return parsed.success ? Object.freeze(parsed.data) : undefined;
  } catch {
    return undefined;
  }
}

function signedText(chain: string, own: string): string {
  return `regate/${chain}/v1\n${own}`;
}

import { isJsonObject } from "../call/json.ts";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { canonicalText, plainEntries } from "./canonical.ts";
import { DelegateError } from "./delegate-error.ts";

/** The authenticated identity of one message (seed 002). Ids are strings: ids of chat platforms exceed what a JSON number can carry. */
export interface Identity {
  readonly user_id: string;
  readonly platform: string;
  readonly guild_id?: string;
  readonly channel_id?: string;
  /** Further ids of the same user, sorted and unique; they carry authority like `user_id`. */
  readonly user_aliases?: readonly string[];
}

/** An identity as a caller may give it: `null` stands for absent. */
export interface GivenIdentity {
  readonly user_id: string;
  readonly platform: string;
  readonly guild_id?: string | null | undefined;
  readonly channel_id?: string | null | undefined;
  readonly user_aliases?: readonly string[] | null | undefined;
}

const REQUIRED = ["user_id", "platform"] as const;
const FIELDS: ReadonlySet<string> = new Set([...REQUIRED, "guild_id", "channel_id", "user_aliases"]);

/**
 * The normal form of an identity: absent and `null` are the same, aliases are sorted without repeats, everything is frozen and shares
 * nothing with what was given (reference: tool sessions, §3).
 * @throws DelegateError `session_invalid` for a wrong type, an unknown field, an empty required field or a lone surrogate
 */
export function identityOf(given: unknown): Identity {
  const fields = new Map<string, string | readonly string[]>();
  for (const [name, value] of entriesOf(given)) {
    if (!FIELDS.has(name)) throw invalid(`identity has an unknown field`);
    if (value === null || value === undefined) continue;
    fields.set(name, name === "user_aliases" ? aliasesOf(value) : textOf(name, value));
  }
  for (const name of REQUIRED) if ((fields.get(name) ?? "") === "") throw invalid(`identity field \`${name}\` must be a non-empty string`);
  return Object.freeze(Object.fromEntries(fields)) as unknown as Identity;
}

/** The bytes that are stored, compared and hashed: canonical JSON of the normal form. */
export function identityText(identity: Identity): string {
  return canonicalText({ ...identity });
}

/**
 * Reads a stored record.
 * @throws DelegateError `session_invalid` when it is not UTF-8, not one JSON object, has a key twice or another shape
 */
export function decodeIdentity(bytes: Uint8Array): Identity {
  const parsed = parseJsonOnce(utf8(bytes));
  if (!parsed.ok || !isJsonObject(parsed.value)) throw invalid("the session record is not one JSON object");
  return identityOf(parsed.value);
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalid("the session record is not UTF-8", cause);
  }
}

function entriesOf(given: unknown): [string, unknown][] {
  try {
    return plainEntries(given);
  } catch (cause) {
    throw invalid("identity must be a plain object", cause);
  }
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== "string" || !value.isWellFormed()) throw invalid(`identity field \`${name}\` must be a well-formed string`);
  return value;
}

function aliasesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw invalid("identity field `user_aliases` must be a list of strings");
  const aliases = Array.from(value, (alias: unknown) => textOf("user_aliases", alias));
  return Object.freeze([...new Set(aliases)].toSorted((a, b) => (a < b ? -1 : 1)));
}

function invalid(message: string, cause?: unknown): DelegateError {
  return new DelegateError("session_invalid", message, { cause });
}

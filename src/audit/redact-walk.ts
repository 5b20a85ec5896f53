import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { isKnownClean, noteClean } from "../call/fixed.ts";
import { maskEncoded } from "./encoded.ts";
import { auditError } from "./errors.ts";
import { maskText } from "./mask-text.ts";
import { pointerOf } from "./pointer.ts";
import { REDACTED } from "./secret-patterns.ts";
import { countsTokens, isSecretKey, isWorkingDirectory } from "./secret-keys.ts";
import { maskWords } from "./mask-words.ts";

/** Nesting that is looked through; the arguments of a call are bounded far below. */
const MAX_DEPTH = 256;
/** Layers of JSON in strings and of encodings that are looked into; JSON that is wrapped deeper is erased whole. */
const MAX_LEVEL = 6;
/** Times that one string is looked through, at most. */
export const MAX_PASSES = 4;
/** Characters of all strings together; more is a failure, so that no event can stop the server for long. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Of too few kinds of characters to hold a secret: names, words, times. */
const PLAIN = /^(?:[a-z_.]{1,32}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;
/** Short texts without a secret, since the same ones stand in event after event. */
const clean = new Set<string>();
const CLEAN_LENGTH = 96;
const CLEAN_SIZE = 2048;

/** Members that name a value beside them, and that hold it: environment lists, headers, form fields. */
const NAME_KEY = /^(?:name|key|field|header|variable|var|parameter|param|option|id)$/i;
const VALUE_KEY = /^(?:(?:string|secret|default|new|old)?_?values?|val)$/i;

/** Segments of a place in a document, from the root. */
export type Path = readonly (string | number)[];

/** What one redaction looks at and has found so far. */
export interface Walk {
  readonly path: (string | number)[];
  readonly erased: Set<string>;
  readonly masked: Set<string>;
  readonly secrets: Set<string>;
  /** Tells which strings are left as they are. */
  readonly isKept: (path: Path) => boolean;
  /** Layers around what is looked at: JSON in a string, an encoding. */
  readonly level: number;
  readonly budget: { characters: number };
}

/** Begins a walk whose pointers start with `at`. */
export function beginWalk(at: Path, isKept: (path: Path) => boolean = () => false): Walk {
  const found = { erased: new Set<string>(), masked: new Set<string>(), secrets: new Set<string>() };
  return { path: [...at], ...found, isKept, level: 0, budget: { characters: MAX_CHARACTERS } };
}

/** Characters that were looked at so far, those inside encodings included. */
export function charactersSeen(walk: Walk): number {
  return MAX_CHARACTERS - walk.budget.characters;
}

/**
 * Redacts one value: members with secret names, or whose names are secrets themselves, are left out; strings are masked. Copies only what
 * changes.
 * @returns the same value when there is nothing to erase
 * @throws Error `audit.redaction_failed` when the value is nested too deep or too large
 */
export function redactValue(value: JsonValue, walk: Walk): JsonValue {
  if (typeof value === "string") return redactString(value, walk);
  if (typeof value !== "object" || value === null) return value;
  if (isKnownClean(value)) return value;
  if (walk.path.length > MAX_DEPTH) throw auditError("audit.redaction_failed", "the event is nested too deep to be redacted");
  const redacted = Array.isArray(value) ? redactArray(value, walk) : redactObject(value, walk);
  // A secret that was found earlier may stand in it too: that is looked for afterwards, in everything.
  if (redacted === value) noteClean(value);
  return redacted;
}

/** Notes that something was erased at the place that is looked at; `masked` when a marker stands there now. */
export function noteErased(walk: Walk, kind: "erased" | "masked"): void {
  const pointer = pointerOf(walk.path);
  walk.erased.add(pointer);
  if (kind === "masked") walk.masked.add(pointer);
}

/**
 * Masks one string with everything that may be in it: JSON text is parsed and redacted by name like the event itself, the rest goes
 * through the rules of `maskText`, encoded runs are decoded and judged.
 * @returns the same string when it holds no secret
 */
export function maskString(text: string, walk: Walk): string {
  if (text.length < 4 || clean.has(text) || PLAIN.test(text)) return text;
  let masked = maskAll(text, walk);
  // A marker can end a word that hid the next secret: again, until nothing more is found.
  for (let pass = 1, before = text; walk.level === 0 && masked !== before && pass < MAX_PASSES; pass += 1) {
    before = masked;
    masked = maskAll(before, walk);
  }
  if (masked === text && text.length <= CLEAN_LENGTH && walk.level === 0) {
    if (clean.size >= CLEAN_SIZE) clean.clear();
    clean.add(text);
  }
  return masked;
}

function maskAll(text: string, walk: Walk): string {
  walk.budget.characters -= text.length;
  if (walk.budget.characters < 0) throw auditError("audit.redaction_failed", "the event is too large to be redacted");
  const masked = maskText(maskJsonText(text, walk), (secret) => walk.secrets.add(secret));
  if (walk.level >= MAX_LEVEL || masked.length < 12) return masked;
  return maskEncoded(masked, (decoded) => maskString(decoded, innerWalk(walk)) !== decoded);
}

/** A walk through what a string holds: same secrets and budget, no pointers of its own. */
function innerWalk(walk: Walk): Walk {
  return { ...beginWalk([]), secrets: walk.secrets, budget: walk.budget, level: walk.level + 1 };
}

function maskJsonText(text: string, walk: Walk): string {
  if (!/^\s*["[{]/.test(text)) return text;
  const parsed = parseText(text);
  if (parsed === undefined) return text;
  if (walk.level >= MAX_LEVEL) return REDACTED;
  const inner = innerWalk(walk);
  try {
    const redacted = redactValue(parsed, inner);
    return redacted === parsed ? text : JSON.stringify(redacted);
  } catch {
    // Too deep or too large inside a string: erase the string, the event itself stays.
    return REDACTED;
  }
}

/** A JSON object, array or string; undefined for any other text. */
function parseText(text: string): JsonValue | undefined {
  try {
    const parsed = JSON.parse(text) as JsonValue;
    return Array.isArray(parsed) || isJsonObject(parsed) || typeof parsed === "string" ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function redactString(text: string, walk: Walk): string {
  if (walk.isKept(walk.path)) return text;
  const masked = maskString(text, walk);
  if (masked !== text) noteErased(walk, "masked");
  return masked;
}

function redactArray(value: readonly JsonValue[], walk: Walk): JsonValue[] {
  const words = maskWords(value, (secret) => walk.secrets.add(secret));
  let copy: JsonValue[] | undefined;
  for (const [index, item] of words.entries()) {
    walk.path.push(index);
    const redacted = redactValue(item, walk);
    if (item !== value[index]) noteErased(walk, "masked");
    walk.path.pop();
    if (redacted !== value[index]) (copy ??= [...value])[index] = redacted;
  }
  return copy ?? (value as JsonValue[]);
}

/**
 * Redacts the members of an object, as `redactValue` does.
 * @param left a member that is left as it is
 */
export function redactObject(value: JsonObject, walk: Walk, left?: string): JsonObject {
  let copy: JsonObject | undefined;
  const named = namedSecret(value);
  for (const key of Object.keys(value)) {
    if (key === left) continue;
    const item = value[key] as JsonValue;
    const { isClean, isValue } = keyFacts(key);
    const name = isClean ? key : maskString(key, walk);
    walk.path.push(name);
    if (name !== key || isSecretMember(isValue ? (named ?? key) : key, item)) {
      noteErased(walk, "erased");
      collectStrings(item, walk.secrets);
      delete (copy ??= { ...value })[key];
    } else {
      const redacted = redactValue(item, walk);
      if (redacted !== item) (copy ??= { ...value })[key] = redacted;
    }
    walk.path.pop();
  }
  return copy ?? value;
}

/** What a key is by itself. */
interface KeyFacts {
  /** Holds no secret. */
  readonly isClean: boolean;
  readonly isName: boolean;
  readonly isValue: boolean;
}

const keys = new Map<string, KeyFacts>();

/** The same keys come again and again: short ones are judged once. */
function keyFacts(key: string): KeyFacts {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const isShort = key.length <= CLEAN_LENGTH;
  const isClean = isShort && maskString(key, beginWalk([])) === key;
  const facts = { isClean, isName: NAME_KEY.test(key), isValue: VALUE_KEY.test(key) };
  if (keys.size >= CLEAN_SIZE) keys.clear();
  if (isShort) keys.set(key, facts);
  return facts;
}

/** The secret name that an object gives its value as data, as in `{"name": "API_TOKEN", "value": "…"}`. */
function namedSecret(value: JsonObject): string | undefined {
  for (const key of Object.keys(value)) {
    const name = value[key];
    if (typeof name === "string" && keyFacts(key).isName && isSecretKey(name)) return name;
  }
  return undefined;
}

/** Tells whether a member is to be left out: a secret's name, with a value that can hold one. */
function isSecretMember(key: string, value: JsonValue): boolean {
  if (value === null || typeof value === "boolean" || value === "" || value === REDACTED || !isSecretKey(key)) return false;
  if (typeof value === "string") return !isWorkingDirectory(key, value);
  return typeof value !== "number" || !countsTokens(key);
}

function collectStrings(value: JsonValue, into: Set<string>): void {
  const open: JsonValue[] = [value];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item === "string") into.add(item);
    else if (typeof item === "object" && item !== null) for (const part of Object.values(item)) open.push(part);
  }
}

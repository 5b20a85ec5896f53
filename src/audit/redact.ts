import type { JsonObject, JsonValue } from "../call/json.ts";
import { auditError } from "./errors.ts";
import { hasLiveSecrets, maskLiveSecrets } from "./live-secrets.ts";
import { distinctive, isAffordable, knownMasker } from "./mask-known.ts";
import { tidyPointers } from "./pointer.ts";
import { redactArgs } from "./redact-args.ts";
import { MAX_PASSES, beginWalk, charactersSeen, maskString, noteErased, redactObject, redactValue } from "./redact-walk.ts";
import type { Path, Walk } from "./redact-walk.ts";
import { REDACTED } from "./secret-patterns.ts";

/**
 * What was erased, as sorted RFC 6901 pointers without children of a listed parent: `erased` names every place from which something was
 * erased, whole or in part; `masked` those of them where a text with `[REDACTED]` still stands.
 */
export interface Erasures {
  readonly erased: readonly string[];
  readonly masked: readonly string[];
}

/** The parts of a decision event that callers and policies fill. */
export interface EventParts {
  readonly input: JsonObject;
  readonly result?: JsonObject;
}

/**
 * Redacts policy input and decision for the log: by name at any depth of `arguments`, in the `args` strings made from them, and inside
 * every string; then copies of the secrets that were found, in whatever the caller or the policy wrote (design §10, trial E05).
 * @param parts never changed; what stays the same is given back as it is
 * @throws Error `audit.redaction_failed` when the event is too deep or too large to be looked through
 */
export function redactEvent(parts: EventParts): EventParts & Erasures {
  const walk = beginWalk([], isClaim);
  const input = inputWithArgs(parts.input, walk);
  const result = parts.result === undefined ? undefined : at(walk, "result", () => redactValue(parts.result as JsonObject, walk));
  const document: JsonObject = result === undefined ? { input } : { input, result };
  const cleaned = maskCopies(document, walk, isWrittenByCaller) as JsonObject & { input: JsonObject; result?: JsonObject };
  const { erased, masked } = erasuresOf(walk);
  return cleaned.result === undefined
    ? { input: cleaned.input, erased, masked }
    : { input: cleaned.input, result: cleaned.result, erased, masked };
}

/** The `args` strings are made again from what is left of the arguments. */
function inputWithArgs(input: JsonObject, walk: Walk): JsonObject {
  const redacted = at(walk, "input", () => redactObject(input, walk, "args"));
  const { args } = input;
  if (args === undefined) return redacted;
  const again = redactArgs(args, { before: input["arguments"], after: redacted["arguments"], walk });
  return again === args ? redacted : { ...redacted, args: again };
}

function at<Value>(walk: Walk, segment: string, look: () => Value): Value {
  walk.path.push(segment);
  const value = look();
  walk.path.pop();
  return value;
}

/**
 * Redacts any other JSON value: facts of an outcome, a recording, a listing.
 * @param at segments that its pointers start with
 * @throws Error `audit.redaction_failed` as `redactEvent` does
 */
export function redactJson<T extends JsonValue>(value: T, at: readonly string[] = []): { readonly value: T } & Erasures {
  const walk = beginWalk(at);
  const redacted = maskCopies(redactValue(value, walk), walk, () => true);
  return { value: redacted as T, ...erasuresOf(walk) };
}

/** Redacts free text, such as a line for stderr or a piece of output. Never throws: a text that cannot be looked through is erased whole. */
export function redactText(text: string): string {
  try {
    let masked = redactTextOnce(text);
    for (let pass = 1, before = text; masked !== before && pass < MAX_PASSES; pass += 1) {
      before = masked;
      masked = redactTextOnce(before);
    }
    return masked;
  } catch {
    return REDACTED;
  }
}

function redactTextOnce(text: string): string {
  const walk = beginWalk([]);
  return maskCopies(maskString(text, walk), walk, () => true) as string;
}

function erasuresOf(walk: Walk): Erasures {
  if (walk.erased.size === 0) return { erased: [], masked: [] };
  const erased = tidyPointers(walk.erased);
  const listed = new Set(erased);
  return { erased, masked: tidyPointers(walk.masked).filter((pointer) => listed.has(pointer)) };
}

/** Claim fields are never redacted (design §10): who called is what the log is for. */
function isClaim([part, field, name, ...deeper]: Path): boolean {
  if (part !== "input" || deeper.length > 0) return false;
  if (name === undefined) return field === "session_id";
  return field === "agent" && (name === "id" || name === "session_id");
}

/** Places that hold what the caller or the policy wrote; elsewhere stand facts of Regate that no caller may make disappear. */
function isWrittenByCaller(path: Path): boolean {
  const [part, field] = path;
  const name = path.findLast((segment) => typeof segment === "string");
  if (part === "result") return name === "message" || name === "deny_reason";
  if (field === "shell") return name === "argv" || name === "name" || name === "word" || name === "target" || name === "text";
  return field === "arguments" || field === "args" || field === "context";
}

function maskCopies(value: JsonValue, walk: Walk, mayMask: (path: Path) => boolean): JsonValue {
  const secrets = distinctive(walk.secrets);
  if (secrets.length === 0 && !hasLiveSecrets()) return value;
  if (!isAffordable(secrets, charactersSeen(walk)))
    throw auditError("audit.redaction_failed", "the event has too many secrets to be redacted");
  const known = knownMasker(secrets);
  const mask = (text: string): string => maskLiveSecrets(secrets.length === 0 ? text : known(text));
  return mapStrings(value, walk.path, {
    map(text) {
      const masked = mayMask(walk.path) ? mask(text) : text;
      if (masked === text) return text;
      noteErased(walk, "masked");
      return maskString(masked, walk);
    },
    nameOf: (key) => (mayMask(walk.path) ? mask(key) : key),
    onErased: () => noteErased(walk, "erased"),
  });
}

interface StringMap {
  readonly map: (text: string) => string;
  /** The name of a member as it may be written; a member with another one is left out. */
  readonly nameOf: (key: string) => string;
  readonly onErased: () => void;
}

/** Maps every string of a value, with `path` at its place while it is mapped; copies only what changes. */
function mapStrings(value: JsonValue, path: (string | number)[], strings: StringMap): JsonValue {
  if (typeof value === "string") return strings.map(value);
  if (typeof value !== "object" || value === null) return value;
  const copy: JsonValue[] | JsonObject = Array.isArray(value) ? [...value] : { ...value };
  let changed = false;
  for (const [key, item] of Object.entries(value)) {
    const name = Array.isArray(value) ? key : strings.nameOf(key);
    path.push(Array.isArray(value) ? Number(key) : name);
    const mapped = name === key ? mapStrings(item, path, strings) : undefined;
    if (mapped === undefined) strings.onErased();
    path.pop();
    if (mapped === item) continue;
    changed = true;
    if (mapped === undefined) delete (copy as JsonObject)[key];
    else (copy as JsonObject)[key] = mapped;
  }
  return changed ? copy : value;
}

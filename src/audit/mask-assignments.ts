import { alphabetOf, alphanumeric, type Alphabet } from "./runs.ts";
import { REDACTED } from "./secret-patterns.ts";
import { countsTokens, isAuthorizationKey, isCookieKey, isSecretKey, isWorkingDirectory } from "./secret-keys.ts";
import { endOfWord, valueReader } from "./secret-value.ts";
import type { Span, ValueReader } from "./secret-value.ts";

/** What separates a name from its value: `key=`, `key: `, `"key" : `, `\"key\":`, `key => `, `key := `. */
const SEPARATOR = /(?:=>|:=|={1,3}|:)(?:\\?[ \t]){0,8}/y;
/** Quotes, and blanks, between a name and its separator, at most. */
const MOST_BETWEEN = 8;
const NAME = alphanumeric("_.$-");
const [SEPARATORS, BLANKS, QUOTES] = [alphabetOf("=:"), alphabetOf(" \t"), alphabetOf("\"'\\")];
/** A long or short option that is followed by its value as the next word. */
const OPTION = /(?<![A-Za-z0-9_.-])--?[A-Za-z][A-Za-z0-9_.-]*[ \t]+/g;
/** SQL and configuration: a secret's name followed by a quoted value. */
const QUOTED = /(?<![A-Za-z0-9_])(?:password|passwd|passphrase|secret|token|identified[ \t]{1,4}by)[ \t]{1,4}(?=["'])/gi;
/** `.netrc`. */
const NETRC = /(?<![A-Za-z0-9_])login[ \t]+[^\s]{1,256}\s{1,16}password[ \t]{1,16}/gi;
/** An element of XML or HTML. */
const ELEMENT = /<([A-Za-z_][\w.:-]{0,127})>(?=[^<]{1,65536}<\/)/g;

const SCHEMES = new Set(["bearer", "basic", "digest", "token", "negotiate", "ntlm", "apikey", "key", "oauth", "hawk", "aws4-hmac-sha256"]);
const NO_SECRET = new Set(["true", "false", "null", "none", "undefined", "nil", REDACTED.toLowerCase()]);

/** Called with each secret that was found, so that its copies elsewhere can be found too. */
export type OnSecret = (secret: string) => void;

/**
 * Masks the values of secret names in free text: assignments, headers, members of JSON text, options of commands, SQL, `.netrc`, XML.
 * @param text any text
 * @param onSecret told each value that was masked
 */
export function maskAssignments(text: string, onSecret: OnSecret): string {
  let masked = maskSpans(text, onSecret, assignmentSpans);
  masked = maskSpans(masked, onSecret, optionSpans);
  masked = maskSpans(masked, onSecret, (part, reader) => spansAfter(QUOTED, part, reader));
  masked = maskSpans(masked, onSecret, (part, reader) => spansAfter(NETRC, part, reader));
  return masked.includes("</") ? maskSpans(masked, onSecret, elementSpans) : masked;
}

/** Replaces spans of a text, in their order, by the marker. */
function maskSpans(text: string, onSecret: OnSecret, spansOf: (text: string, reader: ValueReader) => Iterable<Span>): string {
  let out = "";
  let done = 0;
  for (const { start, end } of spansOf(text, valueReader(text))) {
    if (start < done) continue;
    onSecret(text.slice(start, end));
    out += text.slice(done, start) + REDACTED;
    done = end;
  }
  return done === 0 ? text : out + text.slice(done);
}

function* assignmentSpans(text: string, reader: ValueReader): Iterable<Span> {
  let from = 0;
  for (;;) {
    const found = nextName(text, from);
    if (found === undefined) return;
    from = found.separator + 1;
    const name = nameBefore(text, found);
    if (!isSecretKey(name)) continue;
    SEPARATOR.lastIndex = found.separator;
    const start = found.separator + (SEPARATOR.exec(text)?.[0].length ?? 1);
    const span = secretSpan({ text, name, start, reader });
    from = span === undefined ? start : lastNameIn(text, span);
    if (span !== undefined) yield span;
  }
}

/** A value can end in a name whose own value stands behind it, as in `password=password= x`: where that name begins, or the value ends. */
function lastNameIn(text: string, { start, end }: Span): number {
  const name = back(text, back(text, back(text, end, SEPARATORS), BLANKS), QUOTES);
  let at = name;
  while (at > start && isIn(NAME, text, at - 1)) at -= 1;
  return at >= start && at < name ? at : end;
}

/** A name, where it begins, and where the separator behind it begins. */
interface NamedPlace {
  readonly at: number;
  readonly name: string;
  readonly separator: number;
}

/** The next name with a separator behind it. It is looked for from its separator, of which most texts have few. */
function nextName(text: string, from: number): NamedPlace | undefined {
  for (let separator = from; separator < text.length; separator += 1) {
    if (!isIn(SEPARATORS, text, separator)) continue;
    const end = back(text, back(text, separator, BLANKS), QUOTES);
    let at = end;
    while (at > from && isIn(NAME, text, at - 1)) at -= 1;
    // One that began before `from` was looked at already.
    if (at < end && !(at > 0 && isIn(NAME, text, at - 1))) return { at, name: text.slice(at, end), separator };
  }
  return undefined;
}

/** Goes back over so many characters of a kind, at most. */
function back(text: string, from: number, over: Alphabet): number {
  let at = from;
  while (from - at < MOST_BETWEEN && isIn(over, text, at - 1)) at -= 1;
  return at;
}

function isIn(alphabet: Alphabet, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && alphabet[code] === 1;
}

/** The name of an assignment; of `API Key: …` both words. */
function nameBefore(text: string, { name, at }: NamedPlace): string {
  if (!/^(?:key|phrase|code|word)$/i.test(name)) return name;
  return (/[A-Za-z]{1,16}[ ]$/.exec(text.slice(Math.max(0, at - 17), at))?.[0] ?? "") + name;
}

interface Assignment {
  readonly text: string;
  readonly name: string;
  readonly start: number;
  readonly reader: ValueReader;
}

function secretSpan({ text, name, start, reader }: Assignment): Span | undefined {
  const span = reader.read(start);
  if (span === undefined) return undefined;
  const value = text.slice(span.start, span.end);
  if (NO_SECRET.has(value.toLowerCase()) || isReference(text, span.start) || isWorkingDirectory(name, value)) return undefined;
  if (countsTokens(name) && /^\d+$/.test(value)) return undefined;
  if (span.start !== start) return span;
  if (isAuthorizationKey(name) && SCHEMES.has(value.toLowerCase())) return credentialSpan(text, span);
  return isCookieKey(name) ? { start, end: cookieEnd(text, span.end) } : span;
}

/** A shell variable or command substitution names a secret, it is none: `$DB_PASSWORD`, `${…}`, `$(…)`. */
function isReference(text: string, at: number): boolean {
  return text[at] === "$" && /[A-Z_{(]/.test(text[at + 1] ?? "");
}

/** Scheme and credential of an authorization header; nothing when the credential is a reference. */
function credentialSpan(text: string, scheme: Span): Span | undefined {
  let at = scheme.end;
  while (text[at] === " " || text[at] === "\t" || (text[at] === "\\" && text[at + 1] === " ")) at += 1;
  return isReference(text, at) ? undefined : { start: scheme.start, end: endOfWord(text, at) };
}

/** End of a cookie header's further pairs. */
function cookieEnd(text: string, from: number): number {
  const pairs = /(?:;[ \t]{0,4}[\w.-]{1,128}=[^\s;"'\\]{0,8192})*/y;
  pairs.lastIndex = from;
  return from + (pairs.exec(text)?.[0].length ?? 0);
}

function* optionSpans(text: string, reader: ValueReader): Iterable<Span> {
  for (const match of text.matchAll(OPTION)) {
    const name = match[0].trim().replace(/^-+/, "");
    const start = match.index + match[0].length;
    if (text[start] === "-") continue;
    const span = isSecretKey(name) ? secretSpan({ text, name, start, reader }) : userSpan({ text, name, start, reader });
    if (span !== undefined) yield span;
  }
}

/** `-u name:password` and `--user name:password`, as curl and wget take them. */
function userSpan({ text, name, start, reader }: Assignment): Span | undefined {
  if (!/^(?:u|user|proxy-user|U)$/.test(name)) return undefined;
  const span = reader.read(start);
  const colon = span === undefined ? -1 : text.slice(span.start, span.end).indexOf(":");
  if (span === undefined || colon < 0 || span.start + colon + 1 >= span.end) return undefined;
  const value = { start: span.start + colon + 1, end: span.end };
  return isReference(text, value.start) ? undefined : value;
}

function* spansAfter(pattern: RegExp, text: string, reader: ValueReader): Iterable<Span> {
  for (const match of text.matchAll(pattern)) {
    const span = reader.read(match.index + match[0].length);
    if (span !== undefined) yield span;
  }
}

function* elementSpans(text: string): Iterable<Span> {
  for (const match of text.matchAll(ELEMENT)) {
    if (!isSecretKey(match[1] ?? "")) continue;
    const start = match.index + match[0].length;
    yield { start, end: text.indexOf("<", start) };
  }
}

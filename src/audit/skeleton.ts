/** What is left of a text without its spelling: lower-case bytes, one character each, and where in the text each one came from. */
export interface Skeleton {
  readonly bytes: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * How programs spell a character that they do not print as it is: escapes of JSON, Python, C and shells, with as many backslashes as nesting gives them; percent-encoding;
 * character references; and colours of terminals, which stand for nothing.
 */
const SPELLING = new RegExp(
  [
    String.raw`\\{1,8}u([dD][89abAB][0-9a-fA-F]{2})\\{1,8}u([dD][c-fC-F][0-9a-fA-F]{2})`,
    String.raw`\\{1,8}u\{([0-9a-fA-F]{1,6})\}`,
    String.raw`\\{1,8}u([0-9a-fA-F]{4})`,
    String.raw`\\{1,8}U([0-9a-fA-F]{8})`,
    String.raw`\\{1,8}x([0-9a-fA-F]{2})`,
    String.raw`\\{1,8}([0-3][0-7]{2})`,
    String.raw`\\{1,8}[abefnrtv0]`,
    "%([0-9a-fA-F]{2})",
    "&#[xX]([0-9a-fA-F]{1,6});",
    "&#([0-9]{1,7});",
    "&(quot|apos|amp|lt|gt);",
    `${String.fromCharCode(0x1b)}${String.raw`\[[0-9;?]*[ -/]*[@-~]`}`,
  ].join("|"),
  "g",
);
const REFERENCES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: "&", lt: "<", gt: ">" };
/** No spelling of one character is longer. */
const MAX_SPELLING = 32;
/** An escape that was cut before its end. */
const TORN = /(?:\\{1,8}(?:[uUx][{0-9a-fA-F]*|[0-3][0-7]?)?|%[0-9a-fA-F]?|&#?[a-zA-Z0-9]{0,7})$/;

/**
 * Makes the skeleton of a text. Two texts that say the same in other quotes, escapes, line widths or cases have the same one, whichever programs
 * printed them.
 */
export function skeletonOf(text: string): Skeleton {
  const parts: Parts = { bytes: [], starts: [], ends: [] };
  let from = 0;
  for (const found of text.matchAll(SPELLING)) {
    putPlain(parts, text.slice(from, found.index), from);
    from = found.index + found[0].length;
    for (const byte of meant(found)) put(parts, byte, { start: found.index, end: from });
  }
  putPlain(parts, text.slice(from), from);
  return { bytes: Buffer.from(parts.bytes).toString("latin1"), starts: parts.starts, ends: parts.ends };
}

interface Parts {
  readonly bytes: number[];
  readonly starts: number[];
  readonly ends: number[];
}

function putPlain(parts: Parts, text: string, offset: number): void {
  let start = offset;
  for (const character of text) {
    const end = start + character.length;
    for (const byte of encoded(character)) put(parts, byte, { start, end });
    start = end;
  }
}

/** Quotes and what goes with them, blanks and line ends are left out: programs put them in and leave them out. Cases are one. */
function put({ bytes, starts, ends }: Parts, byte: number, { start, end }: { readonly start: number; readonly end: number }): void {
  if (byte <= 0x20 || byte === 0x7f || byte === 0x5c || byte === 0x27 || byte === 0x22 || byte === 0x24) return;
  bytes.push(byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
  starts.push(start);
  ends.push(end);
}

/** Replaces every part of a text whose skeleton is one of `needles` (bytes of skeletons). */
export function maskSkeletons(text: string, needles: readonly string[], replacement: string): string {
  if (needles.length === 0) return text;
  const { bytes, starts, ends } = skeletonOf(text);
  const ranges: [start: number, end: number][] = [];
  for (const needle of needles) {
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + needle.length))
      ranges.push([starts[at] ?? 0, ends[at + needle.length - 1] ?? 0]);
  }
  return withoutRanges(text, ranges, replacement);
}

/** Takes off the end of a text what may be the first part of a needle, at least `least` bytes of it. */
export function withoutSkeletonTail(
  text: string,
  needles: readonly string[],
  { least, replacement }: { least: number; replacement: string },
): string {
  const end = Math.max(0, text.length - MAX_SPELLING);
  const { bytes, starts } = skeletonOf(`${text.slice(0, end)}${text.slice(end).replace(TORN, "")}`);
  let longest = 0;
  for (const needle of needles) {
    for (let length = Math.min(needle.length - 1, bytes.length); length >= least && length > longest; length -= 1)
      if (bytes.endsWith(needle.slice(0, length))) longest = length;
  }
  return longest === 0 ? text : `${text.slice(0, starts[bytes.length - longest])}${replacement}`;
}

function withoutRanges(text: string, ranges: [start: number, end: number][], replacement: string): string {
  let [masked, from] = ["", 0];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (start >= from) masked += `${text.slice(from, start)}${replacement}`;
    from = Math.max(from, end);
  }
  return masked + text.slice(from);
}

/** The bytes that a spelling stands for. */
function meant(found: RegExpExecArray): Iterable<number> {
  const [, high, low, braced, short, long, byte, octal, percent, hexReference, reference, named] = found;
  const single = byte ?? percent;
  if (single !== undefined) return [Number.parseInt(single, 16)];
  if (octal !== undefined) return [Number.parseInt(octal, 8)];
  if (high !== undefined && low !== undefined) return encoded(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
  if (named !== undefined) return encoded(REFERENCES[named] ?? "");
  const point = reference === undefined ? Number.parseInt(braced ?? short ?? long ?? hexReference ?? "0", 16) : Number(reference);
  return point > 0x10ffff ? [] : encoded(String.fromCodePoint(point));
}

function encoded(text: string): Iterable<number> {
  return text.length === 1 && text < "\u0080" ? [text.charCodeAt(0)] : Buffer.from(text, "utf8");
}

/** Where a value stands in a text: `start` and `end` without its quotes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Characters that end a value without quotes: what separates words, members and commands. */
const STOPS = new Set("\"'`;&|<>(){} \t\r\n\v\f");
/** More backslashes before a quote than this are read as this many. */
const MAX_LEVEL = 7;

/**
 * Reads values out of one text. It remembers which closing quotes do not occur any more, so that reading many values from one text takes
 * time linear in its length.
 */
export interface ValueReader {
  /** The value that begins at `start`: a quoted one (`"…"`, `'…'`, `\"…\"` inside JSON), else up to the next separator; undefined when empty. */
  read(start: number): Span | undefined;
}

/** Makes a reader for one text. */
export function valueReader(text: string): ValueReader {
  const noneLeft = new Set<string>();

  function closing(quote: string, level: number, from: number): number {
    const key = `${level}${quote}`;
    if (noneLeft.has(key)) return -1;
    for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
      if (closes({ text, at, from, quote, level })) return at;
    }
    noneLeft.add(key);
    return -1;
  }

  function quoted(start: number, level: number): Span {
    const quote = text[start + level] ?? "";
    const begin = start + level + 1;
    const at = closing(quote, Math.min(level, MAX_LEVEL), begin);
    // No closing quote: the text was cut, the rest of the line belongs to the value.
    return at < 0
      ? { start: begin, end: endOfLine(text, begin) }
      : { start: begin, end: at - backslashesBefore(text, at, begin) * (level > 0 ? 1 : 0) };
  }

  return {
    read(start) {
      const level = backslashesFrom(text, start);
      const first = text[start + level];
      const span = first === '"' || first === "'" || first === "`" ? quoted(start, level) : { start, end: endOfWord(text, start) };
      return span.end > span.start ? span : undefined;
    },
  };
}

/** End of the line that holds a position. */
export function endOfLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

/** End of the word that begins at a position; a backslash before a quote or a blank ends it too, a trailing comma is left out. */
export function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const char = text[at] as string;
    if (STOPS.has(char) || (char === "\\" && /["'`\snrt]/.test(text[at + 1] ?? ""))) break;
    at += 1;
  }
  return at > from && text[at - 1] === "," ? at - 1 : at;
}

interface Candidate {
  readonly text: string;
  readonly at: number;
  readonly from: number;
  readonly quote: string;
  readonly level: number;
}

/** A quote closes when it is escaped no more than the one that opened; in single quotes of a shell a backslash escapes nothing. */
function closes({ text, at, from, quote, level }: Candidate): boolean {
  const escapes = backslashesBefore(text, at, from);
  if (level > 0) return escapes <= level;
  return quote === "'" || escapes % 2 === 0;
}

function backslashesFrom(text: string, start: number): number {
  let count = 0;
  while (text[start + count] === "\\") count += 1;
  return count;
}

function backslashesBefore(text: string, at: number, from: number): number {
  let count = 0;
  while (at - count - 1 >= from && text[at - count - 1] === "\\") count += 1;
  return count;
}

import { groupTest, unicodeTest, type CharTest } from "./re2-chars.ts";
import { PatternError } from "./re2-error.ts";

/** A pattern as code points, and how far it has been read. */
export interface Chars {
  readonly text: readonly string[];
  at: number;
}

const CONTROL: ReadonlyMap<string, number> = new Map([
  ["a", 7],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
]);

/**
 * Reads what follows a backslash, inside or outside a class: one character, or a class such as `\d` or `\pL`.
 * @param source positioned after the backslash
 * @param fold whether letter case is ignored
 * @throws {PatternError} for what RE2 does not have: backreferences, `\C`, unknown letters
 */
export function parseEscape(source: Chars, fold: boolean): number | CharTest {
  const next = source.text[source.at];
  if (next === undefined) throw new PatternError("trailing backslash");
  source.at += 1;
  if (next === "p" || next === "P") return parseUnicode(source, { negated: next === "P", fold });
  const group = /^[dswDSW]$/.test(next) ? groupTest(next.toLowerCase(), { negated: next !== next.toLowerCase(), fold }) : undefined;
  if (group !== undefined) return group;
  if (/^[0-7]$/.test(next)) return parseOctal(source, next);
  if (next === "x") return parseHex(source);
  const code = CONTROL.get(next) ?? next.codePointAt(0) ?? 0;
  if (CONTROL.has(next) || (code < 0x80 && !/^[0-9A-Za-z]$/.test(next))) return code;
  throw new PatternError("invalid escape sequence");
}

function parseUnicode(source: Chars, options: { negated: boolean; fold: boolean }): CharTest {
  const first = source.text[source.at];
  if (first === undefined) throw new PatternError("invalid character class range");
  source.at += 1;
  let name = first;
  if (first === "{") {
    const end = source.text.indexOf("}", source.at);
    if (end < 0) throw new PatternError("invalid character class range");
    name = source.text.slice(source.at, end).join("");
    source.at = end + 1;
  }
  const inverted = name.startsWith("^");
  return unicodeTest(inverted ? name.slice(1) : name, { negated: options.negated !== inverted, fold: options.fold });
}

/** Up to three octal digits; a single digit other than 0 would be a backreference. */
function parseOctal(source: Chars, first: string): number {
  const more = /^[0-7]{0,2}/.exec(source.text.slice(source.at, source.at + 2).join(""))?.[0] ?? "";
  if (first !== "0" && more === "") throw new PatternError("invalid escape sequence");
  source.at += more.length;
  return Number.parseInt(first + more, 8);
}

function parseHex(source: Chars): number {
  const rest = source.text.slice(source.at, source.at + 64).join("");
  const match = /^(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(rest);
  if (match === null) throw new PatternError("invalid escape sequence");
  source.at += match[0].length;
  const code = Number.parseInt(match[1] ?? match[2] ?? "", 16);
  if (code > 0x10ffff) throw new PatternError("invalid escape sequence");
  return code;
}

import { groupTest, rangeTest, unionTest, type CharTest } from "./re2-chars.ts";
import { PatternError } from "./re2-error.ts";
import { parseEscape, type Chars } from "./re2-escape.ts";

/**
 * Reads a character class, positioned after its `[` (Go regexp/syntax `parseClass`, Perl flags: a class may match a newline).
 * @param fold whether letter case is ignored
 * @throws {PatternError} when it is not valid RE2 syntax
 */
export function parseClass(source: Chars, fold: boolean): CharTest {
  const negated = source.text[source.at] === "^";
  if (negated) source.at += 1;
  const tests: CharTest[] = [];
  for (let first = true; first || source.text[source.at] !== "]"; first = false) {
    if (source.at >= source.text.length) throw new PatternError("missing closing ]");
    tests.push(parseNamed(source, fold) ?? parseRange(source, fold));
  }
  source.at += 1;
  return unionTest(tests, negated);
}

/** `[:alpha:]` or `[:^alpha:]`; undefined when there is no such thing here. */
function parseNamed(source: Chars, fold: boolean): CharTest | undefined {
  if (source.text[source.at] !== "[" || source.text[source.at + 1] !== ":") return undefined;
  const rest = source.text.slice(source.at + 2).join("");
  const end = rest.indexOf(":]");
  if (end < 0) return undefined;
  const name = rest.slice(0, end);
  const negated = name.startsWith("^");
  const word = negated ? name.slice(1) : name;
  const test = word.length > 1 ? groupTest(word, { negated, fold }) : undefined;
  if (test === undefined) throw new PatternError("invalid character class range");
  source.at += Array.from(name).length + 4;
  return test;
}

function parseRange(source: Chars, fold: boolean): CharTest {
  const low = parseMember(source, fold);
  if (typeof low !== "number") return low;
  const isRange = source.text[source.at] === "-" && source.text[source.at + 1] !== undefined && source.text[source.at + 1] !== "]";
  if (!isRange) return rangeTest({ low, high: low }, fold);
  source.at += 1;
  const start = source.at;
  const high = parseMember(source, fold);
  if (typeof high !== "number")
    throw new PatternError(source.text[start] === "\\" ? "invalid escape sequence" : "invalid character class range");
  if (high < low) throw new PatternError("invalid character class range");
  return rangeTest({ low, high }, fold);
}

function parseMember(source: Chars, fold: boolean): number | CharTest {
  const next = source.text[source.at];
  if (next === undefined) throw new PatternError("missing closing ]");
  source.at += 1;
  return next === "\\" ? parseEscape(source, fold) : (next.codePointAt(0) ?? 0);
}

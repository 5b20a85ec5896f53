import { toInt64 } from "./decimal.ts";
import { PatternError } from "./re2-error.ts";
import { parsePattern } from "./re2-parse.ts";
import { compileProgram, type Program } from "./re2-program.ts";
import { createSearch, findMatch } from "./re2-run.ts";
import { isNumber, isString, type HostBuiltin } from "./values.ts";

interface Pattern {
  readonly program: Program;
  readonly names: readonly string[];
}

const CACHE_SIZE = 100;
const cache = new Map<string, Pattern | PatternError>();

/** `regex.find_n(pattern, text, n)`: up to n matches, all for a negative n (Go `FindAllString`). */
export const findN: HostBuiltin = {
  arity: 3,
  call: (pattern, text, count) => {
    if (!isString(pattern) || !isString(text) || !isNumber(count)) return undefined;
    const limit = toInt64(count.text);
    const compiled = compile(pattern);
    if (limit === undefined || compiled === undefined) return undefined;
    const characters = Array.from(text);
    const wanted = limit < 0n ? characters.length + 1 : Number(limit);
    return allMatches({ ...compiled.program, slots: 2 }, characters, wanted).map(([start, end]) => characters.slice(start, end).join(""));
  },
};

/** `regex.replace(text, pattern, value)`: every match replaced, with `$1` and `${name}` in the value (Go `ReplaceAllString`). */
export const replace: HostBuiltin = {
  arity: 3,
  call: (text, pattern, value) => {
    if (!isString(text) || !isString(pattern) || !isString(value)) return undefined;
    const compiled = compile(pattern);
    if (compiled === undefined) return undefined;
    const characters = Array.from(text);
    let result = "";
    let last = 0;
    for (const match of allMatches(compiled.program, characters, characters.length + 1)) {
      const [start = 0, end = 0] = match;
      result += characters.slice(last, start).join("") + expand(value, { match, names: compiled.names, characters });
      last = end;
    }
    return result + characters.slice(last).join("");
  },
};

function compile(pattern: string): Pattern | undefined {
  const known = cache.get(pattern);
  if (known !== undefined) return known instanceof PatternError ? undefined : known;
  const made = tryCompile(pattern);
  const oldest = cache.size < CACHE_SIZE ? undefined : cache.keys().next();
  if (oldest?.value !== undefined) cache.delete(oldest.value);
  cache.set(pattern, made);
  return made instanceof PatternError ? undefined : made;
}

function tryCompile(pattern: string): Pattern | PatternError {
  try {
    const { root, names } = parsePattern(pattern);
    return { program: compileProgram(root, names.length), names };
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

/** Go `Regexp.allMatches`: an empty match right after a match does not count. */
function allMatches(program: Program, text: readonly string[], limit: number): (readonly number[])[] {
  const search = createSearch(program, text);
  const matches: (readonly number[])[] = [];
  let position = 0;
  let previousEnd = -1;
  while (matches.length < limit && position <= text.length) {
    const match = findMatch(search, position);
    if (match === undefined) break;
    const [start = 0, end = 0] = match;
    const isRepeatedEmpty = end === position && start === previousEnd;
    position = end === position ? position + 1 : end;
    previousEnd = end;
    if (!isRepeatedEmpty) matches.push(match);
  }
  return matches;
}

/** Go `Regexp.Expand`: `$name` takes the longest name, `$$` is a dollar sign, an unknown name is empty, anything else stays. */
function expand(template: string, found: { match: readonly number[]; names: readonly string[]; characters: readonly string[] }): string {
  return template.replaceAll(/\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu, (whole, braced?: string, bare?: string) => {
    if (whole === "$$") return "$";
    const index = groupIndex(braced ?? bare ?? "", found);
    const [start, end] = [found.match[index * 2] ?? -1, found.match[index * 2 + 1] ?? -1];
    return start < 0 ? "" : found.characters.slice(start, end).join("");
  });
}

function groupIndex(name: string, found: { match: readonly number[]; names: readonly string[] }): number {
  if (/^(0|[1-9][0-9]*)$/.test(name)) return Number(name);
  return found.names.findIndex((known, index) => known === name && (found.match[index * 2] ?? -1) >= 0);
}

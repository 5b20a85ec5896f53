import { BuiltinLimit } from "./values.ts";

/** Tells whether a character (one code point, as a string) belongs to a class. */
export type CharTest = (character: string) => boolean;

const GROUPS: ReadonlyMap<string, string> = new Map([
  ["d", "0-9"],
  ["s", "\\t\\n\\f\\r "],
  ["w", "0-9A-Za-z_"],
  ["alnum", "0-9A-Za-z"],
  ["alpha", "A-Za-z"],
  ["ascii", "\\x00-\\x7f"],
  ["blank", "\\t "],
  ["cntrl", "\\x00-\\x1f\\x7f"],
  ["digit", "0-9"],
  ["graph", "!-~"],
  ["lower", "a-z"],
  ["print", " -~"],
  ["punct", "!-\\/:-@\\[-`\\{-~"],
  ["space", "\\t\\n\\v\\f\\r "],
  ["upper", "A-Z"],
  ["word", "0-9A-Za-z_"],
  ["xdigit", "0-9A-Fa-f"],
]);

const CATEGORY = /^(L[CMlmotu]?|L[lmotu]|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cfo])$/;

/**
 * A Perl or POSIX class by its letter or name (RE2 syntax: `\d`, `[:alpha:]`).
 * @returns undefined when there is no such class
 */
export function groupTest(name: string, options: { negated: boolean; fold: boolean }): CharTest | undefined {
  const members = GROUPS.get(name);
  return members === undefined ? undefined : classTest(`[${members}]`, options);
}

/**
 * A Unicode class by its name (`\pL`, `\p{Greek}`): general categories and scripts by their exact names.
 * @throws {BuiltinLimit} for other names: Go also accepts loose spellings, and guessing which would change what a pattern means
 */
export function unicodeTest(name: string, options: { negated: boolean; fold: boolean }): CharTest {
  if (name === "Any") return () => !options.negated;
  if (name === "ASCII") return classTest("[\\x00-\\x7f]", options);
  const property = CATEGORY.test(name) ? name : `Script=${name}`;
  if (!/^[A-Za-z_=]+$/.test(property)) throw new BuiltinLimit(`regular expression: unicode class \`${name}\``);
  try {
    return classTest(`\\p{${property}}`, options);
  } catch (error) {
    throw new BuiltinLimit(`regular expression: unicode class \`${name}\``, { cause: error });
  }
}

/** Characters from `low` to `high`; with `fold`, also those that differ from one of them in letter case only. */
export function rangeTest(range: { low: number; high: number }, fold: boolean): CharTest {
  if (fold) return classTest(`[${escaped(range.low)}-${escaped(range.high)}]`, { negated: false, fold });
  return (character) => {
    const code = character.codePointAt(0) ?? -1;
    return code >= range.low && code <= range.high;
  };
}

/** Any of several classes, or none of them. */
export function unionTest(tests: readonly CharTest[], negated: boolean): CharTest {
  return withAsciiTable((character) => tests.some((test) => test(character)) !== negated);
}

/** Positive classes are folded first and negated after, as Go does; a negated class under JavaScript's `i` flag would mean something else. */
function classTest(source: string, options: { negated: boolean; fold: boolean }): CharTest {
  const pattern = new RegExp(`^${source}$`, options.fold ? "iu" : "u");
  return withAsciiTable((character) => pattern.test(character) !== options.negated);
}

function withAsciiTable(test: CharTest): CharTest {
  const table = Array.from({ length: 128 }, (_, code) => test(String.fromCharCode(code)));
  return (character) => {
    const code = character.charCodeAt(0);
    return code < 128 ? table[code] === true : test(character);
  };
}

function escaped(code: number): string {
  return `\\u{${code.toString(16)}}`;
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["\u0007", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Tells whether Go's `strconv.IsPrint` holds: letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrint(character: string): boolean {
  return PRINTABLE.test(character);
}

/**
 * Quotes a string as Go's `strconv.Quote` does (`%q`, and strings inside composite values).
 * @param text well-formed string
 * @param ascii escapes everything beyond ASCII (`strconv.QuoteToASCII`)
 */
export function quoteGo(text: string, ascii = false): string {
  return `"${Array.from(text, (character) => escape(character, { quote: '"', ascii })).join("")}"`;
}

/** Quotes one character as Go's `strconv.QuoteRune` does. */
export function quoteRuneGo(character: string, ascii = false): string {
  return `'${escape(character, { quote: "'", ascii })}'`;
}

/** Tells whether Go's `strconv.CanBackquote` holds: one line, no control characters but tab, no backquote, no byte order mark. */
export function canBackquote(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  return !/[\u0000-\u0008\u000a-\u001f\u007f`\ufeff]/.test(text);
}

function escape(character: string, options: { quote: string; ascii: boolean }): string {
  if (character === options.quote || character === "\\") return `\\${character}`;
  const code = character.codePointAt(0) ?? 0;
  if (isPrint(character) && (!options.ascii || code < 0x80)) return character;
  const short = SHORT.get(character);
  if (short !== undefined) return short;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

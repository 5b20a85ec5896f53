const MAX_RESULTS = 64;

interface Found {
  readonly open: number;
  readonly close: number;
  readonly items: readonly string[];
}

/**
 * Brace-expands the raw text of one word as bash does: textually, before any other expansion, quotes and nested expansions kept whole.
 * Gives the raw texts of the resulting words, or undefined when there are more than 64.
 */
export function expandBraces(raw: string): readonly string[] | undefined {
  const results: string[] = [];
  const pending = [{ text: raw, from: 0 }];
  while (pending.length > 0) {
    const { text, from } = pending.pop()!;
    const found = findBraces(text, from);
    if (found === undefined) results.push(text);
    if (results.length + pending.length > MAX_RESULTS) return undefined;
    if (found === undefined) continue;
    if (found.items.length > MAX_RESULTS) return undefined;
    const [before, after] = [text.slice(0, found.open), text.slice(found.close + 1)];
    for (const item of found.items.toReversed()) pending.push({ text: before + item + after, from: found.open });
  }
  return results;
}

/** The first brace expansion at or after `from`: a list with a comma on its own level, or a sequence. */
function findBraces(text: string, from: number): Found | undefined {
  for (let at = from; at < text.length; at = skipOne(text, at)) {
    if (text[at] !== "{") continue;
    const found = readBraces(text, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readBraces(text: string, open: number): Found | undefined {
  const commas: number[] = [];
  let level = 0;
  for (let at = open; at < text.length; at = skipOne(text, at)) {
    const char = text[at];
    if (char === "{") level++;
    if (char === "," && level === 1) commas.push(at);
    if (char !== "}" || --level > 0) continue;
    const items = commas.length > 0 ? splitAt(text, [open, ...commas, at]) : sequence(text.slice(open + 1, at));
    return items === undefined ? undefined : { open, close: at, items };
  }
  return undefined;
}

function splitAt(text: string, borders: readonly number[]): string[] {
  return borders.slice(1).map((border, index) => text.slice(borders[index]! + 1, border));
}

function sequence(body: string): readonly string[] | undefined {
  const match = /^(-?\d{1,9}|[a-zA-Z])\.\.(-?\d{1,9}|[a-zA-Z])(?:\.\.(-?\d{1,9}))?$/.exec(body);
  if (match === null) return undefined;
  const [first, last] = [match[1]!, match[2]!];
  const letters = /^[a-zA-Z]$/.test(first);
  if (letters !== /^[a-zA-Z]$/.test(last)) return undefined;
  const [from, to] = letters ? [first.charCodeAt(0), last.charCodeAt(0)] : [Number(first), Number(last)];
  const step = Math.abs(Number(match[3] ?? 1)) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  const width = /^-?0\d|^-?0$/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0;
  const values = Array.from({ length: Math.min(count, MAX_RESULTS + 1) }, (_, index) => from + (to < from ? -step : step) * index);
  return values.map((value) => (letters ? String.fromCharCode(value) : pad(value, width)));
}

function pad(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}

/** Index after one unit: a character, an escape, a quoted text or a whole nested expansion. */
function skipOne(text: string, at: number): number {
  const char = text[at];
  if (char === "\\") return at + 2;
  if (char === "'") return after(text, "'", at + 1);
  if (char === '"') return skipUntil(text, at + 1, '"');
  if (char === "`") return skipUntil(text, at + 1, "`");
  if (char === "$" && text[at + 1] === "'") return skipUntil(text, at + 2, "'");
  if (char === "$" && text[at + 1] === "{") return skipGroup(text, at + 1, "{}");
  if ((char === "$" || char === "<" || char === ">") && text[at + 1] === "(") return skipGroup(text, at + 1, "()");
  return at + 1;
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found === -1 ? text.length : found + mark.length;
}

function skipUntil(text: string, from: number, mark: string): number {
  let at = from;
  while (at < text.length && text[at] !== mark) at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function skipGroup(text: string, from: number, pair: string): number {
  let level = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "'") at = after(text, "'", at + 1) - 1;
    else if (char === pair[0]) level++;
    else if (char === pair[1] && --level === 0) return at + 1;
  }
  return text.length;
}

import { parseClass } from "./re2-class.ts";
import { PatternError } from "./re2-error.ts";
import { parseEscape, type Chars } from "./re2-escape.ts";
import { rangeTest, unionTest } from "./re2-chars.ts";
import { repeatsFit, type Assertion, type Node, type Parsed } from "./re2-node.ts";
import { BuiltinLimit } from "./values.ts";

interface Flags {
  fold: boolean;
  multiline: boolean;
  dotNewline: boolean;
  lazy: boolean;
}

/** An open group: its finished alternatives, and the items of the one being read. */
interface Frame {
  readonly alternatives: Node[];
  readonly items: Node[];
  readonly flags: Flags;
  readonly capture: number;
}

interface Parser {
  readonly source: Chars;
  readonly frames: Frame[];
  readonly names: string[];
  flags: Flags;
  repeated: boolean;
}

const MAX_LENGTH = 10_000;
const MAX_NESTING = 200;
const MAX_REPEAT = 1000;

/**
 * Parses RE2 syntax as Go's `regexp.Compile` does: no lookaround, no backreferences, counted repetition up to 1,000.
 * @throws {PatternError} where Go reports an error
 * @throws {BuiltinLimit} for what Go accepts and this engine does not
 */
export function parsePattern(pattern: string): Parsed {
  if (pattern.length > MAX_LENGTH) throw new BuiltinLimit("regular expression: pattern is too long");
  const flags = { fold: false, multiline: false, dotNewline: false, lazy: false };
  const outermost = { alternatives: [], items: [], flags, capture: -1 };
  const parser: Parser = { source: { text: Array.from(pattern), at: 0 }, frames: [outermost], names: [""], flags, repeated: false };
  while (parser.source.at < parser.source.text.length) {
    const isRepeat = parseItem(parser);
    parser.repeated = isRepeat;
  }
  const frame = top(parser);
  if (parser.frames.length !== 1) throw new PatternError("missing closing )");
  return { root: closed(frame), names: parser.names };
}

/** Parses one item; tells whether it was a repetition operator. */
function parseItem(parser: Parser): boolean {
  const { source } = parser;
  const next = source.text[source.at] ?? "";
  source.at += 1;
  if (next === "(") openGroup(parser);
  else if (next === ")") closeGroup(parser);
  else if (next === "|") top(parser).alternatives.push(concat(top(parser).items.splice(0)));
  else if (next === "^") add(parser, { op: "assert", kind: parser.flags.multiline ? "begin_line" : "begin_text" });
  else if (next === "$") add(parser, { op: "assert", kind: parser.flags.multiline ? "end_line" : "end_text" });
  else if (next === ".") add(parser, { op: "char", test: parser.flags.dotNewline ? () => true : (character) => character !== "\n" });
  else if (next === "[") add(parser, { op: "char", test: parseClass(source, parser.flags.fold) });
  else if (next === "*" || next === "+" || next === "?")
    return parseOperator(parser, { "*": "star", "+": "plus", "?": "quest" }[next] as "star");
  else if (next === "{") return parseCounted(parser);
  else if (next === "\\") parseBackslash(parser);
  else add(parser, literal(next, parser.flags.fold));
  return false;
}

function parseBackslash(parser: Parser): void {
  const { source } = parser;
  const next = source.text[source.at] ?? "";
  const kind = { A: "begin_text", z: "end_text", b: "word", B: "no_word" }[next] as Assertion | undefined;
  if (kind !== undefined) {
    source.at += 1;
    add(parser, { op: "assert", kind });
  } else if (next === "Q") {
    source.at += 1;
    while (source.at < source.text.length) {
      const character = source.text[source.at] ?? "";
      source.at += 1;
      if (character !== "\\" || source.text[source.at] !== "E") add(parser, literal(character, parser.flags.fold));
      else {
        source.at += 1;
        return;
      }
    }
  } else {
    const escape = parseEscape(source, parser.flags.fold);
    add(parser, typeof escape === "number" ? literal(String.fromCodePoint(escape), parser.flags.fold) : { op: "char", test: escape });
  }
}

function parseOperator(parser: Parser, op: "star" | "plus" | "quest"): true {
  const [sub, lazy] = repeatable(parser);
  if (sub.op === "empty" || (sub.op === op && sub.lazy === lazy)) add(parser, sub);
  else add(parser, { op, lazy, sub });
  return true;
}

/** `{n}`, `{n,}` or `{n,m}`; anything else after `{` makes it a literal. */
function parseCounted(parser: Parser): boolean {
  const { source } = parser;
  const rest = source.text.slice(source.at, source.at + 24).join("");
  const match = /^(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/.exec(rest);
  if (match === null) {
    // Go reads any number of digits before it decides; a count that long is too large in any case.
    if (/^[1-9]\d{8,}/.test(rest)) throw new BuiltinLimit("regular expression: repetition count");
    add(parser, literal("{", parser.flags.fold));
    return false;
  }
  source.at += match[0].length;
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : Number(match[3] ?? -1);
  if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max)) throw new PatternError("invalid repeat count");
  const [sub, lazy] = repeatable(parser);
  const node: Node = { op: "repeat", min, max, lazy, sub };
  if ((min >= 2 || max >= 2) && !repeatsFit(node, MAX_REPEAT)) throw new PatternError("invalid repeat count");
  add(parser, node);
  return true;
}

/** Takes the item that a repetition operator applies to, and the `?` that makes the operator lazy. */
function repeatable(parser: Parser): readonly [Node, boolean] {
  const { source } = parser;
  const hasMark = source.text[source.at] === "?";
  if (hasMark) source.at += 1;
  if (parser.repeated) throw new PatternError("invalid nested repetition operator");
  const sub = top(parser).items.pop();
  if (sub === undefined) throw new PatternError("missing argument to repetition operator");
  return [sub, hasMark !== parser.flags.lazy];
}

function openGroup(parser: Parser): void {
  const { source } = parser;
  if (parser.frames.length > MAX_NESTING) throw new BuiltinLimit("regular expression: nesting");
  const saved = { ...parser.flags };
  if (source.text[source.at] !== "?") {
    parser.names.push("");
    parser.frames.push({ alternatives: [], items: [], flags: saved, capture: parser.names.length - 1 });
    return;
  }
  const rest = source.text.slice(source.at).join("");
  const named = /^\?P?<([A-Za-z0-9_]+)>/.exec(rest);
  if (named?.[1] !== undefined) {
    parser.names.push(named[1]);
    parser.frames.push({ alternatives: [], items: [], flags: saved, capture: parser.names.length - 1 });
    source.at += named[0].length;
    return;
  }
  const marks = /^\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
  if (marks === null) throw new PatternError("invalid or unsupported group syntax");
  source.at += marks[0].length;
  parser.flags = withFlags(parser.flags, { on: marks[1] ?? "", off: marks[2] ?? "" });
  if (marks[3] === ":") parser.frames.push({ alternatives: [], items: [], flags: saved, capture: -1 });
}

function closeGroup(parser: Parser): void {
  const frame = parser.frames.pop();
  if (frame === undefined || parser.frames.length === 0) throw new PatternError("unexpected )");
  parser.flags = frame.flags;
  const sub = closed(frame);
  add(parser, frame.capture < 0 ? sub : { op: "capture", index: frame.capture, sub });
}

function withFlags(flags: Flags, change: { on: string; off: string }): Flags {
  const has = (flag: string, now: boolean) => (now || change.on.includes(flag)) && !change.off.includes(flag);
  return {
    fold: has("i", flags.fold),
    multiline: has("m", flags.multiline),
    dotNewline: has("s", flags.dotNewline),
    lazy: has("U", flags.lazy),
  };
}

function literal(character: string, fold: boolean): Node {
  const code = character.codePointAt(0) ?? 0;
  return { op: "char", test: fold ? unionTest([rangeTest({ low: code, high: code }, true)], false) : (other) => other === character };
}

function closed(frame: Frame): Node {
  const last = concat(frame.items);
  return frame.alternatives.length === 0 ? last : { op: "alternate", subs: [...frame.alternatives, last] };
}

function concat(items: readonly Node[]): Node {
  const [only] = items;
  if (only === undefined) return { op: "empty" };
  return items.length === 1 ? only : { op: "concat", subs: items };
}

function add(parser: Parser, node: Node): void {
  top(parser).items.push(node);
}

function top(parser: Parser): Frame {
  const frame = parser.frames.at(-1);
  if (frame === undefined) throw new PatternError("unexpected )");
  return frame;
}

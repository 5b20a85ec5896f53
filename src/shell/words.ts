import { arithmeticValue } from "./arithmetic.ts";
import { expandBraces } from "./braces.ts";
import { parseScript } from "./parse.ts";
import type { CommandArgument, CommandExpansionPart, ParameterExpansionPart, Word, WordPart } from "./parse.ts";
import { type Arg, MAX_NESTING, type Run, type Scope, type Span, UNKNOWN } from "./state.ts";
import { staticOutput } from "./static-output.ts";

interface Builder {
  readonly done: { text: string; dynamic: boolean; glob: boolean }[];
  text: string;
  /** A word is there even if its text is empty. */
  open: boolean;
  dynamic: boolean;
  glob: boolean;
}

/**
 * Dequotes one word into the words that bash would make of it (reference: shell.md §5.4–5.5): braces expanded, known values put in and
 * split, `$(echo …)` of static words read; what is not known is `UNKNOWN` in the text and marks the word dynamic.
 */
export function evaluate(run: Run, word: Word, scope: Scope): Arg[] {
  const span = spanOf(word, scope);
  if (word.parts === undefined) return [{ text: word.value, raw: word.text, dynamic: word.value.includes(UNKNOWN), glob: false, ...span }];
  if (word.parts.some((part) => part.type === "BraceExpansion")) return evaluateBraces(run, word, scope);
  const builder: Builder = { done: [], text: "", open: false, dynamic: false, glob: false };
  for (const part of word.parts) append(builder, part, { run, scope, quoted: false });
  close(builder);
  const single = builder.done.length === 1;
  return builder.done.map(({ text, dynamic, glob }) => {
    return { text, raw: single ? word.text : text, dynamic, glob, start: span.start, end: span.end };
  });
}

/** Evaluates the words of a command; an assignment argument (`declare x=1`) is one word `x=1`. */
export function evaluateAll(run: Run, words: readonly CommandArgument[], scope: Scope): Arg[] {
  return words.flatMap((word) => (word.type === "Word" ? evaluate(run, word, scope) : [assignmentWord(run, word, scope)]));
}

/** The text of a word where bash neither splits nor expands names (assignment values, here-strings). */
export function evaluateWhole(run: Run, word: Word, scope: Scope): Arg {
  const builder: Builder = { done: [], text: "", open: false, dynamic: false, glob: false };
  if (word.parts === undefined) builder.text = word.value;
  else for (const part of word.parts) append(builder, part, { run, scope, quoted: true });
  return { text: builder.text, raw: word.text, dynamic: builder.dynamic, glob: false, ...spanOf(word, scope) };
}

/** Where a node stands in the command as given. */
export function spanOf(node: { readonly pos: number; readonly end: number }, scope: Scope): Span {
  return scope.span === undefined ? { start: node.pos, end: node.end } : { start: scope.span.start, end: scope.span.end };
}

function assignmentWord(run: Run, word: Exclude<CommandArgument, Word>, scope: Scope): Arg {
  const value = word.value.type === "Word" ? evaluateWhole(run, word.value, scope) : undefined;
  const text = `${word.name}${word.append === true ? "+" : ""}=${value?.text ?? UNKNOWN}`;
  return { text, raw: word.text, dynamic: value?.dynamic ?? true, glob: false, ...spanOf(word, scope) };
}

function evaluateBraces(run: Run, word: Word, scope: Scope): Arg[] {
  const span = spanOf(word, scope);
  const raws = expandBraces(word.text);
  const [statement] = raws === undefined ? [] : parseScript(`: ${raws.join(" ")}`).commands;
  const command = statement?.command;
  if (command?.type !== "Command") return [{ text: UNKNOWN, raw: word.text, dynamic: true, glob: false, ...span }];
  const inner = { ...scope, span };
  return command.args.flatMap((item) => (item.type !== "Word" || hasBraces(item) ? [unknownWord(item, span)] : evaluate(run, item, inner)));
}

function hasBraces(word: Word): boolean {
  return word.parts?.some((part) => part.type === "BraceExpansion") ?? false;
}

function unknownWord(item: CommandArgument, span: Span): Arg {
  return { text: UNKNOWN, raw: item.text, dynamic: true, glob: false, ...span };
}

interface Context {
  readonly run: Run;
  readonly scope: Scope;
  readonly quoted: boolean;
}

function append(builder: Builder, part: WordPart, context: Context): void {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return put(builder, part.value);
    case "DoubleQuoted":
    case "LocaleString":
      builder.open = true;
      for (const child of part.parts) append(builder, child, { ...context, quoted: true });
      return;
    case "Glob":
    case "ExtendedGlob":
      if (part.parts?.every((inner) => inner.type === "Literal") ?? true) put(builder, part.text);
      else putUnknown(builder);
      builder.glob = true;
      return;
    case "SimpleExpansion":
      return putVariable(builder, part.text.slice(1), context);
    case "ParameterExpansion":
      return isPlain(part) ? putVariable(builder, part.parameter, context) : putUnknown(builder);
    case "CommandExpansion":
      return putValue(builder, substituted(part, context), context);
    case "ArithmeticExpansion":
      return putValue(builder, arithmeticValue(part.expression), context);
    case "ProcessSubstitution":
    case "BraceExpansion":
      return putUnknown(builder);
  }
}

function substituted(part: CommandExpansionPart, { run, scope }: Context): string | undefined {
  if (scope.nesting >= MAX_NESTING) return undefined;
  return staticOutput(part.script, (word) => evaluate(run, word, { ...scope, nesting: scope.nesting + 1 }));
}

function isPlain(part: ParameterExpansionPart): boolean {
  return part.prefix === undefined && part.index === undefined && part.operation === undefined;
}

function putVariable(builder: Builder, name: string, context: Context): void {
  const { run, scope } = context;
  if (name === "IFS" && !run.ifsChanged) return putValue(builder, " \t\n", context);
  const known = run.variables.get(name);
  if (known === undefined) return putUnknown(builder);
  putValue(builder, known.value, context);
  if (known.certain && !scope.soft && !run.unsteady.has(name)) return;
  builder.open = true;
  builder.dynamic = true;
}

function put(builder: Builder, text: string): void {
  builder.text += text;
  builder.open = true;
}

function putUnknown(builder: Builder): void {
  put(builder, UNKNOWN);
  builder.dynamic = true;
}

function putValue(builder: Builder, value: string | undefined, context: Context): void {
  if (value === undefined) return putUnknown(builder);
  if (context.quoted) return put(builder, value);
  if (context.run.ifsChanged) {
    builder.dynamic = true;
    return put(builder, value);
  }
  for (const [index, piece] of value.split(/[ \t\n]+/).entries()) {
    if (index > 0) close(builder);
    if (piece === "") continue;
    put(builder, piece);
    if (/[*?[]/.test(piece)) builder.glob = true;
  }
}

function close(builder: Builder): void {
  if (builder.open) builder.done.push({ text: builder.text, dynamic: builder.dynamic, glob: builder.glob });
  builder.text = "";
  builder.open = false;
  builder.dynamic = false;
  builder.glob = false;
}

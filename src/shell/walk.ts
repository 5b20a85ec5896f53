import { forget } from "./assignments.ts";
import { judgeSimpleCommand } from "./command.ts";
import { nameIsSensitive, textHidesCode } from "./environment.ts";
import { visitExpansions } from "./expansions.ts";
import { type CommandNode, type ParsedScript, type PipelineNode, type Statement, type SyntaxNode, type Word, eachChild } from "./parse.ts";
import { judgeRedirects } from "./redirects.ts";
import { type Run, type Scope, type Stdin, recordCommand, report } from "./state.ts";
import { commandOutput } from "./static-output.ts";
import { evaluate, evaluateWhole, spanOf } from "./words.ts";

/** Judges a script: every command in it counts as executed (reference: shell.md §5.2–5.3). A syntax error makes it unverifiable. */
export function walkScript(run: Run, script: ParsedScript, scope: Scope): void {
  if (script.errors !== undefined && script.errors.length > 0) {
    const at = script.errors[0]!.pos;
    report(run, "unverifiable.syntax", { ...spanOf({ pos: at, end: script.end }, scope), text: script.errors[0]!.message });
  }
  walkStatements(run, script.commands, scope);
}

function walkStatements(run: Run, statements: readonly Statement[], scope: Scope): void {
  for (const statement of statements) walkCommand(run, statement.command, statement.background === true ? uncertain(scope) : scope);
}

function uncertain(scope: Scope): Scope {
  return scope.certain ? { ...scope, certain: false } : scope;
}

function walkCommand(run: Run, node: Statement["command"] | CommandNode, scope: Scope): void {
  switch (node.type) {
    case "Command":
      return judgeSimpleCommand(run, node, scope);
    case "AndOr":
      for (const [index, command] of node.commands.entries()) walkCommand(run, command, index === 0 ? scope : uncertain(scope));
      return;
    case "Pipeline":
      return walkPipeline(run, node.commands, scope);
    case "BraceGroup":
      return walkStatements(run, node.body.commands, scope);
    case "Subshell":
      return walkStatements(run, node.body.commands, uncertain(scope));
    case "Redirected":
      return walkCommand(run, node.command, { ...scope, stdin: judgeRedirects(run, node.redirects, scope) });
    case "TestCommand":
      return walkTest(run, node, scope);
    case "ArithmeticCommand":
      recordCommand(run, "((", { argv: [wordOf("((", node, scope)], scope });
      if (node.expression !== undefined) visitExpansions(run, node.expression, scope);
      return;
    case "Function":
      return walkFunction(run, node, scope);
    case "Coproc":
      return walkBody(run, node.body, { ...uncertain(scope), stdin: { kind: "unknown" } });
    default:
      return walkCompound(run, node, uncertain(scope));
  }
}

function wordOf(text: string, node: { readonly pos: number; readonly end: number }, scope: Scope) {
  return { text, raw: text, dynamic: false, glob: false, ...spanOf(node, scope) };
}

function walkPipeline(run: Run, commands: readonly PipelineNode[], scope: Scope): void {
  if (commands.length === 1) return walkCommand(run, commands[0]!, scope);
  let { stdin }: { stdin: Stdin } = scope;
  for (const command of commands) {
    const inner = { ...uncertain(scope), stdin };
    walkCommand(run, command, inner);
    const text = commandOutput(command, (word: Word) => evaluate(run, word, inner));
    stdin = text === undefined ? { kind: "unknown" } : { kind: "text", text };
  }
}

type Body = Extract<SyntaxNode, { readonly type: "CompoundList" }> | CommandNode;

function walkBody(run: Run, body: Body, scope: Scope): void {
  if (body.type === "CompoundList") walkStatements(run, body.commands, scope);
  else walkCommand(run, body, scope);
}

/** A function body counts as executed, at a time that we do not know, with values that we do not know. */
function walkFunction(run: Run, node: Extract<CommandNode, { readonly type: "Function" }>, scope: Scope): void {
  run.functions.add(node.name.text);
  walkBody(run, node.body, { ...uncertain(scope), soft: true, stdin: { kind: "unknown" } });
}

type Compound = Extract<CommandNode, { readonly type: "If" | "For" | "ArithmeticFor" | "Select" | "While" | "Case" }>;

function walkCompound(run: Run, node: Compound, scope: Scope): void {
  const inner = node.type !== "If" && node.type !== "Case" && mayAssign(node) ? { ...scope, soft: true } : scope;
  if (node.type === "For" || node.type === "Select") loopVariable(run, node.name, scope);
  eachChild(node, (child) => walkChild(run, child, inner));
}

function walkChild(run: Run, node: SyntaxNode, scope: Scope): void {
  if (node.type === "CompoundList") return walkStatements(run, node.commands, scope);
  if (node.type === "Elif" || node.type === "CaseItem") return eachChild(node, (child) => walkChild(run, child, scope));
  visitExpansions(run, node, scope);
}

function loopVariable(run: Run, name: Word, scope: Scope): void {
  forget(run, name.text, scope);
  if (name.text === "IFS") run.ifsChanged = true;
  if (nameIsSensitive(run, name.text)) report(run, "unverifiable.environment", { ...spanOf(name, scope), text: name.text });
}

const ASSIGNING = new Set(["read", "mapfile", "readarray", "printf", "eval", "source", ".", "getopts", "let", "unset"]);

function mayAssign(node: SyntaxNode): boolean {
  if (node.type === "Assignment" || node.type === "For" || node.type === "Select") return true;
  if (node.type === "Command" && node.name !== undefined && ASSIGNING.has(node.name.value)) return true;
  let found = false;
  eachChild(node, (child) => {
    found ||= mayAssign(child);
  });
  return found;
}

function walkTest(run: Run, node: Extract<CommandNode, { readonly type: "TestCommand" }>, scope: Scope): void {
  recordCommand(run, "[[", { argv: [wordOf("[[", node, scope)], scope });
  const words: Word[] = [];
  collectWords(node, words);
  for (const word of words) {
    visitExpansions(run, word, scope);
    if (!word.text.includes("[")) continue;
    const { text } = evaluateWhole(run, word, scope);
    if (textHidesCode(text)) report(run, "unverifiable.arithmetic-code", { ...spanOf(word, scope), text });
  }
}

function collectWords(node: SyntaxNode, words: Word[]): void {
  if (node.type === "Word") words.push(node);
  else eachChild(node, (child) => collectWords(child, words));
}

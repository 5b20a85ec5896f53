import { nameIsSensitive, textHidesCode } from "./environment.ts";
import {
  type ArithmeticExpansionPart,
  type ArithmeticExpression,
  type ParameterExpansionPart,
  type SyntaxNode,
  eachChild,
} from "./parse.ts";
import { MAX_NESTING, type Run, type Scope, report } from "./state.ts";
import { spanOf } from "./words.ts";

/** Judges every script that expanding a node would run: substitutions wherever they hide, and expansions that run code by themselves. */
export function visitExpansions(run: Run, node: SyntaxNode, scope: Scope): void {
  switch (node.type) {
    case "CommandExpansion":
    case "ArithmeticCommandExpansion":
    case "ProcessSubstitution":
      return visitScript(run, node, scope);
    case "ArithmeticExpansion":
      return visitArithmetic(run, node, scope);
    case "ParameterExpansion":
      judgeParameter(run, node, scope);
      break;
    case "ArithmeticWord":
      judgeArithmeticWord(run, node, scope);
      break;
    case "ArithmeticBinary":
      forgetAssigned(run, node);
      break;
    default:
      break;
  }
  eachChild(node, (child) => visitExpansions(run, child, scope));
}

function visitScript(run: Run, node: Extract<SyntaxNode, { readonly script: unknown }>, scope: Scope): void {
  const span = spanOf(node, scope);
  if (scope.nesting >= MAX_NESTING) return report(run, "unverifiable.depth", span);
  if (node.script === undefined) return report(run, "unverifiable.syntax", { ...span, text: node.text });
  // Escaped backticks are decoded into a text of their own: its offsets are not ours.
  const inner = node.script.source === undefined ? scope.span : span;
  const stdin = node.type === "ProcessSubstitution" && node.operator === ">" ? ({ kind: "unknown" } as const) : scope.stdin;
  run.doors.script(run, node.script, { ...scope, span: inner, stdin, certain: false, nesting: scope.nesting + 1 });
}

function visitArithmetic(run: Run, node: ArithmeticExpansionPart, scope: Scope): void {
  if (scope.nesting >= MAX_NESTING) return report(run, "unverifiable.depth", spanOf(node, scope));
  eachChild(node, (child) => visitExpansions(run, child, { ...scope, nesting: scope.nesting + 1 }));
}

function judgeParameter(run: Run, part: ParameterExpansionPart, scope: Scope): void {
  const { operation } = part;
  const where = { ...spanOf(part, scope), text: part.text };
  if (operation?.type === "Transform" && operation.operand.text.includes("P")) report(run, "unverifiable.prompt-expansion", where);
  if (operation?.type === "Unknown") report(run, "unverifiable.syntax", where);
  if (operation?.type !== "Default" || !operation.operator.endsWith("=")) return;
  run.variables.delete(part.parameter);
  if (nameIsSensitive(run, part.parameter)) report(run, "unverifiable.environment", where);
}

/** A variable that holds `a[$(…)]` runs that code when it stands in arithmetic. */
function judgeArithmeticWord(run: Run, node: Extract<ArithmeticExpression, { readonly type: "ArithmeticWord" }>, scope: Scope): void {
  const known = run.variables.get(node.value.replace(/^\$\{?|\}$/g, ""));
  if (known !== undefined && textHidesCode(known.value))
    report(run, "unverifiable.arithmetic-code", { ...spanOf(node, scope), text: node.value });
}

function forgetAssigned(run: Run, node: Extract<ArithmeticExpression, { readonly type: "ArithmeticBinary" }>): void {
  const assigns = node.operator.endsWith("=") && !["==", "!=", "<=", ">="].includes(node.operator);
  if (assigns && node.left.type === "ArithmeticWord") run.variables.delete(node.left.value);
}

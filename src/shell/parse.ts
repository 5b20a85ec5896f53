import { forEachChild, parse } from "unbash";
import type { ParsedScript, SyntaxNode } from "unbash";

export type {
  ArithmeticExpansionPart,
  ArithmeticExpression,
  Assignment,
  Command,
  CommandArgument,
  CommandExpansionPart,
  CommandNode,
  HereDoc,
  ParameterExpansionPart,
  ParsedScript,
  PipelineNode,
  Redirection,
  Redirect,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from "unbash";

/**
 * Parses a bash script into unbash's tree. The only door to the parser: an update of it is judged here and by the case table.
 * Never throws; syntax errors stand in `errors` of this script and of every nested one (reference: shell.md §4).
 */
export function parseScript(source: string): ParsedScript {
  return parse(source);
}

/** Calls back with every direct child of a node, nested scripts included. */
export function eachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void {
  forEachChild(node, callback);
}

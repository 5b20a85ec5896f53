import type { CharTest } from "./re2-chars.ts";

/** A parsed regular expression. */
export type Node =
  | { readonly op: "empty" }
  | { readonly op: "char"; readonly test: CharTest }
  | { readonly op: "assert"; readonly kind: Assertion }
  | { readonly op: "capture"; readonly index: number; readonly sub: Node }
  | { readonly op: "star" | "plus" | "quest"; readonly lazy: boolean; readonly sub: Node }
  | { readonly op: "repeat"; readonly min: number; readonly max: number; readonly lazy: boolean; readonly sub: Node }
  | { readonly op: "concat" | "alternate"; readonly subs: readonly Node[] };

/** A condition between two characters. */
export type Assertion = "begin_text" | "end_text" | "begin_line" | "end_line" | "word" | "no_word";

/** A pattern that Go's regexp package accepts too. */
export interface Parsed {
  readonly root: Node;
  /** Names of the groups by index; `""` for unnamed ones and for the whole match. */
  readonly names: readonly string[];
}

/**
 * Tells whether nested counted repetitions stay within a number of copies, as Go demands (regexp/syntax `repeatIsValid`).
 * @param limit copies that are still allowed
 */
export function repeatsFit(node: Node, limit: number): boolean {
  let left = limit;
  if (node.op === "repeat") {
    const count = node.max < 0 ? node.min : node.max;
    if (node.max === 0) return true;
    if (count > left) return false;
    if (count > 0) left = Math.floor(left / count);
  }
  if ("subs" in node) return node.subs.every((sub) => repeatsFit(sub, left));
  return "sub" in node ? repeatsFit(node.sub, left) : true;
}

/** Tells whether a node can match nothing. */
export function isNullable(node: Node): boolean {
  if (node.op === "char") return false;
  if (node.op === "concat") return node.subs.every(isNullable);
  if (node.op === "alternate") return node.subs.some(isNullable);
  if (node.op === "capture" || node.op === "plus") return isNullable(node.sub);
  return node.op === "repeat" && node.min > 0 ? isNullable(node.sub) : true;
}

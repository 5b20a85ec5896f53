import type { CharTest } from "./re2-chars.ts";
import { isNullable, type Assertion, type Node } from "./re2-node.ts";
import { BuiltinLimit } from "./values.ts";

/** One instruction; `out` (and for `alt` then `other`) says where to go on. */
type Instruction =
  | { readonly op: "match" }
  | { readonly op: "char"; readonly test: CharTest; readonly out: number }
  | { readonly op: "assert"; readonly kind: Assertion; readonly out: number }
  | { readonly op: "save"; readonly slot: number; readonly out: number }
  | { op: "alt"; out: number; other: number };

/** A compiled pattern: an automaton that is run over all its states at once, so time is linear in the text. */
export interface Program {
  readonly code: readonly Instruction[];
  readonly start: number;
  readonly slots: number;
}

const MAX_CODE = 20_000;

/**
 * Compiles a parsed pattern.
 * @throws {BuiltinLimit} when the automaton gets too large
 */
export function compileProgram(root: Node, groups: number): Program {
  const code: Instruction[] = [{ op: "match" }];
  const start = emit(code, root, 0);
  return { code, start, slots: groups * 2 };
}

/** Emits code for a node that goes on at `next`; returns where it begins. Shapes and priorities are those of Go's regexp/syntax compiler. */
function emit(code: Instruction[], node: Node, next: number): number {
  if (code.length > MAX_CODE) throw new BuiltinLimit("regular expression: pattern is too large");
  switch (node.op) {
    case "empty":
      return next;
    case "char":
      return code.push({ op: "char", test: node.test, out: next }) - 1;
    case "assert":
      return code.push({ op: "assert", kind: node.kind, out: next }) - 1;
    case "capture": {
      const close = code.push({ op: "save", slot: node.index * 2 + 1, out: next }) - 1;
      return code.push({ op: "save", slot: node.index * 2, out: emit(code, node.sub, close) }) - 1;
    }
    case "concat":
      return node.subs.reduceRight((after, sub) => emit(code, sub, after), next);
    case "alternate":
      return node.subs.map((sub) => emit(code, sub, next)).reduceRight((other, out) => code.push({ op: "alt", out, other }) - 1);
    case "quest":
      return choice(code, { lazy: node.lazy, enter: emit(code, node.sub, next), leave: next });
    case "plus":
      return emitPlus(code, node, next);
    case "star":
      return emitStar(code, node, next);
    default:
      return emitRepeat(code, node, next);
  }
}

type Loop = { readonly lazy: boolean; readonly sub: Node };

function emitPlus(code: Instruction[], node: Loop, next: number): number {
  const loop: Instruction = { op: "alt", out: next, other: next };
  const enter = emit(code, node.sub, code.push(loop) - 1);
  if (node.lazy) loop.other = enter;
  else loop.out = enter;
  return enter;
}

function emitStar(code: Instruction[], node: Loop, next: number): number {
  // A body that can match nothing must be (body+)? or the order of preference would be wrong (Go issue 46123).
  if (isNullable(node.sub)) return choice(code, { lazy: node.lazy, enter: emitPlus(code, node, next), leave: next });
  const loop: Instruction = { op: "alt", out: next, other: next };
  const at = code.push(loop) - 1;
  const enter = emit(code, node.sub, at);
  if (node.lazy) loop.other = enter;
  else loop.out = enter;
  return at;
}

/** `x{2,5}` is `xx(x(x(x)?)?)?`, `x{2,}` is `xx+`. */
function emitRepeat(code: Instruction[], node: Loop & { readonly min: number; readonly max: number }, next: number): number {
  let after = next;
  if (node.max < 0) {
    after = node.min === 0 ? emitStar(code, node, next) : emitPlus(code, node, next);
    for (let count = 1; count < node.min; count += 1) after = emit(code, node.sub, after);
    return after;
  }
  for (let count = node.min; count < node.max; count += 1) {
    after = choice(code, { lazy: node.lazy, enter: emit(code, node.sub, after), leave: next });
  }
  for (let count = 0; count < node.min; count += 1) after = emit(code, node.sub, after);
  return after;
}

function choice(code: Instruction[], way: { lazy: boolean; enter: number; leave: number }): number {
  const [out, other] = way.lazy ? [way.leave, way.enter] : [way.enter, way.leave];
  return code.push({ op: "alt", out, other }) - 1;
}

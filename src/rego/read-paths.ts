import type { JsonObject, JsonValue } from "./json.ts";
import type { Place } from "./protocol.ts";

/** A path into the input: keys from the root, `[]` for the whole input; it stands for its whole subtree. */
export type InputPath = readonly string[];

/** What the rules of some modules use. */
export interface Uses {
  /** Sorted; no path lies below another one. */
  readonly inputPaths: readonly InputPath[];
  /** Builtin name → the places where it is called, in order of the files. */
  readonly builtins: ReadonlyMap<string, readonly Place[]>;
}

/** A term of OPA's syntax tree. */
interface Term {
  readonly type: string;
  readonly value: JsonValue;
  readonly location?: Place;
}

interface Findings {
  /** Names of all builtins: in a `with`, a variable looks the same. */
  readonly known: ReadonlySet<string>;
  readonly paths: InputPath[];
  readonly builtins: Map<string, Place[]>;
}

const NOWHERE: Place = { file: "", row: 0, col: 0 };
const NOT_CODE = new Set(["location", "annotations"]);

/**
 * Finds every part of the input that the rules may read, and every builtin that they call.
 *
 * Works on the tree after OPA's compiler (`parse` with `compiled`): imports and aliases of `input` are resolved there, and a value that
 * goes on under a variable, into a function or into a comprehension was read as the reference that names it. What follows a computed
 * key belongs to the subtree of that key's parent; a bare `input` is the whole input.
 * @param modules syntax trees with locations
 * @param known names of all builtins of this OPA version
 */
export function findUses(modules: Iterable<JsonObject>, known: ReadonlySet<string>): Uses {
  const found: Findings = { known, paths: [], builtins: new Map() };
  for (const module of modules) visit(module["rules"] ?? [], found);
  return { inputPaths: covering(found.paths), builtins: new Map([...found.builtins].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function visit(node: JsonValue, found: Findings): void {
  if (Array.isArray(node)) return node.forEach((item) => visit(item, found));
  if (node === null || typeof node !== "object") return;
  if (isTerm(node)) return visitTerm(node, found);
  const terms = node["terms"];
  if (Array.isArray(terms)) visitCall(terms, found);
  for (const [key, value] of Object.entries(node)) {
    if (NOT_CODE.has(key) || (key === "terms" && Array.isArray(terms))) continue;
    if (key === "with") visitReplacements(value, found);
    else visit(value, found);
  }
}

function visitTerm(term: Term, found: Findings): void {
  if (term.type === "ref") return visitRef(term, found);
  if (term.type === "call") return visitCall(term.value as JsonValue[], found);
  if (term.type === "var" && term.value === "input") found.paths.push([]);
  visit(term.value, found);
}

/** `input.a["b"][x].c`: the constant keys up to the first computed one. */
function visitRef(ref: Term, found: Findings): void {
  const [head, ...rest] = ref.value as unknown as Term[];
  if (head === undefined) return;
  if (isVar(head, "input")) found.paths.push(constantKeys(rest));
  else visit(head as unknown as JsonValue, found);
  visit(rest as unknown as JsonValue, found);
}

function visitCall(terms: readonly JsonValue[], found: Findings): void {
  const [operator, ...operands] = terms as unknown as Term[];
  if (operator === undefined) return;
  const name = builtinName(operator);
  if (name === undefined) visit(operator as unknown as JsonValue, found);
  else note(found, name, operator.location);
  visit(operands as unknown as JsonValue, found);
}

/** `with input as x` hides the input; any other target is read, and a builtin may stand on either side. */
function visitReplacements(list: JsonValue, found: Findings): void {
  for (const replacement of list as JsonObject[]) {
    for (const side of [replacement["target"], replacement["value"]] as unknown as Term[]) {
      if (side === (replacement["target"] as unknown) && isWholeInput(side)) continue;
      const name = builtinName(side);
      if (name !== undefined && found.known.has(name)) note(found, name, side.location);
      else visit(side as unknown as JsonValue, found);
    }
  }
}

/** The dotted name when a term stands for a builtin: its head is neither a document nor a local variable. */
function builtinName(term: Term): string | undefined {
  const parts = term.type === "ref" ? (term.value as unknown as Term[]) : [term];
  const head = parts[0];
  if (head?.type !== "var" || head.value === "data" || head.value === "input" || isLocal(head)) return undefined;
  const names = parts.map(({ value }) => (typeof value === "string" ? value : undefined));
  return names.includes(undefined) ? undefined : names.join(".");
}

/** The compiler renames every local variable. */
function isLocal(term: Term): boolean {
  return typeof term.value === "string" && /^(?:__local\d+__|\$)/u.test(term.value);
}

function note(found: Findings, name: string, location: Place | undefined): void {
  const places = found.builtins.get(name);
  if (places === undefined) found.builtins.set(name, [location ?? NOWHERE]);
  else places.push(location ?? NOWHERE);
}

function constantKeys(terms: readonly Term[]): InputPath {
  const end = terms.findIndex(({ type }) => type !== "string");
  return terms.slice(0, end < 0 ? terms.length : end).map(({ value }) => value as string);
}

function isTerm(node: JsonObject): node is JsonObject & Term {
  return typeof node["type"] === "string" && "value" in node;
}

function isVar(term: Term, name: string): boolean {
  return term.type === "var" && term.value === name;
}

function isWholeInput(term: Term): boolean {
  if (isVar(term, "input")) return true;
  const parts = term.value as unknown as Term[];
  return term.type === "ref" && parts.length === 1 && isVar(parts[0] as Term, "input");
}

/** Sorts the paths and drops those below another one. */
function covering(paths: readonly InputPath[]): readonly InputPath[] {
  const sorted = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()].sort(comparePaths);
  const kept: InputPath[] = [];
  for (const path of sorted) if (!kept.some((cover) => cover.every((key, index) => path[index] === key))) kept.push(path);
  return kept;
}

function comparePaths(a: InputPath, b: InputPath): number {
  const at = a.findIndex((key, index) => key !== b[index]);
  if (at < 0) return a.length - b.length;
  const [left, right] = [a[at] as string, b[at]];
  return right === undefined || left > right ? 1 : -1;
}

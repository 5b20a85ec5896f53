import { BoundsError, checkBytes, checkPlain, ownValue, writeString, writeValue, type Budget } from "./bounds.ts";
import { INPUT_LIMITS } from "./limits.ts";

/** A key that the policy reads, and what it reads below it; `below` is null when it reads the whole subtree. */
interface Branch {
  readonly key: string;
  /** The key as JSON, with its colon. */
  readonly label: string;
  readonly below: readonly Branch[] | null;
}

/** Writes the part of an input that the policy reads, as JSON text. */
export type Projection = (input: unknown) => string;

/**
 * Compiles the input paths of a manifest to a writer. What the policy does not read is neither looked at nor sent: it cannot change the
 * decision, and a decision costs the same however large the input is (reference/opa-wasm.md §4.1). Everything that is read is checked
 * as strictly as `serialise` does.
 * @param paths paths of keys below `input`; a path covers its subtree, the empty path the whole input
 * @param bytes UTF-8 bytes that the text may take
 */
export function compileProjection(paths: readonly (readonly string[])[], bytes: number): Projection {
  const branches = toBranches(paths);
  return (input) => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) throw new BoundsError("input is not an object");
    const budget = { units: bytes, values: INPUT_LIMITS.values };
    const text =
      branches === null
        ? writeValue(input, INPUT_LIMITS.depth, budget)
        : writeBranches(branches, input, { depth: INPUT_LIMITS.depth - 1, budget });
    checkBytes(text, bytes);
    return text;
  };
}

function writeBranches(branches: readonly Branch[], object: object, rest: { depth: number; budget: Budget }): string {
  checkPlain(object);
  let text = "{";
  for (const branch of branches) {
    const property = ownValue(object, branch.key);
    if (property === undefined) continue;
    if (text.length > 1) text += ",";
    text += branch.label + writeBelow(branch.below, property.value, rest);
  }
  return `${text}}`;
}

/** An object goes on along the paths; anything else has nothing below it that could be left out. */
function writeBelow(below: readonly Branch[] | null, value: unknown, rest: { depth: number; budget: Budget }): string {
  const isWhole = below === null || typeof value !== "object" || value === null || Array.isArray(value);
  if (isWhole) return writeValue(value, rest.depth, rest.budget);
  return writeBranches(below, value, { depth: rest.depth - 1, budget: rest.budget });
}

function toBranches(paths: readonly (readonly string[])[]): readonly Branch[] | null {
  if (paths.some((path) => path.length === 0)) return null;
  const groups = new Map<string, (readonly string[])[]>();
  for (const [key = "", ...below] of paths) groups.set(key, [...(groups.get(key) ?? []), below]);
  const unbounded = { units: Number.MAX_SAFE_INTEGER, values: 1 };
  return Array.from(groups, ([key, below]) => ({ key, label: `${writeString(key, unbounded)}:`, below: toBranches(below) }));
}

/** Writes an RFC 6901 JSON pointer from its segments. */
export function pointerOf(segments: readonly (string | number)[]): string {
  return segments.map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/**
 * Brings a list of JSON pointers into the form of `erased` and `masked`: sorted, unique, and without the children of a pointer that is
 * itself in the list (trial L03).
 */
export function tidyPointers(pointers: Iterable<string>): string[] {
  const all = new Set(pointers);
  return [...all].filter((pointer) => !hasAncestor(pointer, all)).toSorted();
}

function hasAncestor(pointer: string, all: ReadonlySet<string>): boolean {
  for (let slash = pointer.lastIndexOf("/"); slash > 0; slash = pointer.lastIndexOf("/", slash - 1)) {
    if (all.has(pointer.slice(0, slash))) return true;
  }
  return false;
}

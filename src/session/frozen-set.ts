/**
 * A set that cannot be changed: `Object.freeze` alone leaves `add` at work.
 * @param values its members, in order
 */
export function frozenSet(values: readonly string[]): ReadonlySet<string> {
  const set = new Set(values);
  for (const name of ["add", "delete", "clear"]) Object.defineProperty(set, name, { value: refuse });
  return Object.freeze(set);
}

function refuse(): never {
  throw new TypeError("this set cannot be changed");
}

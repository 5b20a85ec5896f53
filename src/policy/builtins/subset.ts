import { compare } from "./compare.ts";
import { isArray, isObject, isSet, type HostBuiltin, type RegoObject, type RegoValue } from "./values.ts";

/** `object.subset(super, sub)`: objects recursively, sets by membership, arrays as a run inside the other, an array against a set by members. */
export const objectSubset: HostBuiltin = {
  arity: 2,
  call: (whole, part) => {
    if (whole === undefined || part === undefined) return undefined;
    if (isArray(whole) && isSet(part)) return arrayHoldsSet(whole, part.items);
    return sameKindSubset(whole, part);
  },
};

/** Undefined when the two are not both objects, both sets or both arrays. */
function sameKindSubset(whole: RegoValue, part: RegoValue): boolean | undefined {
  if (isObject(whole) && isObject(part)) return objectHolds(whole, part);
  if (isSet(whole) && isSet(part)) return part.items.every((item) => contains(whole.items, item));
  return isArray(whole) && isArray(part) ? arrayHolds(whole, part) : undefined;
}

function objectHolds(whole: RegoObject, part: RegoObject): boolean {
  return part.entries.every(([key, value]) => {
    const found = whole.entries.find(([other]) => compare(other, key) === 0);
    if (found === undefined) return false;
    return compare(found[1], value) === 0 || sameKindSubset(found[1], value) === true;
  });
}

/** OPA's own search: it gives up where a partial match reaches the end of the longer array. */
function arrayHolds(whole: readonly RegoValue[], part: readonly RegoValue[]): boolean {
  let [start, matched] = [0, 0];
  while (matched < part.length) {
    const item = whole[start + matched];
    if (item === undefined) return false;
    if (compare(item, part[matched] ?? null) === 0) matched += 1;
    else [start, matched] = [start + 1, 0];
  }
  return true;
}

/** OPA counts members down while it walks the array, so a repeated item counts twice and an empty array holds nothing. */
function arrayHoldsSet(whole: readonly RegoValue[], part: readonly RegoValue[]): boolean {
  let missing = part.length;
  return whole.some((item) => {
    if (contains(part, item)) missing -= 1;
    return missing === 0;
  });
}

function contains(items: readonly RegoValue[], item: RegoValue): boolean {
  return items.some((other) => compare(other, item) === 0);
}

import { compareStrings } from "./compare.ts";
import { isInt64 } from "./decimal.ts";
import { isString, number, type HostBuiltin, type RegoValue } from "./values.ts";

interface Version {
  readonly core: readonly bigint[];
  readonly preRelease: string;
}

const IDENTIFIERS = /^[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*$/;
const MAX_INT64 = 9_223_372_036_854_775_807n;

/** `semver.is_valid(text)`: whether it is a semantic version; false, not an error, for anything else. */
export const isValid: HostBuiltin = { arity: 1, call: (text) => parse(text) !== undefined };

/** `semver.compare(a, b)`: -1, 0 or 1 in the order of SemVer 2.0.0. */
export const compareVersions: HostBuiltin = {
  arity: 2,
  call: (first, second) => {
    const [a, b] = [parse(first), parse(second)];
    return a === undefined || b === undefined ? undefined : number(order(a, b));
  },
};

/** One leading `v` is ignored, as OPA does. */
function parse(value: RegoValue | undefined): Version | undefined {
  if (!isString(value)) return undefined;
  const [rest, metadata] = cut(value.replace(/^v/, ""), "+");
  if (metadata !== undefined && !IDENTIFIERS.test(metadata)) return undefined;
  const [core, preRelease] = cut(rest, "-");
  if (preRelease !== undefined && (!IDENTIFIERS.test(preRelease) || preRelease.split(".").some((part) => /^0\d+$/.test(part))))
    return undefined;
  const numbers = core.split(".");
  if (numbers.length !== 3 || !numbers.every((part) => /^(0|[1-9]\d*)$/.test(part) && isInt64(BigInt(part)))) return undefined;
  return { core: numbers.map(BigInt), preRelease: preRelease ?? "" };
}

function order(a: Version, b: Version): number {
  for (const [index, part] of a.core.entries()) {
    const other = b.core[index] ?? 0n;
    if (part !== other) return part < other ? -1 : 1;
  }
  if (a.preRelease === b.preRelease) return 0;
  if (a.preRelease === "" || b.preRelease === "") return a.preRelease === "" ? 1 : -1;
  return orderPreRelease(a.preRelease.split("."), b.preRelease.split("."));
}

function orderPreRelease(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const found = orderIdentifier(part, other);
    if (found !== 0) return found;
  }
  return a.length < b.length ? -1 : 0;
}

/** Numbers come before words; numbers beyond 64 bits count as the largest one, as in OPA. */
function orderIdentifier(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  if (!aIsNumber) return Math.sign(compareStrings(a, b));
  const [x, y] = [clamp(BigInt(a)), clamp(BigInt(b))];
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

function clamp(value: bigint): bigint {
  return value > MAX_INT64 ? MAX_INT64 : value;
}

function cut(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

import { isIPv4, isIPv6 } from "node:net";
import { parseDecimal, toInteger } from "./decimal.ts";
import { BuiltinLimit, isNumber, isString, number, type HostBuiltin, type RegoValue } from "./values.ts";

const MAX_RANGE = 100_000n;

/** `glob.quote_meta(pattern)`: a pattern that matches exactly this text. */
export const quoteMeta: HostBuiltin = {
  arity: 1,
  call: (pattern) => (isString(pattern) ? pattern.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`) : undefined),
};

/** `net.cidr_is_valid(text)`: whether Go's `net.ParseCIDR` accepts it; false, not an error, for anything else. */
export const cidrIsValid: HostBuiltin = { arity: 1, call: (text) => isString(text) && isCidr(text) };

/** `numbers.range_step(from, to, step)`: numbers from one to the other, downwards when the first is larger; the step is positive. */
export const rangeStep: HostBuiltin = {
  arity: 3,
  call: (...operands) => {
    const [from, to, step] = operands.map(toWhole);
    if (from === undefined || to === undefined || step === undefined || step <= 0n) return undefined;
    const distance = from <= to ? to - from : from - to;
    if (distance / step >= MAX_RANGE) throw new BuiltinLimit("numbers.range_step: range is too long");
    const signed = from <= to ? step : -step;
    return Array.from({ length: Number(distance / step) + 1 }, (_, index) => number(from + signed * BigInt(index)));
  },
};

function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  const [address, mask] = [text.slice(0, Math.max(slash, 0)), text.slice(slash + 1)];
  if (slash < 0 || address.includes("%") || !/^0*\d{1,3}$/.test(mask)) return false;
  if (isIPv4(address)) return Number(mask) <= 32;
  return isIPv6(address) && Number(mask) <= 128;
}

function toWhole(value: RegoValue): bigint | undefined {
  const decimal = isNumber(value) ? parseDecimal(value.text) : undefined;
  return decimal === undefined ? undefined : toInteger(decimal);
}

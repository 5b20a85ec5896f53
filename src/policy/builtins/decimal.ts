/** A number as `digits * 10^exponent`: exact, of any size. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const MAX_EXPONENT = 100_000;
const MAX_INT64 = 9_223_372_036_854_775_807n;
const MIN_INT64 = -9_223_372_036_854_775_808n;

/**
 * Parses the text of a Rego number.
 * @param text such as `-1.50e3`
 * @returns undefined when it is no number, or has an exponent that nobody needs (OPA bounds it likewise)
 */
export function parseDecimal(text: string): Decimal | undefined {
  const match = JSON_NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const exponent = Number(power) - fraction.length;
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === "-" ? -digits : digits, exponent };
}

/** Compares two decimals exactly: negative, zero or positive. */
export function compareDecimal(a: Decimal, b: Decimal): number {
  const [x, y] = align(a, b);
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

/** The integer that a decimal is, or undefined when it has a fraction. */
export function toInteger(value: Decimal): bigint | undefined {
  if (value.exponent >= 0) return value.digits * 10n ** BigInt(value.exponent);
  const scale = 10n ** BigInt(-value.exponent);
  return value.digits % scale === 0n ? value.digits / scale : undefined;
}

/**
 * The 64-bit integer of a number text the way OPA's `Number.Int64` reads it: digits, after a point zeros only,
 * and no more than 19 characters beside the sign.
 * @param text text of a Rego number
 */
export function toInt64(text: string): bigint | undefined {
  const match = /^(-?)((\d+)(?:\.0*)?)$/.exec(text);
  const [, sign, written = "", whole = ""] = match ?? [];
  if (written === "" || written.length > 19) return undefined;
  const value = sign === "-" ? -BigInt(whole) : BigInt(whole);
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/** Tells whether an integer fits into 64 bits with a sign. */
export function isInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64;
}

function align(a: Decimal, b: Decimal): readonly [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.digits * 10n ** BigInt(a.exponent - exponent), b.digits * 10n ** BigInt(b.exponent - exponent)];
}

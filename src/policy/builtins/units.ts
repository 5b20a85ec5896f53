import { parseDecimal } from "./decimal.ts";
import { BuiltinLimit, isString, number, type HostBuiltin } from "./values.ts";

/** A fraction; the denominator is positive. */
interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

const SI = { k: 10n ** 3n, m: 10n ** 6n, g: 10n ** 9n, t: 10n ** 12n, p: 10n ** 15n, e: 10n ** 18n } as const;
const BINARY = { k: 2n ** 10n, m: 2n ** 20n, g: 2n ** 30n, t: 2n ** 40n, p: 2n ** 50n, e: 2n ** 60n } as const;
/** `m` is the 64-bit float 0.001, not the decimal: OPA computes with it. */
const MILLI: Ratio = { over: 1_152_921_504_606_847n, under: 2n ** 60n };
const MAX_EXPONENT = 1000;
const PRECISION = 64;

/** `units.parse(text)`: a number with an SI or binary unit (`10Ki`, `200m`), exact, to ten digits after the point. */
export const parse: HostBuiltin = {
  arity: 1,
  call: (text) => {
    const parts = isString(text) ? split(text.replaceAll('"', "")) : undefined;
    const value = parts === undefined ? undefined : parseNumber(parts.amount);
    const factor = parts === undefined ? undefined : siUnit(parts.unit);
    if (value === undefined || factor === undefined) return undefined;
    const result = { over: value.over * factor.over, under: value.under * factor.under };
    return result.over % result.under === 0n ? number(result.over / result.under) : { kind: "number", text: tenDigits(result) };
  },
};

/** `units.parse_bytes(text)`: a number of bytes with a unit (`10KB`, `1.5 GiB` without the space), cut to a whole number. */
export const parseBytes: HostBuiltin = {
  arity: 1,
  call: (text) => {
    const parts = isString(text) ? split(text.toLowerCase().replaceAll('"', "")) : undefined;
    const value = parts === undefined ? undefined : parseNumber(parts.amount);
    const factor = parts === undefined ? undefined : byteUnit(parts.unit);
    if (value === undefined || factor === undefined) return undefined;
    const rounded = toPrecision(value);
    const product = toPrecision({ over: rounded.over * factor, under: rounded.under });
    return number(product.over / product.under);
  },
};

function siUnit(unit: string): Ratio | undefined {
  if (unit === "") return { over: 1n, under: 1n };
  if (unit === "m") return MILLI;
  const name = unit.slice(0, 1) + unit.slice(1).toLowerCase();
  const match = /^([kKMgGtTpPeE]|[kKmMgGtTpPeE]i)$/.exec(name);
  if (match === null) return undefined;
  const letter = name.slice(0, 1).toLowerCase() as keyof typeof SI;
  return { over: name.endsWith("i") ? BINARY[letter] : SI[letter], under: 1n };
}

function byteUnit(unit: string): bigint | undefined {
  if (unit === "") return 1n;
  const match = /^([kmgtpe])(i?)b?$/.exec(unit);
  if (match === null) return undefined;
  const letter = match[1] as keyof typeof SI;
  return match[2] === "i" ? BINARY[letter] : SI[letter];
}

/** Splits where the number ends: digits, points, signs, and an exponent whose `e` is followed by a digit or a sign. */
function split(text: string): { amount: string; unit: string } | undefined {
  if (text.includes(" ")) return undefined;
  let at = 0;
  while (at < text.length) {
    const exponent = /^[eE](?:[+-]|(?=\d))(\d*)/.exec(text.slice(at));
    if (exponent !== null && (exponent[1] ?? "").length > 6) return undefined;
    if (exponent !== null) at += /^[eE][+-]/.test(exponent[0]) ? 2 : 1;
    else if (/^[\d.+-]/.test(text.slice(at, at + 1))) at += 1;
    else break;
  }
  return at === 0 ? undefined : { amount: text.slice(0, at), unit: text.slice(at) };
}

/** A decimal number as Go's `big.Rat.SetString` reads one. */
function parseNumber(text: string): Ratio | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const decimal = parseDecimal(text.replace(/^\+/, "").replace(/^(-?)\./, "$10."));
  if (decimal === undefined || Math.abs(decimal.exponent) > MAX_EXPONENT) throw new BuiltinLimit("units: exponent is too large");
  if (decimal.exponent >= 0) return { over: decimal.digits * 10n ** BigInt(decimal.exponent), under: 1n };
  return { over: decimal.digits, under: 10n ** BigInt(-decimal.exponent) };
}

/** Go `Rat.FloatString(10)`: rounded to the nearest, halves away from zero. */
function tenDigits(value: Ratio): string {
  const magnitude = value.over < 0n ? -value.over : value.over;
  const scaled = (magnitude * 10n ** 10n * 2n + value.under) / (value.under * 2n);
  const digits = scaled.toString().padStart(11, "0");
  return `${value.over < 0n ? "-" : ""}${digits.slice(0, -10)}.${digits.slice(-10)}`;
}

/** Rounds to a mantissa of 64 bits, half to even: the precision of Go's `big.Float`. */
function toPrecision(value: Ratio): Ratio {
  const magnitude = value.over < 0n ? -value.over : value.over;
  if (magnitude === 0n) return { over: 0n, under: 1n };
  const bits = magnitude.toString(2).length - value.under.toString(2).length;
  // The quotient has `bits` or `bits + 1` bits before the point; take one that yields exactly 64 bits.
  const first = scaledQuotient(magnitude, value.under, PRECISION - bits);
  const shift = first.quotient >> BigInt(PRECISION) === 0n ? PRECISION - bits : PRECISION - bits - 1;
  const { quotient, twice, divisor } = scaledQuotient(magnitude, value.under, shift);
  const up = twice > divisor || (twice === divisor && (quotient & 1n) === 1n);
  const mantissa = (up ? quotient + 1n : quotient) * (value.over < 0n ? -1n : 1n);
  return shift >= 0 ? { over: mantissa, under: 1n << BigInt(shift) } : { over: mantissa << BigInt(-shift), under: 1n };
}

function scaledQuotient(over: bigint, under: bigint, shift: number): { quotient: bigint; twice: bigint; divisor: bigint } {
  const dividend = shift >= 0 ? over << BigInt(shift) : over;
  const divisor = shift >= 0 ? under : under << BigInt(-shift);
  return { quotient: dividend / divisor, twice: (dividend % divisor) * 2n, divisor };
}

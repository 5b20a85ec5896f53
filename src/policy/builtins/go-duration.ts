import { formatFloat } from "./go-float.ts";

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);
const HOURS: ReadonlyMap<string, number> = new Map([
  ["d", 24],
  ["w", 168],
  ["y", 8760],
]);
const LIMIT = 1n << 63n;
const SEGMENT = /^(\d*)(?:\.(\d*))?([^.\d]+)/;
const EXTENDED = /([0-9.]+)(ms|us|µs|ns|[a-z])/gy;

/**
 * Parses a duration as OPA does: Go's `time.ParseDuration` (`1h30m`, `-1.5s`) plus `d`, `w` and `y`, which count as 24, 168 and 8,760 hours.
 * @returns nanoseconds, or undefined when it is none or does not fit 64 bits
 */
export function parseDuration(text: string): bigint | undefined {
  const plain = /[dwy]/.test(text) ? inHours(text) : text;
  return plain === undefined ? undefined : parseGoDuration(plain);
}

/** Rewrites days, weeks and years as hours; undefined when the text is not a sequence of numbers with units. */
function inHours(text: string): string | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  let rewritten = sign;
  EXTENDED.lastIndex = sign.length;
  let end = sign.length;
  for (let match = EXTENDED.exec(text); match !== null; match = EXTENDED.exec(text)) {
    end = EXTENDED.lastIndex;
    const [whole, digits = "", unit = ""] = match;
    const hours = HOURS.get(unit);
    if (hours !== undefined && !/^(\d+\.?\d*|\.\d+)$/.test(digits)) return undefined;
    rewritten += hours === undefined ? whole : `${formatFloat(Number(digits) * hours, "f", -1)}h`;
  }
  return end === text.length && end > sign.length ? rewritten : undefined;
}

function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  let total = 0n;
  while (rest !== "") {
    const match = SEGMENT.exec(rest);
    const value = match === null ? undefined : segmentValue(match);
    if (match === null || value === undefined) return undefined;
    total += value;
    if (total > LIMIT) return undefined;
    rest = rest.slice(match[0].length);
  }
  if (negative) return -total;
  return total >= LIMIT ? undefined : total;
}

function segmentValue(match: RegExpExecArray): bigint | undefined {
  const [, whole = "", fraction = "", unit = ""] = match;
  const scale = UNITS.get(unit);
  if (scale === undefined || (whole === "" && fraction === "")) return undefined;
  const value = BigInt(whole === "" ? "0" : whole) * scale;
  if (value > LIMIT) return undefined;
  const sum = value + fractionValue(fraction, scale);
  return sum > LIMIT ? undefined : sum;
}

/** The fraction in floating point, as Go computes it; digits that no longer fit 63 bits are dropped. */
function fractionValue(fraction: string, scale: bigint): bigint {
  let digits = 0n;
  let divisor = 1;
  for (const digit of fraction) {
    if (digits > (LIMIT - 1n) / 10n) break;
    const next = digits * 10n + BigInt(digit);
    if (next > LIMIT) break;
    digits = next;
    divisor *= 10;
  }
  return digits === 0n ? 0n : BigInt(Math.trunc(Number(digits) * (Number(scale) / divisor)));
}

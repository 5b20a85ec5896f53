/** Digits of a number and where its decimal point is: `0.<digits> * 10^point`. */
interface Digits {
  readonly digits: string;
  readonly point: number;
}

const buffer = new DataView(new ArrayBuffer(8));

/**
 * Formats a finite number as Go's `strconv.FormatFloat(value, format, precision, 64)` does, rounding half to even on the exact value.
 * @param value finite number
 * @param format `e`, `f` or `g` (Go's upper-case verbs are the caller's business)
 * @param precision digits after the point (`e`, `f`) or significant digits (`g`); -1 for the shortest text that reads back equal
 */
export function formatFloat(value: number, format: "e" | "f" | "g", precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + formatMagnitude(Math.abs(value), format, precision);
}

function formatMagnitude(value: number, format: "e" | "f" | "g", precision: number): string {
  if (format === "f") {
    const found = precision < 0 ? shortest(value) : roundFixed(value, precision);
    return asFixed(found, precision < 0 ? Math.max(found.digits.length - found.point, 0) : precision);
  }
  if (format === "e") {
    const found = precision < 0 ? shortest(value) : roundSignificant(value, precision + 1);
    return asExponent(found, precision < 0 ? Math.max(found.digits.length - 1, 0) : precision);
  }
  return asGeneral(value, precision);
}

/** `%g`: the exponent form for exponents below -4 or from the precision on; six counts as the precision of the shortest form. */
function asGeneral(value: number, precision: number): string {
  const isShortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const found = isShortest ? shortest(value) : roundSignificant(value, wanted);
  const significant = found.digits.replace(/0+$/, "");
  let limit = isShortest ? 6 : wanted;
  if (!isShortest && limit > significant.length && significant.length >= found.point) limit = significant.length;
  const exponent = found.point - 1;
  const digits = { digits: significant === "" ? "0" : significant, point: found.point };
  if (value !== 0 && (exponent < -4 || exponent >= limit)) return asExponent(digits, Math.max(significant.length - 1, 0));
  return asFixed(digits, value === 0 ? 0 : Math.max(significant.length - found.point, 0));
}

function asFixed(found: Digits, precision: number): string {
  const whole = found.point > 0 ? found.digits.slice(0, found.point).padEnd(found.point, "0") : "0";
  if (precision <= 0) return whole;
  const leading = "0".repeat(Math.min(Math.max(-found.point, 0), precision));
  const fraction = leading + found.digits.slice(Math.max(found.point, 0));
  return `${whole}.${fraction.slice(0, precision).padEnd(precision, "0")}`;
}

function asExponent(found: Digits, precision: number): string {
  const isZero = /^0*$/.test(found.digits);
  const exponent = isZero ? 0 : found.point - 1;
  const digits = found.digits.padEnd(precision + 1, "0");
  const fraction = precision > 0 ? `.${digits.slice(1, precision + 1)}` : "";
  const power = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits.slice(0, 1)}${fraction}e${exponent < 0 ? "-" : "+"}${power}`;
}

/** The shortest digits that read back as the same number: what JavaScript prints. */
function shortest(value: number): Digits {
  const [mantissa = "0", power = "0"] = value.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(power) + 1 };
}

function roundFixed(value: number, precision: number): Digits {
  const digits = scaled(value, precision)
    .toString()
    .padStart(precision + 1, "0");
  return { digits, point: digits.length - precision };
}

function roundSignificant(value: number, count: number): Digits {
  if (value === 0) return { digits: "0".repeat(count), point: 1 };
  const exponent = shortest(value).point - 1;
  const digits = scaled(value, count - 1 - exponent).toString();
  // Rounding up can add a digit (9.99 to two digits is 10), and the shortest form can be a power of ten too high.
  if (digits.length === count) return { digits, point: exponent + 1 };
  const corrected = exponent + (digits.length > count ? 1 : -1);
  return { digits: scaled(value, count - 1 - corrected).toString(), point: corrected + 1 };
}

/** `value * 10^power`, rounded to the nearest integer, half to even, computed exactly. */
function scaled(value: number, power: number): bigint {
  buffer.setFloat64(0, value);
  const bits = buffer.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const exponent = Math.max(biased, 1) - 1075;
  const numerator = mantissa * 2n ** BigInt(Math.max(exponent, 0)) * 10n ** BigInt(Math.max(power, 0));
  const denominator = 2n ** BigInt(Math.max(-exponent, 0)) * 10n ** BigInt(Math.max(-power, 0));
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const roundUp = twice > denominator || (twice === denominator && (quotient & 1n) === 1n);
  return roundUp ? quotient + 1n : quotient;
}

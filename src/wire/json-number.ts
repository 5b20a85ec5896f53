const SHORT_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Tells whether a JSON number means exactly what its double means: the decimal value of the source text equals that of the double's
 * shortest text (reference/gateway.md, Decisions). `0.1`, `1.0`, `1e2`, `-0` and `1.10` do; `9007199254740993` and `1e400` do not.
 * @param text a number as JSON's grammar has it
 */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const given = decimal(text);
  const kept = decimal(String(value));
  return given.digits === kept.digits && given.exponent === kept.exponent && (given.negative === kept.negative || given.digits === "");
}

/** Whether `String` of the double gives back the same text, so that nothing needs to be remembered. */
export function isShortestText(text: string): boolean {
  return SHORT_INTEGER.test(text) || String(Number(text)) === text;
}

/** A decimal value in one normal form: significant digits without outer zeros (none for zero), and the power of ten of the last one. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function decimal(text: string): Decimal {
  const [, sign = "", whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  const all = whole + fraction;
  let start = 0;
  let end = all.length;
  while (start < end && all[start] === "0") start += 1;
  while (end > start && all[end - 1] === "0") end -= 1;
  const digits = all.slice(start, end);
  const exponent = digits === "" ? 0 : Number(power) - fraction.length + (all.length - end);
  return { negative: sign === "-", digits, exponent };
}

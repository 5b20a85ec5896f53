import { canBackquote, isPrint, quoteGo, quoteRuneGo } from "./go-quote.ts";
import { formatFloat } from "./go-float.ts";
import { BuiltinLimit } from "./values.ts";

/** Flags, width and precision of one verb of a Go format string. */
export interface Spec {
  readonly sharp: boolean;
  readonly zero: boolean;
  readonly plus: boolean;
  readonly minus: boolean;
  readonly space: boolean;
  readonly width?: number;
  readonly precision?: number;
}

const BASES = { b: 2, o: 8, O: 8, d: 10, v: 10, x: 16, X: 16 } as const;

/** Pads to the width with spaces, or with zeros on the left when the `0` flag asks for it (Go `fmt.pad`). */
export function pad(text: string, spec: Spec): string {
  const missing = (spec.width ?? 0) - Array.from(text).length;
  if (missing <= 0) return text;
  if (spec.minus) return text + " ".repeat(missing);
  return (spec.zero ? "0" : " ").repeat(missing) + text;
}

/** Formats an integer for a verb of Go's `fmtInteger`; undefined for a verb that integers do not have. */
export function formatInteger(value: bigint, verb: string, spec: Spec): string | undefined {
  if (verb === "c") return pad(character(value), spec);
  if (verb === "q") return pad(quoteRuneGo(character(value), spec.plus), spec);
  if (verb === "U") return pad(unicodeName(value, spec), { ...spec, zero: false });
  const base = BASES[verb as keyof typeof BASES];
  if (base === undefined) return undefined;
  if (spec.precision === 0 && value === 0n) return " ".repeat(spec.width ?? 0);
  const digits = (value < 0n ? -value : value).toString(base);
  const sign = value < 0n ? "-" : positiveSign(spec);
  const padded = digits.padStart(digitCount(sign, spec), "0");
  const text = sign + basePrefix(verb, { digits: padded, sharp: spec.sharp }) + padded;
  return pad(verb === "X" ? text.toUpperCase() : text, { ...spec, zero: false });
}

/** Formats an integer of more than 64 bits as Go's `big.Int.Format` does; undefined for a verb that it does not have. */
export function formatBigInteger(value: bigint, verb: string, spec: Spec): string | undefined {
  const base = verb === "s" ? 10 : BASES[verb as keyof typeof BASES];
  if (base === undefined) return undefined;
  const sign = value < 0n ? "-" : positiveSign(spec);
  const plain = (value < 0n ? -value : value).toString(base);
  const digits = verb === "X" ? plain.toUpperCase() : plain;
  const prefix = verb === "O" ? "0o" : spec.sharp ? ({ b: "0b", o: "0", x: "0x", X: "0X" }[verb] ?? "") : "";
  const zeros = "0".repeat(Math.max((spec.precision ?? 0) - digits.length, 0));
  const text = sign + prefix + zeros + digits;
  const missing = Math.max((spec.width ?? 0) - text.length, 0);
  if (spec.minus) return text + " ".repeat(missing);
  if (spec.zero && spec.precision === undefined) return sign + prefix + "0".repeat(missing) + zeros + digits;
  return " ".repeat(missing) + text;
}

/** Formats a float for a verb of Go's `fmtFloat`; undefined for a verb that floats do not have. */
export function formatFloatVerb(value: number, verb: string, spec: Spec): string | undefined {
  if (/^[bxX]$/.test(verb)) throw new BuiltinLimit(`sprintf: \`%${verb}\` of a fraction`);
  const kind = verb === "v" ? "g" : verb.toLowerCase();
  if (!/^[efgEFGv]$/.test(verb)) return undefined;
  if (spec.sharp) throw new BuiltinLimit("sprintf: `#` flag for a fraction");
  const precision = spec.precision ?? (kind === "g" ? -1 : 6);
  const plain = formatFloat(value, kind as "e" | "f" | "g", precision);
  const text = verb === "E" || verb === "G" ? plain.toUpperCase() : plain;
  const sign = text.startsWith("-") ? "-" : positiveSign(spec);
  const magnitude = text.replace(/^-/, "");
  if (sign !== "" && spec.zero && !spec.minus) return sign + pad(magnitude, { ...spec, width: Math.max((spec.width ?? 0) - 1, 0) });
  return pad(sign + magnitude, spec);
}

/** Formats a string for a verb of Go's `fmtString`; undefined for a verb that strings do not have. */
export function formatString(value: string, verb: string, spec: Spec): string | undefined {
  if (verb === "s" || verb === "v") return pad(truncated(value, spec), spec);
  if (verb === "x" || verb === "X") return formatHex(value, verb, spec);
  if (verb !== "q") return undefined;
  const text = truncated(value, spec);
  return pad(spec.sharp && canBackquote(text) ? `\`${text}\`` : quoteGo(text, spec.plus), spec);
}

function formatHex(value: string, verb: string, spec: Spec): string {
  const bytes = Buffer.from(value, "utf8");
  const shown = Array.from(bytes.subarray(0, spec.precision ?? bytes.length), (byte) => byte.toString(16).padStart(2, "0"));
  const mark = spec.sharp ? "0x" : "";
  const text = shown.length === 0 ? "" : mark + shown.join(spec.space ? ` ${mark}` : "");
  return pad(verb === "X" ? text.toUpperCase() : text, spec);
}

function truncated(value: string, spec: Spec): string {
  return spec.precision === undefined ? value : Array.from(value).slice(0, spec.precision).join("");
}

function positiveSign(spec: Spec): string {
  if (spec.plus) return "+";
  return spec.space ? " " : "";
}

function digitCount(sign: string, spec: Spec): number {
  if (spec.precision !== undefined) return spec.precision;
  return spec.zero && !spec.minus && spec.width !== undefined ? spec.width - sign.length : 0;
}

function basePrefix(verb: string, number: { digits: string; sharp: boolean }): string {
  if (verb === "O") return number.sharp && !number.digits.startsWith("0") ? "0o0" : "0o";
  if (!number.sharp) return "";
  if (verb === "b") return "0b";
  if (verb === "o") return number.digits.startsWith("0") ? "" : "0";
  return verb === "x" || verb === "X" ? "0x" : "";
}

function character(value: bigint): string {
  const valid = value >= 0n && value <= 0x10ffffn && (value < 0xd800n || value > 0xdfffn);
  return valid ? String.fromCodePoint(Number(value)) : "\ufffd";
}

function unicodeName(value: bigint, spec: Spec): string {
  const bits = BigInt.asUintN(64, value);
  const name = `U+${bits
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(spec.precision ?? 4, 4), "0")}`;
  const shown = bits <= 0x10ffffn && (bits < 0xd800n || bits > 0xdfffn) ? String.fromCodePoint(Number(bits)) : "";
  return spec.sharp && shown !== "" && isPrint(shown) ? `${name} '${shown}'` : name;
}

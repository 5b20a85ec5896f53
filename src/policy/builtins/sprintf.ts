import { toInt64 } from "./decimal.ts";
import { formatBigInteger, formatFloatVerb, formatInteger, formatString, type Spec } from "./go-format.ts";
import { formatRego } from "./rego-text.ts";
import { BuiltinLimit, isArray, isNumber, isString, type HostBuiltin, type RegoValue } from "./values.ts";

/** A value as OPA hands it to Go's `fmt.Sprintf`. */
type Argument =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "int64"; readonly value: bigint }
  | { readonly type: "*big.Int"; readonly value: bigint }
  | { readonly type: "float64"; readonly value: number };

interface State {
  readonly format: string;
  readonly values: readonly Argument[];
  at: number;
  next: number;
  reordered: boolean;
  indexIsGood: boolean;
}

const MAX_SIZE = 1_000_000;
const MAX_OUTPUT = 10_000_000;
const PLAIN: Spec = { sharp: false, zero: false, plus: false, minus: false, space: false };

/**
 * `sprintf(format, values)`: Go's `fmt.Sprintf` over the values that OPA would pass: whole numbers as integers of any size, other numbers
 * as 64-bit floats, strings as they are, everything else in Rego's text form with sets sorted (OPA v1/topdown/strings.go, Go fmt/print.go).
 */
export const sprintf: HostBuiltin = {
  arity: 2,
  call: (format, values) => (isString(format ?? null) && isArray(values) ? print(format as string, values.map(toArgument)) : undefined),
};

function toArgument(value: RegoValue): Argument {
  if (isString(value)) return { type: "string", value };
  if (!isNumber(value)) return { type: "string", value: formatRego(value) };
  if (/[.eE]/.test(value.text)) {
    const float = Number(value.text);
    return Number.isFinite(float) ? { type: "float64", value: float } : { type: "string", value: value.text };
  }
  const whole = toInt64(value.text);
  return whole === undefined ? { type: "*big.Int", value: BigInt(value.text) } : { type: "int64", value: whole };
}

function print(format: string, values: readonly Argument[]): string {
  const state: State = { format, values, at: 0, next: 0, reordered: false, indexIsGood: true };
  let text = "";
  while (state.at < format.length) {
    const percent = format.indexOf("%", state.at);
    if (percent < 0) {
      text += format.slice(state.at);
      break;
    }
    text += format.slice(state.at, percent);
    state.at = percent + 1;
    text += printVerb(state);
    if (text.length > MAX_OUTPUT) throw new BuiltinLimit("sprintf: text is too long");
  }
  return text + printExtra(state);
}

/** One verb after its `%` (Go `doPrintf`): flags, width, precision and argument indexes, then the value. */
function printVerb(state: State): string {
  state.indexIsGood = true;
  const flags = /^[#0+\- ]*/.exec(state.format.slice(state.at))?.[0] ?? "";
  state.at += flags.length;
  let spec: Spec = {
    sharp: flags.includes("#"),
    zero: flags.includes("0"),
    plus: flags.includes("+"),
    minus: flags.includes("-"),
    space: flags.includes(" "),
  };
  let afterIndex = takeIndex(state);
  const width = takeSize(state);
  if (width.isArgument) afterIndex = false;
  else if (afterIndex && width.value !== undefined) state.indexIsGood = false;
  let problems = width.isArgument && width.value === undefined ? "%!(BADWIDTH)" : "";
  spec = withWidth(spec, width.value);
  if (state.at + 1 < state.format.length && state.format[state.at] === ".") {
    state.at += 1;
    if (afterIndex) state.indexIsGood = false;
    afterIndex = takeIndex(state);
    const precision = takeSize(state);
    if (precision.isArgument) afterIndex = false;
    const usable = precision.isArgument ? (precision.value ?? -1) : (precision.value ?? 0);
    if (usable < 0) problems += "%!(BADPREC)";
    else spec = { ...spec, precision: usable };
  }
  if (!afterIndex) takeIndex(state);
  if (state.at >= state.format.length) return `${problems}%!(NOVERB)`;
  return problems + printWith(state, spec);
}

function printWith(state: State, spec: Spec): string {
  const verb = String.fromCodePoint(state.format.codePointAt(state.at) ?? 0);
  state.at += verb.length;
  if (verb === "%") return "%";
  if (!state.indexIsGood) return `%!${verb}(BADINDEX)`;
  const value = state.values[state.next];
  if (value === undefined) return `%!${verb}(MISSING)`;
  state.next += 1;
  return printValue(value, verb, spec);
}

function printValue(value: Argument, verb: string, spec: Spec): string {
  if (verb === "T") return formatString(value.type, "s", spec) ?? "";
  if (value.type === "*big.Int" && (verb === "p" || verb === "w")) throw new BuiltinLimit("sprintf: an address is not reproducible");
  const isPlainVerb = verb === "v" || verb === "w";
  if (verb === "v" && spec.sharp && value.type === "string")
    return formatString(value.value, "q", { ...spec, sharp: false, plus: false }) ?? "";
  // `%+v` and `%#v` mean something for structures only, of which there are none here; a big integer still sees its `+`.
  const seen = isPlainVerb ? { ...spec, sharp: false, plus: spec.plus && value.type === "*big.Int" } : spec;
  const text = verb === "p" ? undefined : formatValue(value, verb, seen);
  if (text !== undefined) return text;
  if (value.type === "*big.Int") return `%!${verb}(big.Int=${value.value})`;
  return `%!${verb}(${value.type}=${formatValue(value, "v", seen) ?? ""})`;
}

function formatValue(value: Argument, verb: string, spec: Spec): string | undefined {
  if (value.type === "string") return formatString(value.value, verb, spec);
  if (value.type === "float64") return formatFloatVerb(value.value, verb, spec);
  return value.type === "int64" ? formatInteger(value.value, verb, spec) : formatBigInteger(value.value, verb, spec);
}

function printExtra(state: State): string {
  const extra = state.values.slice(state.next);
  if (state.reordered || extra.length === 0) return "";
  return `%!(EXTRA ${extra.map((value) => `${value.type}=${formatValue(value, "v", PLAIN) ?? ""}`).join(", ")})`;
}

/** Takes an argument index such as `[3]`; tells whether there was one. */
function takeIndex(state: State): boolean {
  if (state.format[state.at] !== "[") return false;
  state.reordered = true;
  const rest = state.format.slice(state.at);
  const close = rest.length < 3 ? -1 : rest.indexOf("]");
  state.at += close < 0 ? 1 : close + 1;
  const digits = close < 0 ? undefined : /^[0-9]+$/.exec(rest.slice(1, close))?.[0];
  const index = digits === undefined ? undefined : Number(digits) - 1;
  const isNumeric = index !== undefined && index < MAX_SIZE * 10;
  if (isNumeric && index >= 0 && index < state.values.length) {
    state.next = index;
    return true;
  }
  state.indexIsGood = false;
  return isNumeric;
}

/** Takes a width or a precision: digits, or `*` for the next argument. */
function takeSize(state: State): { readonly value?: number; readonly isArgument: boolean } {
  if (state.format[state.at] === "*") {
    state.at += 1;
    const value = state.values[state.next];
    if (value === undefined) return { isArgument: true };
    state.next += 1;
    if (value.type !== "int64" || value.value > BigInt(MAX_SIZE) || value.value < -BigInt(MAX_SIZE)) return { isArgument: true };
    return { value: Number(value.value), isArgument: true };
  }
  const digits = /^[0-9]+/.exec(state.format.slice(state.at))?.[0];
  if (digits === undefined) return { isArgument: false };
  // Go gives up at the end of the format when a size has too many digits: nothing is left for a verb.
  const tooLarge = Number(digits.slice(0, -1)) > MAX_SIZE;
  state.at = tooLarge ? state.format.length : state.at + digits.length;
  return tooLarge ? { isArgument: false } : { value: Number(digits), isArgument: false };
}

function withWidth(spec: Spec, width: number | undefined): Spec {
  if (width === undefined) return spec;
  return width < 0 ? { ...spec, width: -width, minus: true, zero: false } : { ...spec, width };
}

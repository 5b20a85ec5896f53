import { type Arg, UNKNOWN } from "./state.ts";

/** One option as given; `name` has its dashes and no value. */
export interface Option {
  readonly name: string;
  readonly value: Arg | undefined;
  readonly arg: Arg;
  readonly index: number;
}

/** One operand; `doubtful` when it may be the value of an option that we do not know. */
export interface Operand {
  readonly arg: Arg;
  readonly index: number;
  readonly doubtful: boolean;
}

/** The arguments of a program, taken apart. */
export interface Arguments {
  readonly options: readonly Option[];
  readonly operands: readonly Operand[];
}

/** How a program reads its arguments. */
export interface Syntax {
  /** Options that take the next word, given the operands so far. */
  readonly valued: (operands: readonly Operand[]) => ReadonlySet<string>;
  readonly single?: boolean | undefined;
  /** Stop at the first operand: the rest belongs to another program. */
  readonly stop?: boolean | undefined;
}

interface Reading {
  readonly options: Option[];
  readonly operands: Operand[];
  doubt: boolean;
}

/** Takes arguments apart: long options, clusters of short ones, values in the same or in the next word, `--`. */
export function readArguments(args: readonly Arg[], syntax: Syntax): Arguments {
  const reading: Reading = { options: [], operands: [], doubt: false };
  let index = 0;
  while (index < args.length) {
    const arg = args[index]!;
    if (arg.text === "--") {
      for (const [offset, rest] of args.slice(index + 1).entries()) {
        reading.operands.push({ arg: rest, index: index + 1 + offset, doubtful: false });
      }
      break;
    }
    if (arg.text.startsWith("-") && arg.text.length > 1) {
      index += readOption(reading, { args, index }, syntax);
      continue;
    }
    reading.operands.push({ arg, index, doubtful: reading.doubt });
    reading.doubt = false;
    if (syntax.stop === true) break;
    index++;
  }
  return reading;
}

/** Reads the option at an index and gives how many words it takes. */
function readOption(reading: Reading, at: { args: readonly Arg[]; index: number }, syntax: Syntax): number {
  const arg = at.args[at.index]!;
  const valued = syntax.valued(reading.operands);
  const long = arg.text.startsWith("--") || syntax.single === true;
  return long ? readLong(reading, at, valued) : readCluster(reading, at, valued);
}

function readLong(reading: Reading, at: { args: readonly Arg[]; index: number }, valued: ReadonlySet<string>): number {
  const arg = at.args[at.index]!;
  const equals = arg.text.indexOf("=");
  const name = equals === -1 ? arg.text : arg.text.slice(0, equals);
  const takesNext = equals === -1 && valued.has(name);
  const value = equals === -1 ? (takesNext ? at.args[at.index + 1] : undefined) : { ...arg, text: arg.text.slice(equals + 1) };
  reading.options.push({ name, value, arg, index: at.index });
  reading.doubt = equals === -1 && !takesNext;
  return takesNext ? 2 : 1;
}

function readCluster(reading: Reading, at: { args: readonly Arg[]; index: number }, valued: ReadonlySet<string>): number {
  const arg = at.args[at.index]!;
  const letters = arg.text.slice(1);
  reading.doubt = letters.length === 1;
  for (let position = 0; position < letters.length; position++) {
    const name = `-${letters[position]!}`;
    if (!valued.has(name)) {
      reading.options.push({ name, value: undefined, arg, index: at.index });
      continue;
    }
    reading.doubt = false;
    const rest = letters.slice(position + 1);
    const value = rest === "" ? at.args[at.index + 1] : { ...arg, text: rest };
    reading.options.push({ name, value, arg, index: at.index });
    return rest === "" ? 2 : 1;
  }
  return 1;
}

/** Splits a table cell at blanks. */
export function cells(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : text.split(" ");
}

const NONE: ReadonlySet<string> = new Set();

/** Syntax of a program whose options with values are always the same. */
export function fixedSyntax(valued: ReadonlySet<string> | undefined, more: Omit<Syntax, "valued"> = {}): Syntax {
  return { ...more, valued: () => valued ?? NONE };
}

/**
 * The options among the given ones that a list names. A long option may be cut short, as GNU and git allow, and its case does not count,
 * as the seed matches lower-cased text.
 */
export function findOptions(given: Arguments, names: readonly string[]): Option[] {
  return given.options.filter((option) => names.some((name) => isSpelling(option.name, name)));
}

/** Tells whether any of the named options is given, spelled in full. */
export function hasOption(given: Arguments, names: readonly string[]): boolean {
  return given.options.some((option) => names.includes(option.name));
}

function isSpelling(given: string, name: string): boolean {
  if (given === name) return true;
  return given.startsWith("--") && (given.toLowerCase() === name || (given.length >= 4 && name.startsWith(given)));
}

/** Tells whether a word may turn out to be any option: it begins with a dash, and what follows is not known. */
export function isOpenOption(arg: Arg): boolean {
  return /^-[^=]*$/.test(arg.text.split(UNKNOWN)[0]!) && arg.text.includes(UNKNOWN) && arg.text.startsWith("-");
}

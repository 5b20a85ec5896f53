import { skip, takeByte, takeSigned, takeUnsigned, type Cursor } from "./wasm-reader.ts";

/** One direct call in a function body. */
export interface CallSite {
  /** Index of the called function; imports come first. */
  readonly callee: number;
  /** Values of the instructions right before the call, last one last; undefined for what is no `i32.const`. */
  readonly before: readonly (number | undefined)[];
}

const WINDOW = 6;
const CALL = 0x10;
const CALL_INDIRECT = 0x11;
const BR_TABLE = 0x0e;
const I32_CONST = 0x41;

/**
 * Lists the direct calls of one function body.
 * @param cursor at the start of the body, at its local declarations
 * @param end offset after the body
 * @throws {RangeError} on an instruction that OPA's compiler does not emit: what cannot be read cannot be vouched for
 */
export function listCalls(cursor: Cursor, end: number): readonly CallSite[] {
  skipLocals(cursor);
  const calls: CallSite[] = [];
  const before: (number | undefined)[] = [];
  while (cursor.at < end) {
    const opcode = takeByte(cursor);
    let constant: number | undefined;
    if (opcode === CALL) calls.push({ callee: takeUnsigned(cursor), before: [...before] });
    else if (opcode === I32_CONST) constant = takeSigned(cursor);
    else skipImmediate(cursor, opcode);
    before.push(constant);
    if (before.length > WINDOW) before.shift();
  }
  return calls;
}

/** Skips the local declarations at the start of a function body. */
export function skipLocals(cursor: Cursor): void {
  for (let groups = takeUnsigned(cursor); groups > 0; groups -= 1) {
    takeUnsigned(cursor);
    takeByte(cursor);
  }
}

/**
 * Skips what follows an opcode of the WASM MVP instruction set (core specification §5.4).
 * @throws {RangeError} on any other instruction
 */
export function skipImmediate(cursor: Cursor, opcode: number): void {
  if (opcode === BR_TABLE) {
    for (let labels = takeUnsigned(cursor); labels >= 0; labels -= 1) takeUnsigned(cursor);
  } else if (opcode === CALL_INDIRECT || (opcode >= 0x28 && opcode <= 0x3e)) {
    takeUnsigned(cursor);
    takeUnsigned(cursor);
  } else if ((opcode >= 0x02 && opcode <= 0x04) || opcode === 0x42) takeSigned(cursor);
  else if (opcode === 0x0c || opcode === 0x0d || (opcode >= 0x20 && opcode <= 0x24)) takeUnsigned(cursor);
  else if (opcode === 0x3f || opcode === 0x40) takeByte(cursor);
  else if (opcode === 0x43) skip(cursor, 4);
  else if (opcode === 0x44) skip(cursor, 8);
  else if (!isPlain(opcode)) throw new RangeError(`unexpected instruction 0x${opcode.toString(16)}`);
}

function isPlain(opcode: number): boolean {
  if (opcode <= 0x01 || opcode === 0x05 || opcode === 0x0b || opcode === 0x0f) return true;
  return opcode === 0x1a || opcode === 0x1b || (opcode >= 0x45 && opcode <= 0xc4);
}

import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { skipImmediate, skipLocals } from "../../../src/policy/wasm-code.ts";
import { listSections, takeByte, takeUnsigned, type Cursor } from "../../../src/policy/wasm-reader.ts";

const GLOBALS = 6;
const EXPORTS = 7;
const CODE = 10;
const CALL = 0x10;
const LOOP = 0x03;
const NAME = "steps";

/** Counts what a policy does for an input: function entries and turns of loops, the same number on every machine. */
export type StepCounter = (input: object, entrypoint?: string) => number;

/**
 * Makes a counter of a policy's work from its module: OPA's own package runs a copy that adds one to a global at the start of every
 * function and of every turn of a loop. What a builtin of the host does is not counted; modules with such are refused by the caller.
 */
export async function stepCounter(module: Uint8Array, data: object): Promise<StepCounter> {
  const policy = await loadPolicy(new Uint8Array(withSteps(module)).buffer, { initial: 8, maximum: 2048 });
  policy.setData(data);
  const { exports } = (policy as unknown as { readonly wasmInstance: WebAssembly.Instance }).wasmInstance;
  const steps = exports[NAME] as WebAssembly.Global<"i64">;
  return (input, entrypoint = "gate/decision") => {
    const before = steps.value;
    policy.evaluate(input, entrypoint);
    return Number(steps.value - before);
  };
}

/** The module with a mutable global `steps` that counts. OPA's modules import no globals, so the new one follows their own. */
function withSteps(bytes: Uint8Array): Uint8Array {
  const sections = listSections(bytes);
  const globals = sections.find(({ id }) => id === GLOBALS);
  if (globals === undefined) throw new Error("a module of OPA's has globals");
  const index = takeUnsigned({ bytes, at: globals.start });
  const parts = [bytes.subarray(0, 8)];
  for (const { id, start, end } of sections) {
    const cursor = { bytes, at: start };
    const content = Buffer.from(rewritten(id, { cursor, end, index }));
    parts.push(Buffer.from([id, ...unsigned(content.length)]), content);
  }
  return Buffer.concat(parts);
}

interface Place {
  /** At the start of a section's content. */
  readonly cursor: Cursor;
  readonly end: number;
  /** Of the new global. */
  readonly index: number;
}

function rewritten(id: number, { cursor, end, index }: Place): Uint8Array {
  const { bytes, at } = cursor;
  if (id === CODE) return withCounts(cursor, index);
  if (id !== GLOBALS && id !== EXPORTS) return bytes.subarray(at, end);
  const count = unsigned(takeUnsigned(cursor) + 1);
  // A mutable i64 that begins with 0, or the export of it.
  const added = id === GLOBALS ? [0x7e, 0x01, 0x42, 0x00, 0x0b] : [NAME.length, ...Buffer.from(NAME), 0x03, ...unsigned(index)];
  return Buffer.concat([Buffer.from(count), bytes.subarray(cursor.at, end), Buffer.from(added)]);
}

/** The code section with the count at every function's start and at every turn of a loop. */
function withCounts(cursor: Cursor, index: number): Uint8Array {
  const { bytes } = cursor;
  // global.get, i64.const 1, i64.add, global.set
  const count = Buffer.from([0x23, ...unsigned(index), 0x42, 0x01, 0x7c, 0x24, ...unsigned(index)]);
  const bodies = takeUnsigned(cursor);
  const parts: Uint8Array[] = [Buffer.from(unsigned(bodies))];
  for (let left = bodies; left > 0; left -= 1) {
    const length = takeUnsigned(cursor);
    const end = cursor.at + length;
    const body: Uint8Array[] = [];
    let from = cursor.at;
    skipLocals(cursor);
    for (const at of [cursor.at, ...loopStarts(cursor, end)]) {
      body.push(bytes.subarray(from, at), count);
      from = at;
    }
    const text = Buffer.concat([...body, bytes.subarray(from, end)]);
    parts.push(Buffer.from(unsigned(text.length)), text);
  }
  return Buffer.concat(parts);
}

/** Offsets right after the head of each loop, to which its branches return. */
function loopStarts(cursor: Cursor, end: number): readonly number[] {
  const starts: number[] = [];
  while (cursor.at < end) {
    const opcode = takeByte(cursor);
    if (opcode === CALL) takeUnsigned(cursor);
    // i32.const
    else if (opcode === 0x41) takeUnsigned(cursor);
    else skipImmediate(cursor, opcode);
    if (opcode === LOOP) starts.push(cursor.at);
  }
  return starts;
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** Position in a WASM binary; `take…` functions move it. The bytes were validated by `WebAssembly.compile` before, so only their meaning is open. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** One section: its id (WASM core specification §5.5.2) and where its content lies. */
export interface Section {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Lists the sections of a module.
 * @param bytes the module
 * @throws {RangeError} when a length leads outside
 */
export function listSections(bytes: Uint8Array): readonly Section[] {
  const cursor: Cursor = { bytes, at: 8 };
  const sections: Section[] = [];
  while (cursor.at < bytes.length) {
    const id = takeByte(cursor);
    const length = takeUnsigned(cursor);
    sections.push({ id, start: cursor.at, end: cursor.at + length });
    skip(cursor, length);
  }
  return sections;
}

/** Takes one byte. */
export function takeByte(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw new RangeError("module ends too early");
  cursor.at += 1;
  return byte;
}

/** Takes an unsigned LEB128 number of at most 32 bits. */
export function takeUnsigned(cursor: Cursor): number {
  let value = 0;
  let factor = 1;
  for (;;) {
    const byte = takeByte(cursor);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
    factor *= 128;
  }
}

/** Takes a signed LEB128 number of at most 32 bits; longer ones (i64 constants) are skipped with a value that has no meaning. */
export function takeSigned(cursor: Cursor): number {
  let value = 0;
  let shift = 0;
  for (;;) {
    const byte = takeByte(cursor);
    if (shift < 32) value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) return shift < 32 && (byte & 0x40) !== 0 ? value | (-1 << shift) : value;
  }
}

/** Takes a name: length and UTF-8 text. */
export function takeName(cursor: Cursor): string {
  const length = takeUnsigned(cursor);
  const start = cursor.at;
  skip(cursor, length);
  return decoder.decode(cursor.bytes.subarray(start, cursor.at));
}

/** Moves the cursor over `length` bytes. */
export function skip(cursor: Cursor, length: number): void {
  cursor.at += length;
  if (cursor.at > cursor.bytes.length) throw new RangeError("module ends too early");
}

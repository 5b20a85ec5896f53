const LF = 0x0a;
const FIRST_CAPACITY = 64 * 1024;

/** Where lines go; both are called synchronously, in the order of the lines. */
export interface LineHandlers {
  /** A whole line without its LF; valid only during the call. */
  readonly onLine: (line: Uint8Array) => void;
  /** A line longer than `maxBytes` has ended; its bytes were not kept. */
  readonly onTooLong: () => void;
}

/** A splitter of one byte stream. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The stream has ended: what stands behind the last LF is a line of its own. */
  end(): void;
}

/**
 * Splits a byte stream into lines at LF only (design §11): no character is decoded here, so a character that was cut by a chunk border
 * comes out whole and U+2028, U+0085 or a lone CR never end a line. A line is held until its LF, but never more than `maxBytes` of it.
 * @param maxBytes longest line that is handed on, its LF not counted
 */
export function createLineSplitter(maxBytes: number, handlers: LineHandlers): LineSplitter {
  let held = Buffer.allocUnsafe(0);
  let length = 0;
  let dropping = false;

  const hold = (part: Uint8Array): void => {
    if (dropping || length + part.length > maxBytes) {
      dropping = true;
      length = 0;
      held = Buffer.allocUnsafe(0);
      return;
    }
    if (length + part.length > held.length) held = grown(held.subarray(0, length), length + part.length, maxBytes);
    held.set(part, length);
    length += part.length;
  };

  const finish = (last: Uint8Array): void => {
    if (length === 0 && !dropping && last.length <= maxBytes) return handlers.onLine(last);
    hold(last);
    const line = held.subarray(0, length);
    const tooLong = dropping;
    length = 0;
    dropping = false;
    if (tooLong) handlers.onTooLong();
    else handlers.onLine(line);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        finish(chunk.subarray(start, at));
        start = at + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },
    end() {
      if (length > 0 || dropping) finish(new Uint8Array(0));
    },
  };
}

/** A larger buffer with the same content: doubled, so that a line that comes byte by byte costs linear time. */
function grown(content: Uint8Array, needed: number, maxBytes: number): Buffer<ArrayBuffer> {
  const capacity = Math.max(needed, Math.min(maxBytes, Math.max(FIRST_CAPACITY, content.length * 2)));
  const larger = Buffer.allocUnsafeSlow(capacity);
  larger.set(content);
  return larger;
}

import type { FileHandle } from "node:fs/promises";

/** A whole line of a log: its text, or undefined when it is longer than what was asked for, and the byte at which it starts. */
export interface LineAt {
  readonly text: string | undefined;
  readonly start: number;
}

/** Which lines are read. */
export interface LinesQuery {
  /** Bytes of the longest line whose text is given. */
  readonly longest: number;
  /** Start of a line: only those before it are read; the end of the file unless given. */
  readonly before?: number | undefined;
}

const CHUNK = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Gives the whole lines of a log from the last to the first, so that time and memory depend on what is wanted and not on the file's size.
 * @throws Error of the file system
 */
export async function* linesFromEnd(file: FileHandle, { longest, before }: LinesQuery): AsyncGenerator<LineAt> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const line = partialLine(longest);
  // What follows the last line feed of the file is no whole line.
  let isWhole = false;
  for (let end = before ?? (await file.stat()).size; end > 0; end = Math.max(0, end - CHUNK)) {
    const start = Math.max(0, end - CHUNK);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    let rest = Buffer.from(buffer.subarray(0, bytesRead));
    for (let at = rest.lastIndexOf(LINE_FEED); at >= 0; at = rest.lastIndexOf(LINE_FEED)) {
      line.prepend(rest.subarray(at + 1));
      const text = line.take();
      if (isWhole) yield { text, start: start + at + 1 };
      isWhole = true;
      rest = rest.subarray(0, at);
    }
    line.prepend(rest);
  }
  if (isWhole) yield { text: line.take(), start: 0 };
}

/** A line that is read from its end; its bytes are let go once there are too many. */
function partialLine(longest: number): { prepend(part: Buffer): void; take(): string | undefined } {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    prepend(part) {
      length += part.length;
      if (length > longest) parts = [];
      else parts.unshift(part);
    },
    take() {
      const text = length > longest ? undefined : Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      return text;
    },
  };
}

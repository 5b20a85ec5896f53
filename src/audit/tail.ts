import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { redactLine } from "./redact-line.ts";

/** Which lines are wanted. */
export interface TailQuery {
  readonly file: string;
  /** At most this many lines, the newest ones. */
  readonly limit: number;
  /** Case-sensitive plain substring that a line must hold; none: every line. */
  readonly filter?: string;
  /** Bytes of all lines together; older ones are left out. */
  readonly maxBytes: number;
}

/** Lines, oldest first; `truncated` when some were left out because of `maxBytes`. */
export interface Tail {
  readonly lines: readonly string[];
  readonly truncated: boolean;
}

const CHUNK = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads the newest matching lines of a log, from its end, so that time and memory depend on what is wanted and not on the file's size.
 * Only lines that were whole when it began are read. No such file: no lines.
 * @throws Error of the file system
 */
export async function readTail(query: TailQuery): Promise<Tail> {
  const file = await openExisting(query.file);
  if (file === undefined) return { lines: [], truncated: false };
  try {
    return await collect(file, query);
  } finally {
    await file.close();
  }
}

/**
 * Reads the newest matching lines as they may leave the server: redacted once more (design §10: one redactor for every exit).
 * @throws Error of the file system
 */
export async function readRedactedTail(query: TailQuery): Promise<Tail> {
  const { lines, truncated } = await readTail(query);
  return { lines: lines.map(redactLine), truncated };
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function collect(file: FileHandle, { limit, filter = "", maxBytes }: TailQuery): Promise<Tail> {
  const newestFirst: string[] = [];
  let bytes = 0;
  let truncated = false;
  for await (const line of linesFromEnd(file, maxBytes)) {
    if (line !== undefined && !line.includes(filter)) continue;
    bytes += line === undefined ? 0 : Buffer.byteLength(line) + 1;
    truncated ||= line === undefined || bytes > maxBytes;
    if (bytes > maxBytes) break;
    if (line !== undefined) newestFirst.push(line);
    if (newestFirst.length >= limit) break;
  }
  return { lines: newestFirst.toReversed(), truncated };
}

/** Whole lines from the last to the first; undefined in the place of one that is longer than `longest` bytes. */
async function* linesFromEnd(file: FileHandle, longest: number): AsyncGenerator<string | undefined> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  const line = partialLine(longest);
  // What follows the last line feed of the file is no whole line.
  let isWhole = false;
  for (let end = (await file.stat()).size; end > 0; end = Math.max(0, end - CHUNK)) {
    const start = Math.max(0, end - CHUNK);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    let rest = Buffer.from(buffer.subarray(0, bytesRead));
    for (let at = rest.lastIndexOf(LINE_FEED); at >= 0; at = rest.lastIndexOf(LINE_FEED)) {
      line.prepend(rest.subarray(at + 1));
      const text = line.take();
      if (isWhole) yield text;
      isWhole = true;
      rest = rest.subarray(0, at);
    }
    line.prepend(rest);
  }
  if (isWhole) yield line.take();
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

import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { linesFromEnd } from "./lines-from-end.ts";
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
  for await (const { text: line } of linesFromEnd(file, { longest: maxBytes })) {
    if (line !== undefined && !line.includes(filter)) continue;
    bytes += line === undefined ? 0 : Buffer.byteLength(line) + 1;
    truncated ||= line === undefined || bytes > maxBytes;
    if (bytes > maxBytes) break;
    if (line !== undefined) newestFirst.push(line);
    if (newestFirst.length >= limit) break;
  }
  return { lines: newestFirst.toReversed(), truncated };
}

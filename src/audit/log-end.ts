import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { EMPTY_CHAIN, headOf } from "./chain.ts";
import type { ChainHead } from "./chain.ts";
import { auditError } from "./errors.ts";

/** End of the last whole line of a log, in bytes, and the head that it stands for. */
export interface LogEnd {
  readonly end: number;
  readonly head: ChainHead;
}

const CHUNK = 64 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads where an existing log ends, to continue it. A part of a line at the end, as a crash leaves it, does not count.
 * @param path path of the log
 * @returns undefined when there is no such file
 * @throws Error `audit.log_damaged` when it is not a regular file or its last whole line is not an event with a correct hash
 */
export function lastWholeEvent(path: string): LogEnd | undefined {
  const fd = openExisting(path);
  if (fd === undefined) return undefined;
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw damaged(path);
    const end = lineFeedBefore(fd, found.size) + 1;
    if (end === 0) return { end, head: EMPTY_CHAIN };
    const start = lineFeedBefore(fd, end - 1) + 1;
    const head = headOf(readText(fd, start, end - 1));
    if (head === undefined) throw damaged(path);
    return { end, head };
  } finally {
    closeSync(fd);
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function damaged(path: string): Error {
  return auditError("audit.log_damaged", `the decision log does not end in a whole, correct event: \`${path}\``);
}

/** Position of the last line feed before a position, -1 when there is none. */
function lineFeedBefore(fd: number, before: number): number {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let end = before; end > 0;) {
    const start = Math.max(0, end - CHUNK);
    const read = readSync(fd, buffer, 0, end - start, start);
    const at = buffer.subarray(0, read).lastIndexOf(LINE_FEED);
    if (at >= 0) return start + at;
    end = start;
  }
  return -1;
}

function readText(fd: number, start: number, end: number): string {
  const buffer = Buffer.alloc(end - start);
  for (let done = 0; done < buffer.length;) {
    const read = readSync(fd, buffer, done, buffer.length - done, start + done);
    if (read === 0) break;
    done += read;
  }
  return buffer.toString("utf8");
}

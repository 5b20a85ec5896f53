import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { errorCode } from "./config-error.ts";

/** What a start-up file must satisfy. */
export interface ReadLimits {
  /** Largest size in bytes that is accepted. */
  readonly maxBytes: number;
  /** Whether the path itself may be a symbolic link; the allowlist's may not (design §4). */
  readonly links: boolean;
  /** Whether other users must have no rights in it. */
  readonly private?: boolean;
}

/** The text of a file, or what is wrong with it as a phrase that follows the file's name. */
export type ReadResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string; readonly cause?: unknown };

function fail(problem: string, cause?: unknown): ReadResult {
  return { ok: false, problem, cause };
}

/** At most `limit` bytes from an open descriptor, whatever its size claims to be. */
function readUpTo(descriptor: number, limit: number): Uint8Array {
  const bytes = new Uint8Array(limit);
  let length = 0;
  while (length < limit) {
    const count = readSync(descriptor, bytes, length, limit - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function decode(bytes: Uint8Array): ReadResult {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    return fail("is not UTF-8 text", error);
  }
}

function readOpen(descriptor: number, { maxBytes, private: isPrivate = false }: ReadLimits): ReadResult {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) return fail("is not a regular file");
  if (isPrivate && (stats.mode & 0o077) !== 0) return fail("is open to other users: its mode must be 0600");
  const bytes = readUpTo(descriptor, maxBytes + 1);
  return bytes.length > maxBytes ? fail(`is larger than ${maxBytes} bytes`) : decode(bytes);
}

/**
 * Reads a small text file without ever hanging: pipes and devices are opened without blocking and refused by what the open
 * descriptor says, and no more than the limit is read (design §4, allowlist failures).
 */
export function readBoundedFile(path: string, limits: ReadLimits): ReadResult {
  const { links } = limits;
  try {
    if (!links && !lstatSync(path).isFile()) return fail("is not a regular file");
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | (links ? 0 : constants.O_NOFOLLOW));
    try {
      return readOpen(descriptor, limits);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = errorCode(error);
    return fail(code === "ENOENT" ? "does not exist" : code === "ELOOP" ? "is not a regular file" : `cannot be read (${code})`, error);
  }
}

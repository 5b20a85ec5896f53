import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { governError } from "./govern-error.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const MAX_BYTES = 4 * 1024 * 1024;
const OTHERS = 0o077;

/**
 * Reads a private file of a store, whole.
 * @param path absolute path
 * @returns undefined when there is no such file
 * @throws GovernError `govern.store_unreadable` for a link, for what is no regular file, belongs to another user, is open to others or
 * is larger than 4 MiB
 */
export function readStoreFile(path: string, maxBytes: number = MAX_BYTES): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    const what = codeOf(error) === "ELOOP" ? "is a symbolic link" : `cannot be read (${codeOf(error)})`;
    throw governError("govern.store_unreadable", `\`${path}\` ${what}`, error);
  }
  try {
    const problem = fileProblem(fd, maxBytes);
    if (problem !== undefined) throw governError("govern.store_unreadable", `\`${path}\` ${problem}`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function fileProblem(fd: number, maxBytes: number): string | undefined {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return "is not a regular file";
  if (process.getuid !== undefined && stats.uid !== process.getuid()) return "belongs to another user";
  if ((stats.mode & OTHERS) !== 0) return "is open to other users: its mode must be 0600";
  return stats.size > maxBytes ? `is larger than ${maxBytes} bytes` : undefined;
}

/**
 * Creates a file of a store, mode 0600, whole or not at all, durable before it returns; of several processes exactly one succeeds.
 * @returns false when the file is there already
 * @throws GovernError `govern.store_unwritable`
 */
export function createStoreFile(path: string, text: string): boolean {
  return written(path, text).place((own) => {
    try {
      linkSync(own, path);
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    } finally {
      unlinkSync(own);
    }
  });
}

/**
 * Writes a file of a store, mode 0600, in place of the one that is there: readers see the old or the new text, never a part.
 * @throws GovernError `govern.store_unwritable`
 */
export function replaceStoreFile(path: string, text: string): void {
  prepareStoreFile(path, text).place();
}

/** The next text of a file: durable beside it, and not yet in its place. */
export interface PreparedFile {
  /** Puts it in its place, for which no room is needed any more. @throws GovernError `govern.store_unwritable` */
  place(): void;
  discard(): void;
}

/**
 * Does of `replaceStoreFile` what can fail for want of room.
 * @throws GovernError `govern.store_unwritable`
 */
export function prepareStoreFile(path: string, text: string): PreparedFile {
  const { place, discard } = written(path, text);
  return { place: () => place((own) => renameSync(own, path)), discard };
}

/**
 * Names in a folder of a store that match a pattern, sorted; none when there is no such folder.
 * @throws GovernError `govern.store_unreadable`
 */
export function listStoreFolder(folder: string, pattern: RegExp): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => pattern.test(name))
      .toSorted();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw governError("govern.store_unreadable", `\`${folder}\` cannot be read (${codeOf(error)})`, error);
  }
}

interface Written {
  /** Makes durable what `place` does with the text's own file. */
  readonly place: <Result>(place: (own: string) => Result) => Result;
  readonly discard: () => void;
}

/** Writes the text beside its place, and makes it durable. */
function written(path: string, text: string): Written {
  const folder = dirname(path);
  const own = join(folder, `.${basename(path)}.${randomUUID()}`);
  const whole = <Result>(act: () => Result): Result => {
    try {
      return act();
    } catch (error) {
      removeQuietly(own);
      throw governError("govern.store_unwritable", `\`${path}\` cannot be written (${codeOf(error)})`, error);
    }
  };
  whole(() => {
    makeFolder(folder);
    writeDurably(own, text);
  });
  return {
    place: (place) =>
      whole(() => {
        const result = place(own);
        syncFolder(folder);
        return result;
      }),
    discard: () => removeQuietly(own),
  };
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const bytes = Buffer.from(text, "utf8");
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes new names in a folder durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was put in its place, or never made.
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "no code";
}

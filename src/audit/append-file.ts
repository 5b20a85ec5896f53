import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { auditError } from "./errors.ts";

/** A file that grows by whole lines only. */
export interface AppendFile {
  /**
   * Appends a line, synchronously. What is written in part is taken back.
   * @param line whole, with its line feed
   * @param trustMs for how many milliseconds the last look at the file's place is good enough; 0 unless given: it is looked at anew
   * @throws Error `audit.unavailable` when the line is not in the file whole, or the file at that path is not ours any more
   */
  append(line: Uint8Array, trustMs?: number): void;
  close(): void;
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Opens a file for appending, mode 0600: a new one exclusively, an existing one only where `existing` says how long it is.
 * @param path absolute path; its folder exists
 * @param existing length in bytes of the whole lines that are already there; the file is cut to it
 * @throws Error of the file system
 */
export function openAppendFile(path: string, existing?: number): AppendFile {
  const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (existing === undefined ? O_CREAT | O_EXCL : 0);
  const fd = openSync(path, flags, 0o600);
  fchmodSync(fd, 0o600);
  const { dev, ino } = fstatSync(fd);
  let end = existing ?? 0;
  if (existing !== undefined) ftruncateSync(fd, end);
  let isTorn = false;
  let isOpen = true;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** A part of a line that could not be taken back when it failed is taken back before anything else is written. */
  function repair(): void {
    ftruncateSync(fd, end);
    isTorn = false;
  }

  function checkPlace(trustMs: number): void {
    const now = performance.now();
    if (now - lookedAt < trustMs) return;
    lookedAt = Number.NEGATIVE_INFINITY;
    const { dev: devNow, ino: inoNow, size } = statSync(path);
    if (devNow !== dev || inoNow !== ino) throw new Error(`\`${path}\` is another file now`);
    if (size !== end) throw new Error(`\`${path}\` was changed by someone else`);
    lookedAt = now;
  }

  function write(line: Uint8Array): void {
    isTorn = true;
    for (let done = 0; done < line.length;) {
      const written = writeSync(fd, line, done, line.length - done);
      if (written === 0) throw new Error(`\`${path}\` takes no more bytes`);
      done += written;
    }
    end += line.length;
    isTorn = false;
  }

  return {
    append(line, trustMs = 0) {
      if (!isOpen) throw auditError("audit.unavailable", "the decision log is closed");
      try {
        if (isTorn) repair();
        checkPlace(trustMs);
        write(line);
      } catch (error) {
        if (isTorn) attempt(repair);
        throw auditError("audit.unavailable", "the event could not be written", error);
      }
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      if (isTorn) attempt(repair);
      closeSync(fd);
    },
  };
}

/** Tries something whose failure changes nothing now: it is tried again before the next append. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // Remembered by `isTorn`.
  }
}

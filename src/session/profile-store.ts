import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { HomeGrant } from "../call/profile-words.ts";
import { makeFolder } from "../files/make-folder.ts";
import type { ActiveProfile } from "./active-profile.ts";
import type { ProfileChange } from "./profile-changes.ts";
import { activeOf, NO_PROFILES, parseProfiles, writeProfiles } from "./profile-document.ts";
import type { ProfileDocument } from "./profile-document.ts";
import { isProfileError, profileError } from "./profile-error.ts";

/** The profiles of one state directory, shared by all processes that use it (design §6). */
export interface ProfileStore {
  /** The store as it is now; without a file there are no profiles. Throws a ProfileError `profiles.unreadable`. */
  read(): ProfileDocument;
  /** Changes the store in one step that other processes see whole or not at all. Throws a ProfileError. */
  update(change: ProfileChange): ProfileDocument;
  /** Who is active now, with a mark that changes with every switch by whatever process. Throws as `read` does. */
  active(): ActiveProfile;
}

/** What a store needs. */
export interface ProfileStoreOptions {
  /** Absolute path; made when something is written. */
  readonly stateDir: string;
  /** Takes the lock of that name in a folder and gives what releases it; throws while another holds it. */
  readonly lock: (folder: string, name: string) => () => void;
  /** What the operator of this process grants of the home directory, by the label under which the profile is declared. */
  readonly homes?: ReadonlyMap<string, readonly HomeGrant[]>;
}

/** Name of the file in the state directory. */
export const PROFILES_FILE = "profiles.json";

const LOCK_NAME = "profiles.lock";
const MAX_BYTES = 4 * 1024 * 1024;
const LOCK_TRIES = 50;
const LOCK_PAUSE_MS = 10;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * Opens the store of a state directory. Nothing is read before it is asked for, and every answer is read anew: another process may have
 * written. A file that anybody else could have read or written, or that is not exactly what this program writes, is refused.
 */
export function openProfileStore({ stateDir, lock, homes = new Map() }: ProfileStoreOptions): ProfileStore {
  const path = join(stateDir, PROFILES_FILE);
  const read = cachedReader(path);
  return {
    read,
    update(change) {
      const release = patiently(() => lock(prepared(stateDir), LOCK_NAME));
      try {
        const changed = change(read());
        replace(stateDir, path, writeProfiles(changed));
        return changed;
      } finally {
        release();
      }
    },
    active() {
      const document = read();
      const profile = activeOf(document);
      const home = homes.get(profile?.provisioned ?? "");
      return {
        label: profile?.label ?? null,
        variables: profile?.environment ?? {},
        ...(home === undefined ? {} : { home }),
        mark: `${document.active ?? ""}:${document.switches}`,
      };
    },
  };
}

/** Reads the whole file each time and parses it only when its text has changed. */
function cachedReader(path: string): () => ProfileDocument {
  let last: { readonly text: string; readonly document: ProfileDocument } | undefined;
  return () => {
    const text = readPrivate(path);
    if (text === undefined) return NO_PROFILES;
    if (last?.text === text) return last.document;
    const document = parseProfiles(text);
    if (document === undefined) throw unreadable(path, "does not hold what this program writes");
    last = { text, document };
    return document;
  };
}

function unreadable(path: string, problem: string, cause?: unknown): Error {
  return profileError("profiles.unreadable", { detail: `profile store \`${path}\` ${problem}`, cause });
}

/** The text of the file; undefined when there is none. */
function readPrivate(path: string): string | undefined {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return textOf(path, descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isProfileError(error)) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    if (code === "ENOENT") return undefined;
    throw unreadable(path, code === "ELOOP" ? "must be a regular file" : `cannot be read (${code})`, error);
  }
}

function textOf(path: string, descriptor: number): string {
  const stats = fstatSync(descriptor);
  if (!stats.isFile()) throw unreadable(path, "must be a regular file");
  if (process.getuid !== undefined && stats.uid !== process.getuid()) throw unreadable(path, "belongs to another user");
  if ((stats.mode & 0o077) !== 0) throw unreadable(path, "must be private to its owner (mode 0600)");
  if (stats.size > MAX_BYTES) throw unreadable(path, `is larger than ${MAX_BYTES} bytes`);
  const bytes = Buffer.alloc(stats.size);
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.toString("utf8", 0, length);
}

function prepared(stateDir: string): string {
  try {
    makeFolder(stateDir);
    return stateDir;
  } catch (cause) {
    throw profileError("profiles.unwritable", { detail: `state directory \`${stateDir}\` cannot be made`, cause });
  }
}

/** A change takes milliseconds: the lock is tried for half a second. */
function patiently(take: () => () => void): () => void {
  for (let tries = 1; ; tries += 1) {
    try {
      return take();
    } catch (cause) {
      if (isProfileError(cause)) throw cause;
      if (tries === LOCK_TRIES) throw profileError("profiles.busy", { cause });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
    }
  }
}

/** Puts a new file in the place of the old one, durably; a reader sees the one or the other. */
function replace(folder: string, path: string, text: string): void {
  const temporary = join(folder, `.${PROFILES_FILE}.${randomUUID()}`);
  try {
    writeWhole(temporary, text);
    renameSync(temporary, path);
    syncFolder(folder);
  } catch (cause) {
    removeQuietly(temporary);
    throw profileError("profiles.unwritable", { detail: `profile store \`${path}\` cannot be written`, cause });
  }
}

function writeWhole(path: string, text: string): void {
  const descriptor = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const bytes = Buffer.from(text, "utf8");
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was renamed, or never made.
  }
}

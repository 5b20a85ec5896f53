import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { governError } from "./govern-error.ts";
import { RECORDING_NAME, recordingsFolder } from "./recordings.ts";

/** What a listing says of one recording: nothing of what was recorded. */
export interface RecordingEntry {
  readonly name: string;
  readonly session_id: string;
  readonly size_bytes: number;
  /** Whole lines. */
  readonly event_count: number;
  /** 64 lower-case hex digits, over the bytes that were there when they were counted. */
  readonly digest_sha256: string;
  /** RFC 3339 UTC. */
  readonly modified: string;
}

/** Newest recordings that are listed: each is read whole for its digest. */
const MAX_LISTED = 1_000;
const LINE_FEED = 0x0a;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Lists the recordings of a state directory by name, the newest 1,000: regular files of this user whose name holds a session id. Links,
 * folders, pipes, other suffixes and foreign names are left out (seed 003: "regular JSONL recordings").
 * @param signal stops the reading
 * @throws GovernError `govern.store_unreadable` when the folder cannot be read; none yet: an empty list
 */
export async function listRecordings(stateDir: string, signal?: AbortSignal): Promise<readonly RecordingEntry[]> {
  const entries: RecordingEntry[] = [];
  for (const name of (await recordingNames(stateDir)).slice(-MAX_LISTED)) {
    signal?.throwIfAborted();
    const entry = await entryOf(join(recordingsFolder(stateDir), name), name);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

async function recordingNames(stateDir: string): Promise<string[]> {
  const folder = recordingsFolder(stateDir);
  try {
    return (await readdir(folder)).filter((name) => RECORDING_NAME.test(name)).toSorted();
  } catch (error) {
    const { code = "no code" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw governError("govern.store_unreadable", `\`${folder}\` cannot be read (${code})`, error);
  }
}

async function entryOf(path: string, name: string): Promise<RecordingEntry | undefined> {
  const file = await openRegular(path);
  if (file === undefined) return undefined;
  try {
    const { mtime } = await file.stat();
    const hash = createHash("sha256");
    let [size, lines] = [0, 0];
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
    }
    const session_id = RECORDING_NAME.exec(name)?.[1] ?? "";
    return { name, session_id, size_bytes: size, event_count: lines, digest_sha256: hash.digest("hex"), modified: mtime.toISOString() };
  } finally {
    await file.close();
  }
}

/**
 * Opens a recording for reading.
 * @returns undefined for what is no regular file of this user with this one name
 */
export async function openRegular(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  const stats = await file.stat();
  const isOurs = stats.isFile() && stats.nlink === 1 && (process.getuid === undefined || stats.uid === process.getuid());
  if (isOurs) return file;
  await file.close();
  return undefined;
}

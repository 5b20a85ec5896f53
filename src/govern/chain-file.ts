import { closeSync, constants, existsSync, fsyncSync, ftruncateSync, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { lockSession } from "../audit/session-lock.ts";
import type { JsonObject } from "../call/json.ts";
import { makeFolder } from "../files/make-folder.ts";
import { forbidInAgentProcess } from "./agent-process.ts";
import { governError } from "./govern-error.ts";
import type { SigningKey } from "./key-pair.ts";
import { readKey } from "./keys.ts";
import { EMPTY_END, readChainText, sealEntry } from "./signed-chain.ts";
import type { ChainEnd, ChainEntry } from "./signed-chain.ts";
import { prepareStoreFile, readStoreFile, syncFolder } from "./store-file.ts";
import type { PreparedFile } from "./store-file.ts";

/** One of the signed chains of the state directory: `<name>.jsonl`, and `<name>.head`, which tells where it must end. */
export interface ChainPlace {
  readonly stateDir: string;
  readonly name: "elevations" | "stops";
}

/** State of a chain: not there, proven, or broken at a line. */
export type ChainState =
  | { readonly kind: "missing" }
  | { readonly kind: "ok"; readonly entries: readonly ChainEntry[]; readonly end: ChainEnd }
  | { readonly kind: "broken"; readonly reason: string };

const LOCK_WAIT_MS = 2_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How often, and after how long, a chain that seems broken is read again. */
const REREADS = 2;
const REREAD_MS = 5;
/** How long a chain is taken for broken without being read again, although no file of it has changed: modes and faults of the system pass. */
const BROKEN_MS = 1_000;
/** How long it may take until a head without its file is seen. */
const HEAD_ALONE_MS = 50;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Appends a signed entry, durably, under the chain's lock. A chain that does not hold gets no further entry; only a last line that a crash
 * left without its end, and that the head never covered, is cut off first.
 * @throws GovernError `govern.decision_forbidden`, `govern.chain_broken`, `govern.store_busy`, `govern.store_unwritable`
 */
export function appendToChain(place: ChainPlace, entry: { readonly body: JsonObject; readonly time: Date }, key: SigningKey): ChainEntry {
  forbidInAgentProcess(place.stateDir);
  const release = lockChain(place);
  try {
    cutTornLine(place);
    const state = readChain(place);
    if (state.kind === "broken") throw governError("govern.chain_broken", `\`${fileOf(place)}\`: ${state.reason}`);
    const after = state.kind === "ok" ? state.end : EMPTY_END;
    // A crash may have left the head one entry behind: two behind, the chain would never hold again.
    if ((readHead(place)?.seq ?? 0) < after.seq) prepareHead(place, after).place();
    const sealed = sealEntry(place.name, entry, { key, after });
    // What wants room comes first: an entry that stands was never reported as one that could not be written.
    const head = prepareHead(place, sealed);
    try {
      appendDurably(fileOf(place), `${JSON.stringify(sealed)}\n`);
    } catch (error) {
      head.discard();
      throw error;
    }
    head.place();
    return sealed;
  } finally {
    release();
  }
}

/**
 * Reads and proves a chain. It may be one entry longer than its head says (a crash right after the append), never shorter: a chain that
 * was cut shows.
 */
export function readChain(place: ChainPlace): ChainState {
  let state = readChainOnce(place);
  // Another process may be in the middle of an append: what is broken for good is broken the next time, too.
  for (let again = 0; state.kind === "broken" && again < REREADS; again += 1) {
    pause(REREAD_MS);
    state = readChainOnce(place);
  }
  return state;
}

function readChainOnce(place: ChainPlace): ChainState {
  try {
    const head = readHead(place);
    const text = readStoreFile(fileOf(place), MAX_BYTES);
    if (text === undefined) return head === undefined ? { kind: "missing" } : { kind: "broken", reason: "the file is gone" };
    const read = readChainText(place.name, text, (name) => readKey(place.stateDir, name));
    if (!read.ok) return { kind: "broken", reason: `line ${read.line}: ${read.reason}` };
    const known = head?.seq === 0 || head === undefined ? undefined : read.entries[head.seq - 1];
    if (head !== undefined && head.seq > 0 && known?.hash !== head.hash)
      return { kind: "broken", reason: "entries were cut off or replaced" };
    if (read.end.seq > (head?.seq ?? 0) + 1) return { kind: "broken", reason: "its head is older than its entries" };
    return { kind: "ok", entries: read.entries, end: read.end };
  } catch (error) {
    return { kind: "broken", reason: error instanceof Error ? error.message : "it cannot be read" };
  }
}

/**
 * Watches a chain for a process that looks at it on every call: it is read again only when a file of it or a key changed, or, once a second,
 * while it is broken. A chain that ends before what this process has seen is broken, whatever its head says.
 */
export function watchChain(place: ChainPlace): { readonly state: () => ChainState } {
  let seen: ChainEnd = EMPTY_END;
  let stamp = "";
  let state: ChainState = { kind: "missing" };
  let readAt = 0;
  const stamps = stampReader(place);
  return {
    state() {
      const now = stamps();
      if (now === stamp && (state.kind !== "broken" || performance.now() - readAt < BROKEN_MS)) return state;
      state = notOlder(readChain(place), seen);
      readAt = performance.now();
      if (state.kind === "ok") seen = state.end;
      stamp = now;
      return state;
    },
  };
}

function notOlder(state: ChainState, seen: ChainEnd): ChainState {
  if (seen.seq === 0 || state.kind === "broken") return state;
  const known = state.kind === "ok" ? state.entries[seen.seq - 1] : undefined;
  return known?.hash === seen.hash ? state : { kind: "broken", reason: "it is older than what was read before" };
}

function readHead(place: ChainPlace): ChainEnd | undefined {
  const text = readStoreFile(headOf(place), 1_024);
  if (text === undefined) return undefined;
  const head = JSON.parse(text) as Partial<ChainEnd>;
  if (!Number.isSafeInteger(head.seq) || typeof head.hash !== "string") throw governError("govern.chain_broken", "its head cannot be read");
  return head as ChainEnd;
}

function prepareHead(place: ChainPlace, { seq, hash }: ChainEnd): PreparedFile {
  return prepareStoreFile(headOf(place), `${JSON.stringify({ seq, hash })}\n`);
}

function lockChain({ stateDir, name }: ChainPlace): () => void {
  const folder = join(stateDir, "locks");
  const until = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      makeFolder(folder);
      return lockSession(folder, `${name}.chain`);
    } catch (error) {
      if (!isHeld(error))
        throw governError("govern.store_unwritable", `\`${fileOf({ stateDir, name })}\` cannot be locked (${codeOf(error)})`, error);
      if (Date.now() >= until)
        throw governError("govern.store_busy", `another process holds the lock of \`${name}.jsonl\`: try again`, error);
      pause(20);
    }
  }
}

function isHeld(error: unknown): boolean {
  return codeOf(error) === "audit.session_locked";
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "no code";
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Cuts off what a killed process left of the line that it was writing: such a line has no LF, and its entry was never confirmed to anybody. A
 * line that the head covers stays, and the chain is broken.
 */
function cutTornLine(place: ChainPlace): void {
  const text = readStoreFile(fileOf(place), MAX_BYTES);
  if (text === undefined || text === "" || text.endsWith("\n")) return;
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const read = readChainText(place.name, whole, (name) => readKey(place.stateDir, name));
  const head = readHead(place) ?? EMPTY_END;
  if (!read.ok || head.seq > read.end.seq || (head.seq > 0 && read.entries[head.seq - 1]?.hash !== head.hash)) return;
  const fd = openSync(fileOf(place), O_WRONLY | O_NOFOLLOW);
  try {
    ftruncateSync(fd, Buffer.byteLength(whole, "utf8"));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What is written in part is taken back. */
function appendDurably(path: string, line: string): void {
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const { size } = fstatSync(fd);
  try {
    const bytes = Buffer.from(line, "utf8");
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
    fsyncSync(fd);
    syncFolder(join(path, ".."));
  } catch (error) {
    ftruncateSync(fd, size);
    throw governError("govern.store_unwritable", `\`${path}\` cannot be written (${codeOf(error)})`, error);
  } finally {
    closeSync(fd);
  }
}

/**
 * Most state directories have no chain, and every call asks: that must cost next to nothing. Entries come before their head, so that a head
 * alone, whose entries somebody took away, is looked for less often.
 */
function stampReader(place: ChainPlace): () => string {
  const [file, head, keys] = [fileOf(place), headOf(place), join(place.stateDir, "keys")];
  let withoutHead = Number.NEGATIVE_INFINITY;
  return () => {
    if (existsSync(file)) return [file, head, keys].map(stampOf).join("|");
    const now = performance.now();
    if (now - withoutHead < HEAD_ALONE_MS) return "none";
    if (existsSync(head)) return [file, head, keys].map(stampOf).join("|");
    withoutHead = now;
    return "none";
  };
}

function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "-" : `${stats.ino}:${stats.size}:${stats.mtimeNs}`;
}

const fileOf = ({ stateDir, name }: ChainPlace): string => join(stateDir, `${name}.jsonl`);
const headOf = ({ stateDir, name }: ChainPlace): string => join(stateDir, `${name}.head`);

import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { makeFolder } from "../files/make-folder.ts";
import { MAX_SNAPSHOT_BYTES, sessionSnapshotSchema, sessionSocket } from "../govern/session-feed-form.ts";
import type { SessionSnapshot } from "../govern/session-feed-form.ts";

/** What the admin server knows of the sessions of other processes. */
export interface SessionBook {
  /** What each server said last and when, by session id; a server that is gone is not in it. */
  readonly list: () => readonly KnownSession[];
  readonly close: () => Promise<void>;
}

/** A session, and the RFC 3339 time of its last word. */
export type KnownSession = SessionSnapshot & { readonly seen_at: string };

const MAX_CONNECTIONS = 1_000;
/** Bytes of the longest path of a Unix socket, without its NUL (Linux 107, others 103). */
const MAX_PATH = 103;

/**
 * Listens at the Unix socket of a state directory (0600) for servers that tell of their sessions. A socket that nobody listens at any more
 * is replaced.
 * @param onChange called when a session came, went or changed
 * @throws Error when another admin server listens there, or when there can be no socket
 */
export async function openSessionBook(stateDir: string, onChange: () => void): Promise<SessionBook> {
  const path = sessionSocket(stateDir);
  if (Buffer.byteLength(path) > MAX_PATH) throw new Error(`\`${path}\` is too long for a socket: give a shorter \`--state-dir\``);
  makeFolder(stateDir);
  await removeStale(path);
  const known = new Map<Socket, KnownSession>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      if (known.delete(socket)) onChange();
    });
    hear(socket, (snapshot) => {
      known.set(socket, { ...snapshot, seen_at: new Date().toISOString() });
      onChange();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    list: () => [...known.values()].toSorted((a, b) => (a.started_at < b.started_at ? 1 : -1)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Reads snapshots; whoever sends anything else is hung up on. */
function hear(socket: Socket, take: (snapshot: SessionSnapshot) => void): void {
  let sinceLine = 0;
  socket.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf(0x0a);
    sinceLine = end < 0 ? sinceLine + chunk.length : chunk.length - end;
    if (sinceLine > MAX_SNAPSHOT_BYTES) socket.destroy();
  });
  createInterface({ input: socket, crlfDelay: Infinity }).on("line", (line) => {
    const snapshot = snapshotIn(line);
    if (snapshot === undefined) socket.destroy();
    else take(snapshot);
  });
}

function snapshotIn(line: string): SessionSnapshot | undefined {
  try {
    return sessionSnapshotSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** @throws Error when somebody listens, or when something else stands there */
async function removeStale(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Error(`\`${path}\` is no socket: remove it`);
  if (await somebodyListens(path)) throw new Error(`another admin server listens at \`${path}\``);
  unlinkSync(path);
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

import type { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Answer } from "./answers.ts";
import { openConnection, type Connection } from "./connection.ts";
import type { Corridor } from "./corridor-types.ts";
import { createLineSplitter } from "../wire/framing.ts";
import type { HumanLine } from "./human-line.ts";
import { createLineFeed } from "./line-feed.ts";
import { createLineWriter, type LineWriter } from "./line-writer.ts";
import { MAX_LINE_BYTES } from "./screen.ts";
import { within } from "../wire/within.ts";

/** With more unread answers than this nothing more is read from the client until half of them were taken. */
const MAX_BACKLOG_BYTES = 16 * 1024 * 1024;
/** How long aborted calls have to end. */
const ABORT_GRACE_MS = 700;
/** How long a reader may take nothing at all before what it has not read is given up. */
const STALL_MS = 30_000;
/** The same after a stop, in all. */
const FLUSH_AFTER_STOP_MS = 300;

/** The way to a client over stdio. */
export interface StdioSide {
  readonly send: (json: string) => void;
  readonly onAnswer: () => void;
  /** Given while the client has left too much unread: resolves when it has taken half of it, or is gone. */
  readonly full: () => Promise<unknown> | undefined;
}

/** One client over stdio. */
export interface StdioOptions {
  /** Opens the client's connection in place of one to the corridor's own tools. */
  readonly open?: (side: StdioSide) => Promise<Connection>;
  /** Is closed at the end. */
  readonly corridor: Corridor;
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Takes one line for stderr, without LF and without the name of the program. */
  readonly stderrLine: (line: string) => void;
  /** Regate's version, told to clients. */
  readonly version: string;
  /** Is connected with the client's human. */
  readonly human?: HumanLine;
  /** How long calls in flight are answered after the end of stdin; 1 s unless given. */
  readonly drainMs?: number;
  /** Ends the service at once: nothing more is read, running calls are aborted (SIGTERM). */
  readonly stop?: AbortSignal;
}

/**
 * Serves one client over stdio until stdin ends, stdout breaks or `stop` is aborted, and closes the corridor. After the end of stdin
 * calls in flight are answered for `drainMs`, then aborted (design §3). This resolves when what was answered is written out, as long as
 * the reader takes anything. Only protocol lines go to stdout. Never rejects once the connection is open.
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { corridor, stdin, stdout, stderrLine, version, human, drainMs = 1_000 } = options;
  const stopped = abortOf(options.stop);
  const broken = eventPromise();
  const writer = createLineWriter(stdout, broken.occur);
  let reader: Reader | undefined;
  const side: StdioSide = { send: writer.write, onAnswer: () => reader?.turnFirst(), full: () => roomIn(writer) };
  const connection =
    options.open === undefined
      ? await openConnection({ corridor, version, log: stderrLine, ...side, ...(human === undefined ? {} : { human }) })
      : await options.open(side);
  reader = readLines(stdin, connection, writer);
  options.stop?.addEventListener("abort", reader.drop, { once: true });
  await Promise.race([reader.ended, broken.occurred, stopped]);
  const drainLeftMs = drainMs - reader.lateMs();
  const handedOn = reader.stop();

  await Promise.race([
    within(
      drainLeftMs,
      handedOn.then(() => connection.idle()),
    ),
    stopped,
  ]);
  connection.abort();
  const closed = corridor
    .close()
    .catch((error: unknown) => stderrLine(`the decision log was not closed: ${error instanceof Error ? error.message : String(error)}`));
  // What still waits behind slow evaluations is answered by the closed gate.
  if (options.stop?.aborted !== true) reader.finish();
  await within(ABORT_GRACE_MS, Promise.all([closed, connection.idle()]));
  // The last answers are written a few microtasks after their requests count as answered.
  await nextTurn();
  await Promise.race([writer.flushed(STALL_MS), stopped.then(() => within(FLUSH_AFTER_STOP_MS, writer.flushed(STALL_MS)))]);
  await connection.close();
}

/** Waits until enough was taken; undefined when enough is. */
function roomIn(writer: LineWriter): Promise<unknown> | undefined {
  return writer.backlog() > MAX_BACKLOG_BYTES ? writer.below(MAX_BACKLOG_BYTES / 2) : undefined;
}

/** The lines of a client on their way to its connection. */
interface Reader {
  readonly ended: Promise<void>;
  /** Milliseconds by which the end was seen late. */
  readonly lateMs: () => number;
  /** Lets the event loop turn before the next line. */
  readonly turnFirst: () => void;
  /** Reads nothing more. Resolves when what was read is handed on, or waits behind a slow evaluation. */
  readonly stop: () => Promise<void>;
  /** Hands on what still waits. */
  readonly finish: () => void;
  /** Reads nothing more and forgets what waits. */
  readonly drop: () => void;
}

/** Feeds a connection and writes its answers, in whatever order they come. */
function readLines(stdin: Readable, connection: Connection, writer: LineWriter): Reader {
  const end = eventPromise();
  const write = (answer: Answer | undefined): void => {
    if (answer) writer.write(answer.json);
  };
  const feed = createLineFeed<Uint8Array | undefined>({
    take: (line) => {
      const answer = line === undefined ? connection.refuseTooLong() : connection.receive(line);
      if (answer instanceof Promise) void answer.then(write);
      else write(answer);
    },
    keep: (line) => line && Buffer.from(line),
    onTurn: () => {
      if (!feed.isFull()) resume();
    },
  });
  const splitter = createLineSplitter(MAX_LINE_BYTES, { onLine: feed.push, onTooLong: () => feed.push(undefined) });
  let stopped = false;
  const resume = (): void => {
    if (!stopped) stdin.resume();
  };
  const onData = (chunk: Buffer): void => {
    splitter.push(chunk);
    const room = roomIn(writer);
    if (feed.isFull() || room !== undefined) stdin.pause();
    void room?.then(resume);
  };
  const onEnd = (): void => {
    splitter.end();
    end.occur();
  };
  stdin.on("data", onData).once("end", onEnd).once("close", end.occur).on("error", end.occur);
  const stop = (): Promise<void> => {
    stopped = true;
    stdin.off("data", onData).off("end", onEnd);
    stdin.pause();
    return feed.ending();
  };
  const drop = (): void => {
    feed.drop();
    void stop();
  };
  return { ended: end.occurred, lateMs: feed.lateMs, turnFirst: feed.turnFirst, stop, finish: feed.finish, drop };
}

interface EventPromise {
  readonly occurred: Promise<void>;
  readonly occur: () => void;
}

function eventPromise(): EventPromise {
  let occur = (): void => {};
  const occurred = new Promise<void>((resolve) => {
    occur = resolve;
  });
  return { occurred, occur: () => occur() };
}

/** Resolves when the signal is aborted; never without one. */
function abortOf(signal: AbortSignal | undefined): Promise<void> {
  const { occurred, occur } = eventPromise();
  if (signal?.aborted) occur();
  signal?.addEventListener("abort", occur, { once: true });
  return occurred;
}

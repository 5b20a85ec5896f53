import type { Readable } from "node:stream";
import { createLineSplitter } from "../wire/framing.ts";
import { within } from "../wire/within.ts";
import type { StdioEntry } from "./entry.ts";
import type { OpenLink, UpstreamEvents, UpstreamLink } from "./link.ts";
import { type Confine, type ServerProcess, startServer } from "./stdio-process.ts";

/** How long a server has to end after its stdin was closed, and again after SIGTERM. */
const STDIN_GRACE_MS = 400;
const TERM_GRACE_MS = 300;
/** Bytes that wait for a server that does not read. */
const MAX_UNREAD = 32 * 1024 * 1024;
const MAX_STDERR_LINE = 16 * 1024;

/** How a stdio server is started. */
export interface StdioLinkOptions {
  /** Environment of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest line that is read from the server, in bytes. */
  readonly maxLineBytes: number;
  /** The sandbox around servers that do not opt out; undefined: none. */
  readonly confine?: Confine | undefined;
}

/** Groups that are killed when this process ends, however it does. */
const groups = new Set<number>();
let isHooked = false;

/**
 * Makes the opener of a server's process: argv as given, no shell, its own process group, an exact environment, stderr always drained
 * (reference/gateway.md, Environment). The opener rejects when the command cannot be started.
 */
export function stdioLink(entry: StdioEntry, options: StdioLinkOptions): OpenLink {
  return async (events, signal) => {
    if (signal.aborted) throw new Error("the gateway is closing");
    return linkOf(await startServer(entry, options.environment, options.confine), events, options.maxLineBytes);
  };
}

function linkOf(server: ServerProcess, events: UpstreamEvents, maxLineBytes: number): UpstreamLink {
  const { stdin, stdout, pid } = server;
  watch(pid);
  let hasEnded = false;
  const state: { broken: boolean; left?: string } = { broken: false };
  stdin.on("error", () => (state.broken = true));
  stdout.on("error", () => undefined);
  const lines = createLineSplitter(maxLineBytes, {
    onLine: (line) => readLine(line, events),
    onTooLong: () => events.onUnreadable?.("a line that is too long"),
  });
  stdout.on("data", (chunk: Buffer) => {
    lines.push(chunk);
    const full = events.full?.();
    if (full === undefined || state.left !== undefined) return;
    stdout.pause();
    void full.then(() => stdout.resume());
  });
  for (const stream of server.errors) drain(stream, events);
  const ended = new Promise<void>((resolve) => {
    const over = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      kill(pid, "SIGKILL");
      groups.delete(pid);
      lines.end();
      events.onEnd(state.left ?? "its connection ended");
      resolve();
    };
    server.onExit((how) => {
      state.broken = true;
      state.left = how;
      stdout.resume();
      // Whatever is left of the group holds the pipes open; what was written before the exit is still read.
      setTimeout(() => kill(pid, "SIGKILL"), 50).unref();
      setTimeout(over, 250);
    });
    server.onClose(over);
  });
  let closing: Promise<void> | undefined;
  const closeOnce = (): Promise<void> => (closing ??= close(server, ended));
  stdout.once("end", () => {
    // A server that closes its stdout can answer nothing any more.
    state.broken = true;
    void closeOnce();
  });
  const canSend = (): boolean => !state.broken && !hasEnded && stdin.writable;
  return {
    ended,
    canSend,
    isFull: () => stdin.writableLength > MAX_UNREAD,
    send(json) {
      if (!canSend()) return closedStdin(ended);
      stdin.write(`${json}\n`);
      return undefined;
    },
    close: closeOnce,
  };
}

/** A server that is ending is told as ended before anybody hears that nothing could be sent to it. */
async function closedStdin(ended: Promise<void>): Promise<never> {
  await isOver(ended, STDIN_GRACE_MS);
  throw new Error("the server's stdin is closed");
}

async function close(server: ServerProcess, ended: Promise<void>): Promise<void> {
  const { pid } = server;
  server.stdin.end();
  if (await isOver(ended, STDIN_GRACE_MS)) return;
  kill(pid, "SIGTERM");
  if (await isOver(ended, TERM_GRACE_MS)) return;
  kill(pid, "SIGKILL");
  if (await isOver(ended, TERM_GRACE_MS)) return;
  server.kill();
  await isOver(ended, TERM_GRACE_MS);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readLine(line: Uint8Array, events: UpstreamEvents): void {
  if (line.length === 0) return;
  let text: string;
  try {
    text = decoder.decode(line);
  } catch {
    events.onUnreadable?.("a line that is not UTF-8");
    return;
  }
  if (!/^[\t\r ]*$/.test(text)) events.onMessage(text);
}

function drain(stream: Readable, events: UpstreamEvents): void {
  const lines = createLineSplitter(MAX_STDERR_LINE, {
    onLine: (line) => events.onStderr?.(Buffer.from(line).toString("utf8")),
    onTooLong: () => events.onStderr?.("(a long line)"),
  });
  stream.on("data", (chunk: Buffer) => lines.push(chunk)).on("error", () => undefined);
}

/** Whatever ends this process ends the group too. */
function watch(pid: number): void {
  groups.add(pid);
  if (isHooked) return;
  isHooked = true;
  process.once("exit", () => {
    for (const group of groups) kill(group, "SIGKILL");
  });
}

/** Sends a signal to a whole group; one that is gone is no error. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing is left of it.
  }
}

async function isOver(ended: Promise<void>, ms: number): Promise<boolean> {
  return (
    (await within(
      ms,
      ended.then(() => true),
    )) === true
  );
}

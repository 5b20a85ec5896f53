import { execFile } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { mkfifoPath } from "./programs.ts";

/** One pipe from a command to the server. */
export interface OutputPipe {
  /** Write end, for the child's standard output or error. */
  readonly writeFd: number;
  /** Closes the server's own copy of the write end, once the child has it. */
  closeWriteEnd(): void;
  /** Starts reading; each chunk is a fresh buffer. */
  onData(take: (chunk: Buffer) => void): void;
  /** Takes what is in the pipe now, without waiting for writers that are still there, and closes the read end. */
  finish(): void;
}

/** More than any pipe holds: what a living writer adds while it is emptied does not count. */
const MAX_LEFT = 1024 * 1024;
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const run = promisify(execFile);

/**
 * Opens real pipes for a command's output. Node's own are sockets, which a command cannot open again: `echo x > /dev/stderr` and
 * `tee /dev/stdout` would fail. They are made as named pipes in a private folder that is removed before anything runs.
 * @throws Error of the file system, or of `mkfifo`
 */
export async function openOutputPipes(): Promise<{ readonly stdout: OutputPipe; readonly stderr: OutputPipe }> {
  const folder = await mkdtemp(join(tmpdir(), "regate-run-"));
  try {
    const paths = [join(folder, "stdout"), join(folder, "stderr")] as const;
    await run(mkfifoPath(), ["-m", "600", ...paths], { env: {} });
    const stdout = openPipe(paths[0]);
    try {
      return { stdout, stderr: openPipe(paths[1]) };
    } catch (error) {
      stdout.closeWriteEnd();
      stdout.finish();
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function openPipe(path: string): OutputPipe {
  const readFd = openSync(path, O_RDONLY | O_NONBLOCK);
  const writeFd = openWriteEnd(path, readFd);
  const socket = new Socket({ fd: readFd, readable: true, writable: false });
  let take: (chunk: Buffer) => void = () => undefined;
  let isWritable = true;
  // A pipe that cannot be read any more has ended: the child's exit decides.
  socket.on("error", () => undefined);
  return {
    writeFd,
    closeWriteEnd() {
      if (isWritable) closeSync(writeFd);
      isWritable = false;
    },
    onData(receiver) {
      take = receiver;
      socket.on("data", take);
    },
    finish() {
      if (!socket.destroyed && !socket.readableEnded) takeRest(readFd, take);
      socket.destroy();
    },
  };
}

function openWriteEnd(path: string, readFd: number): number {
  try {
    return openSync(path, O_WRONLY);
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}

/** Reads until the pipe is empty or closed: what the command wrote before it exited is there already. */
function takeRest(fd: number, take: (chunk: Buffer) => void): void {
  for (let total = 0; total < MAX_LEFT;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const read = readNow(fd, chunk);
    if (read === 0) return;
    take(chunk.subarray(0, read));
    total += read;
  }
}

/** Bytes that were there; 0 at the end and when nothing is there now. */
function readNow(fd: number, chunk: Buffer): number {
  try {
    return readSync(fd, chunk, 0, chunk.length, null);
  } catch {
    return 0;
  }
}

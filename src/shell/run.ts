import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { cappedOutput } from "./capped-output.ts";
import { checkEnvironment } from "./command-environment.ts";
import { openOutputPipes } from "./output-pipe.ts";
import type { OutputPipe } from "./output-pipe.ts";
import { endAllGroups, watchGroup } from "./process-group.ts";
import { bashPath } from "./programs.ts";
import { isShellError, shellError } from "./shell-error.ts";

/** Longest command, in bytes of its UTF-8 form (design §7). */
export const MAX_COMMAND_BYTES = 65_536;
/** What is kept of each of stdout and stderr, in bytes, unless the caller says otherwise; keeps an answer below 2 MB (design §7). */
export const OUTPUT_CAP_BYTES = 65_536;

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A program with its arguments and its whole environment. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Wraps a command line, for instance in a sandbox. `argv` starts with the absolute path of bash. */
export type Launcher = (
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => Launch;

/** One run of a command. */
export interface RunOptions {
  readonly command: string;
  /** The command that was classified and decided; anything else is not executed. */
  readonly expected: string;
  /** Working directory, an absolute path. */
  readonly cwd: string;
  /** The whole environment; see `commandEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the command like a timeout does. */
  readonly signal?: AbortSignal;
  /** For each of stdout and stderr. */
  readonly outputCapBytes?: number;
  readonly launcher?: Launcher;
}

/** How a command ended (design §7). A non-zero exit is a result like any other. */
export interface RunResult {
  /** Null when a signal ended it. */
  readonly exit_code: number | null;
  /** Name of the signal that ended it, such as `SIGTERM`; null when it exited. */
  readonly signal: string | null;
  readonly timed_out: boolean;
  /** Whether part of stdout or stderr was left out. */
  readonly truncated: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly duration_ms: number;
}

/**
 * Runs a command in bash, without its start-up files, in a process group of its own, with an empty stdin (reference/shell.md §12).
 * Resolves when the command itself exits, also while a background child holds its output; what is left of its group is killed then, so
 * that nothing survives the call. A timeout or a cancellation ends the group with SIGTERM, 500 ms later with SIGKILL.
 * @throws Error with a `shell.*` code when nothing was executed
 */
export async function runCommand(options: RunOptions): Promise<RunResult> {
  checkCommand(options);
  checkEnvironment(options.env);
  checkWorkdir(options.cwd);
  const argv = [bashPath(), "--noprofile", "--norc", "-c", options.command];
  const launch = options.launcher?.(argv, options) ?? { file: argv[0] as string, args: argv.slice(1), env: options.env };
  const pipes = await orSpawnFailed(openOutputPipes);
  try {
    if (options.signal?.aborted === true) throw shellError("shell.cancelled", "cancelled before it began");
    return await run(options, launch, pipes);
  } finally {
    for (const pipe of [pipes.stdout, pipes.stderr]) {
      pipe.closeWriteEnd();
      pipe.finish();
    }
  }
}

/** Ends all commands that run in this process, as a timeout does, and waits until they are over (design §3: within 2 s). */
export async function endAllCommands(): Promise<void> {
  await endAllGroups();
}

function checkCommand({ command, expected }: RunOptions): void {
  const isRunnable = !command.includes("\0") && !/\p{Surrogate}/u.test(command) && Buffer.byteLength(command) <= MAX_COMMAND_BYTES;
  if (!isRunnable) throw shellError("shell.command_refused", "the command holds a NUL, is too long or is no well-formed text");
  // Both are well-formed: equal strings are equal bytes.
  if (command !== expected) throw shellError("shell.command_changed", "the command is not the one that was decided");
}

function checkWorkdir(cwd: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw shellError("shell.workdir_missing", "the working directory is missing");
  }
}

interface Pipes {
  readonly stdout: OutputPipe;
  readonly stderr: OutputPipe;
}

async function run(options: RunOptions, launch: Launch, { stdout, stderr }: Pipes): Promise<RunResult> {
  const cap = options.outputCapBytes ?? OUTPUT_CAP_BYTES;
  const out = cappedOutput(cap);
  const err = cappedOutput(cap);
  const startedAt = performance.now();
  const child = await orSpawnFailed(() => started(launch, { cwd: options.cwd, stdout: stdout.writeFd, stderr: stderr.writeFd }));
  stdout.closeWriteEnd();
  stderr.closeWriteEnd();
  stdout.onData(out.take);
  stderr.onData(err.take);
  const end = await ended(child, options);
  stdout.finish();
  stderr.finish();
  return {
    ...end,
    truncated: out.isTruncated() || err.isTruncated(),
    stdout: out.text(),
    stderr: err.text(),
    duration_ms: Math.round(performance.now() - startedAt),
  };
}

function started(launch: Launch, { cwd, stdout, stderr }: { cwd: string; stdout: number; stderr: number }): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(launch.file, launch.args, { cwd, env: { ...launch.env }, detached: true, stdio: ["ignore", stdout, stderr] });
    child.once("spawn", () => resolve(child));
    child.once("error", reject);
  });
}

/** Waits for the command's own end, not for that of its output. */
function ended(child: ChildProcess, { timeoutMs, signal }: RunOptions): Promise<Pick<RunResult, "exit_code" | "signal" | "timed_out">> {
  return new Promise((resolve) => {
    let timedOut = false;
    const finish = (code: number | null, name: string | null): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", group.terminate);
      group.kill();
      group.close();
      resolve({ exit_code: code, signal: name, timed_out: timedOut });
    };
    const group = watchGroup(child.pid as number, () => {
      child.unref();
      finish(null, "SIGKILL");
    });
    const timer = setTimeout(
      () => {
        timedOut = true;
        group.terminate();
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    child.once("exit", finish);
    signal?.addEventListener("abort", group.terminate, { once: true });
    if (signal?.aborted === true) group.terminate();
  });
}

async function orSpawnFailed<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isShellError(error)) throw error;
    throw shellError("shell.spawn_failed", "the command could not be started", error);
  }
}

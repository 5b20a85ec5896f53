import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { cappedOutput } from "./capped-output.ts";
import { checkEnvironment } from "./command-environment.ts";
import { openOutputPipes } from "./output-pipe.ts";
import type { OutputPipe } from "./output-pipe.ts";
import { endAllGroups } from "./process-group.ts";
import { ended, howEnded, listenToEntry } from "./run-end.ts";
import { bashPath } from "./programs.ts";
import type { Launch, ProgramOptions, RunResult } from "./launch.ts";
import { isShellError, shellError } from "./shell-error.ts";

/** Longest command, in bytes of its UTF-8 form (design §7). */
export const MAX_COMMAND_BYTES = 65_536;
/** What is kept of each of stdout and stderr, in bytes, unless the caller says otherwise; keeps an answer below 2 MB (design §7). */
export const OUTPUT_CAP_BYTES = 65_536;

/** How much of a launcher's own complaint is kept for the operator. */
const MAX_CAUSE = 2_000;
/** Another server on the same working directory may change what a sandbox is made from; nothing has run then, so it is made again. */
const LAUNCH_ATTEMPTS = 5;
const LAUNCH_PAUSE_MS = 15;

/** One run of a command. */
export interface RunOptions extends ProgramOptions {
  readonly command: string;
  /** The command that was classified and decided; anything else is not executed. */
  readonly expected: string;
}

/**
 * Runs a command in bash, without its start-up files, in a process group of its own, with an empty stdin (reference/shell.md §12).
 * Resolves when the command itself exits, also while a background child holds its output; what is left of its group is killed then, so
 * that nothing survives the call. A timeout or a cancellation ends the group with SIGTERM, 500 ms later with SIGKILL.
 * @throws Error with a `shell.*` code when nothing was executed
 */
export async function runCommand(options: RunOptions): Promise<RunResult> {
  checkCommand(options);
  return await runProgram([bashPath(), "--noprofile", "--norc", "-c", options.command], options);
}

/**
 * Runs a program like a command, without any shell: the same environment, sandbox, limits and end.
 * @param argv starts with the program's absolute path
 * @throws Error with a `shell.*` code when nothing was executed
 */
export async function runProgram(argv: readonly [string, ...string[]], options: ProgramOptions): Promise<RunResult> {
  checkEnvironment(options.env);
  checkWorkdir(options.cwd);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchOnce(argv, options);
    } catch (error) {
      if (attempt === LAUNCH_ATTEMPTS || !isShellError(error) || error.code !== "shell.sandbox_failed") throw error;
      await setTimeout(LAUNCH_PAUSE_MS * attempt);
    }
  }
}

async function launchOnce(argv: readonly [string, ...string[]], options: ProgramOptions): Promise<RunResult> {
  const plain: Launch = { file: argv[0], args: argv.slice(1), env: options.env };
  const launch = await (options.launcher?.(argv, options) ?? plain);
  try {
    return await runLaunch(options, launch);
  } finally {
    launch.release?.();
  }
}

async function runLaunch(options: ProgramOptions, launch: Launch): Promise<RunResult> {
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

async function run(options: ProgramOptions, launch: Launch, { stdout, stderr }: Pipes): Promise<RunResult> {
  const cap = options.outputCapBytes ?? OUTPUT_CAP_BYTES;
  const out = cappedOutput(cap);
  const err = cappedOutput(cap);
  const startedAt = performance.now();
  options.beforeSpawn?.();
  const child = await orSpawnFailed(() => started(launch, { cwd: options.cwd, stdout: stdout.writeFd, stderr: stderr.writeFd }));
  stdout.closeWriteEnd();
  stderr.closeWriteEnd();
  stdout.onData(out.take);
  stderr.onData(err.take);
  const entry = listenToEntry(child, launch);
  const end = await ended(child, { ...options, launch });
  stdout.finish();
  stderr.finish();
  const said = await entry();
  if (!said.isReady && !end.was_ended) {
    throw shellError(
      "shell.sandbox_failed",
      "the sandbox could not be set up, nothing was executed",
      new Error(err.text().slice(0, MAX_CAUSE)),
    );
  }
  return {
    ...howEnded(end, said, launch),
    timed_out: end.timed_out,
    truncated: out.isTruncated() || err.isTruncated(),
    stdout: out.text(),
    stderr: err.text(),
    duration_ms: Math.round(performance.now() - startedAt),
  };
}

function started(launch: Launch, { cwd, stdout, stderr }: { cwd: string; stdout: number; stderr: number }): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const ready = launch.announces === true ? ["pipe" as const] : [];
    const stdio = ["ignore" as const, stdout, stderr, ...ready];
    const child = spawn(launch.file, launch.args, { cwd, env: { ...launch.env }, detached: true, stdio });
    child.once("spawn", () => resolve(child));
    child.once("error", reject);
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

import { AGENT_CHILD_VARIABLE } from "./call/agent-child.ts";
import { noteLine, runCli } from "./cli/run.ts";
import type { Io } from "./cli/command.ts";
import { declareAgentProcess } from "./govern/agent-process.ts";

/** Time in which the server and its commands must have ended after a signal (design §3: within 2 s). */
const STOP_LIMIT_MS = 1_900;

const FAILED = 1;

let stopping: AbortController | undefined;
let stopLimitMs = STOP_LIMIT_MS;

/** Listens for the signals that end the program; a second one ends it at once. */
function stopSignal(limitMs?: number): AbortSignal {
  stopLimitMs = limitMs ?? stopLimitMs;
  stopping ??= listenForStop();
  return stopping.signal;
}

function listenForStop(): AbortController {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(name, () => stop(controller));
  return controller;
}

function stop(controller: AbortController): void {
  if (controller.signal.aborted) return;
  controller.abort();
  setTimeout(() => process.exit(FAILED), stopLimitMs).unref();
}

/** Something escaped every handler: nothing can be trusted to be whole, so the program ends, and its commands with it. */
function crash(error: unknown): void {
  process.stderr.write(noteLine(`internal error: ${error instanceof Error ? error.message : String(error)}`));
  process.exitCode = FAILED;
  if (stopping === undefined) process.exit(FAILED);
  stop(stopping);
}

async function drained(stream: NodeJS.WriteStream): Promise<void> {
  await new Promise<void>((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}

process.on("uncaughtException", crash);
process.on("unhandledRejection", crash);
// A reader that went away is reported to whoever writes; here it only must not end the program unasked.
process.stdout.on("error", () => undefined);
process.stderr.on("error", () => undefined);

// Whatever its value: who unsets it is told by the processes above this one (agent-process.ts).
if (process.env[AGENT_CHILD_VARIABLE] !== undefined) declareAgentProcess();

const io: Io = {
  stdin: process.stdin,
  stdout: process.stdout,
  note: (line) => void process.stderr.write(noteLine(line)),
  stderr: (text) => void process.stderr.write(text),
  stopSignal,
};
const code = await runCli(process.argv.slice(2), io);
await Promise.all([drained(process.stdout), drained(process.stderr)]);
process.exit(process.exitCode === FAILED ? FAILED : code);

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Launch, ProgramOptions, RunResult } from "./launch.ts";
import { watchGroup } from "./process-group.ts";
import { READY_FD } from "./sandbox-entry.ts";

/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How often the processes of a command are counted, where the system has no limit for them. */
const WATCH_MS = 25;

/** Listens for the byte that says that the command itself began. */
export function readinessOf(child: ChildProcess, launch: Launch): () => boolean {
  if (launch.announces !== true) return () => true;
  let isReady = false;
  const pipe = child.stdio[READY_FD] as Readable;
  pipe
    .on("error", () => undefined)
    .once("data", () => {
      isReady = true;
      pipe.destroy();
    });
  return () => isReady || pipe.read() !== null;
}

/** How a program ended. */
export interface End extends Pick<RunResult, "exit_code" | "signal" | "timed_out"> {
  /** Whether somebody ended it: a timeout, a cancellation, a limit. */
  readonly was_ended: boolean;
}

/** Waits for the command's own end, not for that of its output. */
export function ended(child: ChildProcess, { timeoutMs, signal, launch }: ProgramOptions & { readonly launch: Launch }): Promise<End> {
  return new Promise((resolve) => {
    const pid = child.pid as number;
    let timedOut = false;
    let wasEnded = false;
    const finish = (code: number | null, name: string | null): void => {
      clearTimeout(timer);
      clearInterval(watch);
      signal?.removeEventListener("abort", end);
      group.kill();
      group.close();
      resolve({ ...(wasEnded ? asSignal(code, name) : { exit_code: code, signal: name }), timed_out: timedOut, was_ended: wasEnded });
    };
    const lost = (): void => {
      child.unref();
      finish(null, "SIGKILL");
    };
    const group = watchGroup(pid, { onLost: lost, terminate: launch.terminate });
    const end = (): void => {
      wasEnded = true;
      group.terminate();
    };
    const timer = setTimeout(
      () => {
        timedOut = true;
        end();
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    const watch = launch.isOverfull === undefined ? undefined : setInterval(() => killOverfull(pid), WATCH_MS);
    const killOverfull = (leader: number): void => {
      if (launch.isOverfull?.(leader) !== true) return;
      wasEnded = true;
      group.kill();
    };
    child.once("exit", finish);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted === true) end();
  });
}

/** How a wrapper reports that a signal ended what it wraps: 128 and the signal's number. */
function asSignal(code: number | null, name: string | null): Pick<RunResult, "exit_code" | "signal"> {
  const ended = { 143: "SIGTERM", 137: "SIGKILL" }[code ?? 0];
  return ended === undefined ? { exit_code: code, signal: name } : { exit_code: null, signal: ended };
}

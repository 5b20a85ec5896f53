import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { Launch, ProgramOptions, RunResult } from "./launch.ts";
import { watchGroup } from "./process-group.ts";
import { READY_FD } from "./sandbox-entry.ts";

/** How long what the entry said may take to arrive after the end. */
const ENTRY_WAIT_MS = 500;
const FIRST_SIGNAL = 128;
/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** How often the processes of a command are counted, where the system has no limit for them. */
const WATCH_MS = 25;

/** What the entry in front of a command says (sandbox-entry.ts). */
export interface Entry {
  /** Whether the command itself began. */
  readonly isReady: boolean;
  /** Whether it said that a signal ended the command. */
  readonly spokeOfSignal: boolean;
}

/**
 * Listens to the entry of a command, where there is one.
 * @returns what gives all that it said, to be called when the command is over
 */
export function listenToEntry(child: ChildProcess, launch: Launch): () => Promise<Entry> {
  if (launch.announces !== true) return () => Promise.resolve({ isReady: true, spokeOfSignal: false });
  let said = 0;
  const pipe = child.stdio[READY_FD] as Readable;
  const isClosed = new Promise<void>((resolve) => void pipe.once("close", resolve));
  pipe.on("error", () => undefined).on("data", (bytes: Buffer) => void (said += bytes.length));
  return async () => {
    await Promise.race([isClosed, setTimeout(ENTRY_WAIT_MS, undefined, { ref: false })]);
    pipe.destroy();
    // The first byte says that the command begins.
    return { isReady: said > 0, spokeOfSignal: said > 1 };
  };
}

type Ending = Pick<RunResult, "exit_code" | "signal">;

/** How a program, or what is around it, ended. */
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
      resolve({ exit_code: code, signal: name, timed_out: timedOut, was_ended: wasEnded });
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
    const timer = globalThis.setTimeout(
      () => {
        timedOut = true;
        end();
      },
      Math.min(timeoutMs, MAX_TIMER_MS),
    );
    const watch = launch.isOverfull === undefined ? undefined : setInterval(() => killOverfull(pid), WATCH_MS);
    const killOverfull = (leader: number): void => {
      if (!isTooMany(launch, leader)) return;
      wasEnded = true;
      group.kill();
    };
    child.once("exit", finish);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted === true) end();
  });
}

/** A command whose processes cannot be counted, for want of file descriptors for instance, has too many. */
function isTooMany({ isOverfull }: Launch, leader: number): boolean {
  try {
    return isOverfull?.(leader) === true;
  } catch {
    return true;
  }
}

/**
 * How the command ended, from how what is around it ended, which tells of a signal as 128 and its number, and whether the entry spoke of a
 * signal: what it does not speak of is an exit.
 */
export function howEnded({ exit_code: code, signal }: End, entry: Entry, launch: Launch): Ending {
  if (launch.reports !== true || code === null || code <= FIRST_SIGNAL) return { exit_code: code, signal };
  return entry.spokeOfSignal ? { exit_code: null, signal: signalName(code - FIRST_SIGNAL) } : { exit_code: code, signal };
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;
}

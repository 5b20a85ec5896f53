import { shellError } from "./shell-error.ts";

/** Places for commands that run at the same time. */
export interface CommandSlots {
  /**
   * Waits for a place, in the order of the calls.
   * @returns to be called once when the command is over
   * @throws Error `shell.cancelled` when the signal is aborted before a place is free
   */
  take(signal: AbortSignal | undefined): Promise<() => void>;
}

/** Makes a number of places. */
export function createCommandSlots(limit: number): CommandSlots {
  let free = limit;
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else {
      waiting.delete(next);
      next();
    }
  };
  const once = (): (() => void) => {
    let isTaken = true;
    return () => {
      if (isTaken) giveBack();
      isTaken = false;
    };
  };
  return {
    take(signal) {
      if (signal?.aborted === true) return Promise.reject(cancelled());
      if (free > 0) {
        free -= 1;
        return Promise.resolve(once());
      }
      return new Promise((resolve, reject) => {
        const start = (): void => {
          signal?.removeEventListener("abort", leave);
          resolve(once());
        };
        const leave = (): void => {
          waiting.delete(start);
          reject(cancelled());
        };
        waiting.add(start);
        signal?.addEventListener("abort", leave, { once: true });
      });
    },
  };
}

function cancelled(): Error {
  return shellError("shell.cancelled", "cancelled before it began");
}

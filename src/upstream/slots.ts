import type { Withdrawal } from "../call/withdrawal.ts";

/** Bounds how many calls run at the same time; those that wait are served in their order. */
export interface Slots {
  /**
   * Waits for a slot.
   * @returns what gives it back; undefined when the signal was aborted first: then nothing may be sent
   */
  take(signal: Withdrawal): Promise<(() => void) | undefined>;
}

/** Makes so many slots. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const once = (): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) release();
      isHeld = false;
    };
  };
  return {
    async take(signal) {
      if (signal.aborted) return undefined;
      if (free > 0) {
        free -= 1;
        return once();
      }
      return await new Promise((resolve) => {
        const grant = (): void => {
          signal.removeEventListener("abort", withdraw);
          resolve(once());
        };
        const withdraw = (): void => {
          const at = waiting.indexOf(grant);
          if (at !== -1) waiting.splice(at, 1);
          resolve(undefined);
        };
        waiting.push(grant);
        signal.addEventListener("abort", withdraw, { once: true });
      });
    },
  };
}

/** A place for one evaluation. */
export interface Turns {
  /**
   * Waits for a place, first come, first served.
   * @returns gives the place back; undefined when too many wait already
   * @throws the signal's reason when it is aborted before
   */
  enter(signal: AbortSignal | undefined): Promise<(() => void) | undefined>;
}

/** Makes the places: so many evaluations at once, and so many that wait. */
export function createTurns(running: number, waiting: number): Turns {
  let free = running;
  const queue: (() => void)[] = [];
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async enter(signal) {
      signal?.throwIfAborted();
      if (free > 0) free -= 1;
      else if (queue.length >= waiting) return undefined;
      else await placeIn(queue, signal);
      return once(leave);
    },
  };
}

function placeIn(queue: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const withdraw = (): void => {
      queue.splice(queue.indexOf(call), 1);
      reject(signal?.reason as Error);
    };
    const call = (): void => {
      signal?.removeEventListener("abort", withdraw);
      resolve();
    };
    queue.push(call);
    signal?.addEventListener("abort", withdraw, { once: true });
  });
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

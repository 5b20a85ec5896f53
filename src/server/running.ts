/** The handlers that are still at work, also after their call was answered. */
export interface Running {
  /** Counts one in; the returned function counts it out. */
  begin(): () => void;
  /** Resolves when none is left, or after `graceMs`. */
  idle(graceMs: number): Promise<void>;
}

/** Makes an empty count of running handlers. */
export function createRunning(): Running {
  let count = 0;
  let wake: () => void = () => undefined;
  return {
    begin() {
      count += 1;
      return () => {
        count -= 1;
        if (count === 0) wake();
      };
    },
    idle(graceMs) {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

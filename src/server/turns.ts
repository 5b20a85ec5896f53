/** Lets steps be taken one after the other, in the order in which they were asked for. */
export interface Turns {
  /**
   * Takes a step: at once when no other one is under way, so that what needs no waiting does not wait. The next step is taken when the promise
   * of this one has settled.
   */
  take<Result>(step: () => Result | Promise<Result>): Result | Promise<Result>;
}

/** Makes the turns of one session: they keep its calls in the order of their lines although some have to ask a store (design §5). */
export function createTurns(): Turns {
  let last: Promise<void> | undefined;
  const hold = (step: Promise<unknown>): void => {
    const held = settled(step).finally(() => {
      if (last === held) last = undefined;
    });
    last = held;
  };
  return {
    take(step) {
      const result = last === undefined ? step() : last.then(step);
      if (result instanceof Promise) hold(result);
      return result;
    },
  };
}

/** Goes on with a result at once when it is there already. */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? onward(value, next) : next(value);
}

async function onward<Value, Result>(value: Promise<Value>, next: (value: Value) => Result | Promise<Result>): Promise<Result> {
  return await next(await value);
}

/** How a step ended is told to whoever took it. */
async function settled(step: Promise<unknown>): Promise<void> {
  await Promise.allSettled([step]);
}

/** Something that is made after those that need it. */
export interface Late<Value> {
  /** Throws before it is there. */
  readonly get: () => Value;
  readonly bind: (value: Value) => void;
}

/** Makes the place for something that comes later. */
export function createLate<Value extends object>(): Late<Value> {
  let bound: Value | undefined;
  return {
    get() {
      if (bound === undefined) throw new Error("this part of the server is not bound yet");
      return bound;
    },
    bind(value) {
      bound = value;
    },
  };
}

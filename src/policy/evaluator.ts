import { createInstance, type PolicyImage, type PolicyInstance } from "./instance.ts";

/** Evaluates entrypoints of one policy, in this thread or in another. */
export interface Evaluator {
  /**
   * @param entrypoint id that the module gave the entrypoint
   * @param input JSON text of one object
   * @returns the result set as JSON text
   * @throws when the evaluation failed in any way; the next call is served by a fresh instance
   */
  readonly evaluate: (entrypoint: number, input: string) => string;
  /** Ends it; later evaluations throw. */
  readonly close: () => void;
}

/** An instance whose memory grew beyond this is replaced, because linear memory never shrinks. */
const HIGH_WATER_BYTES = 16 * 1024 * 1024;

/**
 * Evaluates in this thread. The instance is dropped after any throw, since instances break for good after repeated throws
 * (reference/opa-wasm.md §3), and made again from the compiled module when it is needed.
 * @param image what the instances are made of
 * @param first an instance to begin with
 */
export function inProcessEvaluator(image: PolicyImage, first?: PolicyInstance): Evaluator {
  let instance = first;
  let closed = false;
  return {
    evaluate: (entrypoint, input) => {
      if (closed) throw new Error("the engine is closed");
      const current = instance ?? createInstance(image);
      instance = undefined;
      const result = current.evaluate(entrypoint, input);
      if (current.memoryBytes() <= HIGH_WATER_BYTES) instance = current;
      return result;
    },
    close: () => {
      closed = true;
      instance = undefined;
    },
  };
}

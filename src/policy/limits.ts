/** Bounds of one policy input (design §2, Engine). Depth 30, strings of 100,000 characters and safe numbers are inside every bound. */
export const INPUT_LIMITS = Object.freeze({
  /** Objects and arrays inside each other. */
  depth: 64,
  /** UTF-8 bytes of what is sent to the policy. */
  bytes: 4 * 1024 * 1024,
  /** Values: scalars, objects and arrays together. */
  values: 100_000,
});

/** Pages of 64 KiB that a policy's memory may grow to: 128 MiB. A structured input takes about 20 times its size. */
export const MAX_MEMORY_PAGES = 2048;

/** Largest result of an evaluation, in UTF-16 units; what is longer is no decision. */
export const MAX_RESULT_LENGTH = 1024 * 1024;

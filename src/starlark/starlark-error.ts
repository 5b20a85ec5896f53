/**
 * An evaluation that came to no result: an error of the script, with its place, or a limit, in fixed words. The message may be read by
 * whoever wrote the script; what broke inside is in `cause`.
 */
export class StarlarkError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StarlarkError";
  }
}

/** What is said when a limit is hit or the engine fails (reference: starlark, limits); the step limit has the interpreter's own words. */
export const STARLARK_FAULTS = Object.freeze({
  source: "source is too large",
  nul: "source must not hold a NUL",
  nesting: "nesting is too deep",
  memory: "out of memory",
  time: "time limit exceeded",
  hostCalls: "too many host calls",
  hostRequest: "malformed host request",
  hostRequestSize: "host request is too large",
  hostReplySize: "host reply is too large",
  busy: "too many evaluations at once",
  nested: "nested evaluation is not allowed",
  engine: "the engine failed",
  closed: "the engine is closed",
});

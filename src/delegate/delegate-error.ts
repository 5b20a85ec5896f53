/** Stable codes of what goes wrong around a delegated call (reference: tool sessions, §8). */
export type DelegateErrorCode =
  | "session_invalid"
  | "session_missing"
  | "proof_invalid"
  | "fingerprint_mismatch"
  | "operation_conflict"
  | "stale_reject"
  | "in_progress"
  | "indeterminate"
  | "envelope_invalid"
  | "deliveries_exhausted"
  | "store_unavailable"
  | "busy"
  | "not_canonical"
  | "horizon_invalid";

/** A failure of delegated execution: a code, and a message that holds no value of an argument or a key. */
export class DelegateError extends Error {
  readonly code: DelegateErrorCode;

  constructor(code: DelegateErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DelegateError";
    this.code = code;
  }
}

/**
 * A stable trace is already bound to another authenticated identity (seed 002). Thrown by `writeSession` in both modes, and for nothing
 * else; the record and its lifetime are as before.
 */
export class ToolSessionConflict extends Error {
  constructor(message = "the trace is already bound to another authenticated identity") {
    super(message);
    this.name = "ToolSessionConflict";
  }
}

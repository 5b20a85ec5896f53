/** Codes of errors of the governed stores; callers switch on them (design §8). */
export type GovernErrorCode =
  /** A file of the store is not what this program writes: unreadable, not private, a link, foreign, or half-written. */
  | "govern.store_unreadable"
  /** The store could not be written; nothing was changed. */
  | "govern.store_unwritable"
  /** A shared store cannot be reached; whether the last step took place may not be known. */
  | "govern.store_unreachable"
  /** Another process holds the lock of the store. */
  | "govern.store_busy"
  /** A chain is broken or was cut. */
  | "govern.chain_broken"
  /** A chain that must exist does not. */
  | "govern.chain_missing"
  /** The process, or one above it, serves an agent: nothing is decided here. */
  | "govern.decision_forbidden"
  | "govern.key_invalid"
  | "govern.key_unknown"
  | "govern.key_revoked"
  | "govern.key_exists"
  /** The request, grant or session does not exist, or no longer waits. */
  | "govern.not_found"
  | "govern.already_decided"
  /** The requester's owner and the approver's are the same, or the approver is not among those named. */
  | "govern.not_allowed"
  | "govern.invalid";

/** An error of the governed stores: the message is one line for a human, without secrets. */
export interface GovernError extends Error {
  readonly code: GovernErrorCode;
}

/** Makes an error with a code. `message` is lower case prose without a final period; `cause` the error below, if there is one. */
export function governError(code: GovernErrorCode, message: string, cause?: unknown): GovernError {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}

/** Tells whether an error is one of the governed stores' own. */
export function isGovernError(error: unknown): error is GovernError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("govern.");
}

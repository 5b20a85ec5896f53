/** Codes of errors of the decision log; callers switch on them (design §10). */
export type AuditErrorCode =
  /** The event is not in the file whole; nothing may execute. */
  | "audit.unavailable"
  /** What had to be redacted could not be; the event is in the file without input and result, the call is refused. */
  | "audit.redaction_failed"
  /** Another process, or this one, already writes the log of this session. */
  | "audit.session_locked"
  /** The existing log of this session does not end in a whole, correctly hashed event. */
  | "audit.log_damaged"
  /** The session id cannot name a file. */
  | "audit.session_id_invalid";

/** An error of the decision log: `code` says what happened, `cause` keeps the original. */
export interface AuditError extends Error {
  readonly code: AuditErrorCode;
}

/** Makes an error with a code. `message` is lower case prose without a final period; `cause` the error below, if there is one. */
export function auditError(code: AuditErrorCode, message: string, cause?: unknown): AuditError {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });
}

/** Tells whether an error is one of the decision log's own. */
export function isAuditError(error: unknown): error is AuditError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("audit.");
}

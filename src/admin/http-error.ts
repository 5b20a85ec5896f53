import { isGovernError } from "../govern/govern-error.ts";
import type { GovernErrorCode } from "../govern/govern-error.ts";

/** Statuses that a route answers with when it does not do what was asked. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503;

/** An answer that is no success: the status and one line for a human, without secrets. */
export interface HttpError extends Error {
  readonly status: ErrorStatus;
  readonly code: string | undefined;
}

/** Makes an error that a route can throw. */
export function httpError(status: ErrorStatus, message: string, code?: string): HttpError {
  return Object.assign(new Error(message), { status, code });
}

const STATUS: Readonly<Record<GovernErrorCode, ErrorStatus>> = {
  "govern.store_unreadable": 503,
  "govern.store_unwritable": 503,
  "govern.store_unreachable": 503,
  "govern.store_busy": 503,
  "govern.chain_broken": 503,
  "govern.chain_missing": 404,
  "govern.decision_forbidden": 403,
  "govern.key_invalid": 401,
  "govern.key_unknown": 401,
  "govern.key_revoked": 401,
  "govern.key_exists": 409,
  "govern.not_found": 404,
  "govern.already_decided": 409,
  "govern.not_allowed": 403,
  "govern.invalid": 400,
};

/** Any error as the answer that it becomes; what is no error of ours says nothing about itself. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof Error && "status" in error && typeof error.status === "number") return error as HttpError;
  if (!isGovernError(error)) return httpError(500, "internal error", "admin.internal");
  const status = Object.hasOwn(STATUS, error.code) ? STATUS[error.code] : 500;
  return status === 401 ? httpError(401, "unauthorized") : httpError(status, error.message, error.code);
}

import type { JsonObject } from "../call/json.ts";
import type { FrontState } from "./front-state.ts";
import type { Identity } from "./identity.ts";
import type { ReplyBody } from "./reply.ts";

/** One call that passed every check and is claimed: what the worker hands to its corridor. */
export interface DelegatedCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** From the record, never from the message. */
  readonly identity: Identity;
  /** Whom the message claimed to come from; for audit only. */
  readonly claimed: { readonly user_id?: string; readonly platform?: string };
  /** Who was active in the front's session; absent where its agent had not read it. */
  readonly session?: FrontState;
  readonly traceId: string;
  readonly operationId: string;
}

/** How a call ended in the corridor. */
export interface DelegatedEnd extends ReplyBody {
  readonly status: "ok" | "error";
}

/** The texts that stand beside the error codes of replies; none holds anything of the message. */
export const MESSAGES = {
  session_missing: "no session record for this trace",
  session_invalid: "the session record cannot be read",
  proof_invalid: "the publisher's proof is missing, expired or not for this call",
  fingerprint_mismatch: "the fingerprint is not that of this call",
  operation_conflict: "the operation is bound to another call",
  stale_reject: "the catalogue has changed and the operation was never started (CATALOG_STALE)",
  in_progress: "the operation is being executed",
  indeterminate: "the call was begun and its outcome is unknown: it is not run again",
  envelope_invalid: "the message is not in order",
  deliveries_exhausted: "the call was handed out too often without being begun",
  unknown_tool: "the tools service has no such tool",
  failed: "the worker failed",
} as const;

/** Code of an error in a reply. */
export type ReplyErrorCode = keyof typeof MESSAGES;

/** The error of a reply. */
export function errorBody(code: ReplyErrorCode): ReplyBody {
  return { error: { code, message: MESSAGES[code] } };
}

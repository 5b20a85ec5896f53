/** One row of the frozen refusal table: text, and whether the same call may succeed later. */
interface RefusalRow {
  readonly text: string;
  readonly retryable: boolean;
  readonly resolve?: string;
}

/**
 * Every refusal that Regate itself speaks, by stable code. Texts of seed 003 are exact; `policy.denied` and
 * `identity.unconfirmed` may be replaced by the policy's own first reason (design §2).
 */
export const REFUSALS = Object.freeze({
  "agent.not_entitled": { text: "agent: tool is not entitled", retryable: false },
  "agent.dry_run_required": { text: "agent: destructive action requires dry_run=true", retryable: true, resolve: "dry_run" },
  "agent.engine_unbound": { text: "agent: security engine is not bound", retryable: false },
  "policy.no_decision": { text: "policy: no decision (empty result set)", retryable: false },
  "policy.malformed": { text: "policy: malformed decision document", retryable: false },
  "policy.default_deny": { text: "policy: deny by default (no allow decision)", retryable: false },
  "policy.non_boolean_allow": { text: "policy: non-boolean allow", retryable: false },
  "policy.denied": { text: "policy: deny by default (no allow decision)", retryable: false },
  "policy.error": { text: "policy: evaluation failed", retryable: false },
  "identity.unconfirmed": {
    text: "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched",
    retryable: true,
    resolve: "identity_read",
  },
  "call.arguments_invalid": { text: "call: arguments do not match the tool's schema", retryable: false },
  "call.too_large": { text: "call: arguments exceed the size limit", retryable: false },
  "call.timeout": { text: "call: the tool did not finish in time", retryable: true },
  "call.cancelled": { text: "call: cancelled by the client", retryable: true },
  "call.failed": { text: "call: the tool failed", retryable: false },
  "call.result_too_large": { text: "call: the tool's result is too large", retryable: false },
  "audit.unavailable": { text: "audit: the decision could not be recorded, nothing was executed", retryable: true },
  "gate.internal": { text: "gate: internal error, nothing was executed", retryable: false },
} as const satisfies Record<string, RefusalRow>);

/** Stable code of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

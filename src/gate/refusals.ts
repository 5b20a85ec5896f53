/** One row of the frozen refusal table: text, whether the same call may succeed later, and what would help. */
interface RefusalRow {
  readonly text: string;
  readonly retryable: boolean;
  readonly resolve?: string;
}

/**
 * Every refusal that Regate itself speaks, by stable code (design §5; docs/gate.md lists when each is given). Texts of seed 003 are
 * exact. The texts of `policy.denied`, `policy.default_deny` and `identity.unconfirmed` may be replaced by the policy's own reason
 * (design §2). `{id}` is the public id of a request. A row never changes its meaning and a code is never used again.
 */
export const REFUSALS = frozenRows({
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
  "confirm.pending": { text: "confirm: waiting for the human, nothing was executed", retryable: true, resolve: "confirm" },
  "confirm.blocked": { text: "confirm: blocked by policy, no confirmation can allow it", retryable: false },
  "confirm.no_channel": { text: "confirm: no way to ask the human, nothing was executed", retryable: false, resolve: "confirm" },
  "confirm.declined": { text: "confirm: declined by the human, nothing was executed", retryable: false },
  "confirm.cancelled": { text: "confirm: cancelled by the human, nothing was executed", retryable: true, resolve: "confirm" },
  "confirm.no_answer": { text: "confirm: no answer from the human, nothing was executed", retryable: true, resolve: "confirm" },
  "confirm.malformed": { text: "confirm: malformed answer, nothing was executed", retryable: true, resolve: "confirm" },
  "confirm.stale": {
    text: "confirm: the active profile changed while waiting, nothing was executed",
    retryable: true,
    resolve: "identity_read",
  },
  "confirm.state_invalid": {
    text: "confirm: the answer does not belong to this call or is no longer valid, nothing was executed",
    retryable: true,
    resolve: "confirm",
  },
  "approval.unavailable": {
    text: "approval: the policy asks for one and none can be requested here, nothing was executed",
    retryable: false,
  },
  "approval.pending": {
    text: "approval: a human has to decide request `{id}`, nothing was executed: repeat the same call after it was approved",
    retryable: true,
    resolve: "approval",
  },
  "approval.denied": {
    text: "approval: request `{id}` was denied by a human, nothing was executed: do not repeat the call",
    retryable: false,
  },
  "approval.expired": {
    text: "approval: request `{id}` expired, nothing was executed: repeat the call to ask again",
    retryable: true,
    resolve: "approval",
  },
  "approval.stale": {
    text: "approval: what would run is not what request `{id}` showed (a file, the directory, the profile or the policy changed), nothing was executed: repeat the call to ask again",
    retryable: true,
    resolve: "approval",
  },
  "approval.used": {
    text: "approval: request `{id}` was used by another call, nothing was executed: repeat the call to ask again",
    retryable: true,
    resolve: "approval",
  },
  "approval.indeterminate": {
    text: "approval: the call of request `{id}` began and its end is not known, nothing was executed now: look at what it did before you repeat it",
    retryable: true,
    resolve: "approval",
  },
  "approval.unbindable": {
    text: "approval: what would run is not fixed by the call (a pattern, a variable, a missing file or fetched text decides), nothing was executed: name existing files plainly",
    retryable: false,
  },
  "call.arguments_invalid": { text: "call: arguments do not match the tool's schema", retryable: false },
  "call.too_large": { text: "call: arguments exceed the size limit", retryable: false },
  "call.changed": { text: "call: arguments were changed after the decision, nothing was executed", retryable: false },
  "call.timeout": { text: "call: the tool did not finish in time", retryable: true },
  "call.cancelled": { text: "call: cancelled by the client", retryable: true },
  "call.stopped": { text: "call: ended by a human who stopped this session", retryable: false },
  "call.failed": { text: "call: the tool failed", retryable: false },
  "call.result_too_large": { text: "call: the tool's result is too large", retryable: false },
  "upstream.unavailable": { text: "upstream: the server is not available, nothing was sent", retryable: true },
  "upstream.outcome_unknown": {
    text: "upstream: the connection was lost after the call was sent, its outcome is unknown",
    retryable: false,
  },
  "upstream.timeout": { text: "upstream: no answer in time, the server was told to stop", retryable: true },
  "upstream.result_too_large": { text: "upstream: the result exceeds the size limit", retryable: false },
  "pin.changed": {
    text: "pin: the tool's definition has changed since it was pinned, nothing was sent: see `regate pins show`",
    retryable: false,
  },
  "pin.new": { text: "pin: the tool is not pinned yet, nothing was sent: see `regate pins show`", retryable: false },
  "pin.hidden_text": {
    text: "pin: the tool's definition holds hidden characters, nothing was sent: see `regate pins show`",
    retryable: false,
  },
  "pin.server_changed": {
    text: "pin: the server's command or address has changed since it was pinned, nothing was sent: see `regate pins show`",
    retryable: false,
  },
  "pin.unreadable": { text: "pin: the lock file cannot be read, nothing was sent: see `regate pins show`", retryable: false },
  "name.ambiguous": { text: "name: malformed or not unique, it is not served", retryable: false },
  "delegate.unavailable": { text: "delegate: the tools service cannot be reached, nothing was executed", retryable: true },
  "delegate.busy": { text: "delegate: the tools service is busy, nothing was executed", retryable: true },
  "delegate.session_missing": { text: "delegate: the call has no valid session record, nothing was executed", retryable: true },
  "delegate.session_conflict": { text: "delegate: the trace belongs to another identity, nothing was executed", retryable: false },
  "delegate.rejected": { text: "delegate: the tools service refused the message, nothing was executed", retryable: false },
  "delegate.indeterminate": { text: "delegate: the outcome is unknown, the call may have been executed", retryable: false },
  "store.unavailable": {
    text: "store: the state that several fronts share cannot be read or written, nothing was executed",
    retryable: true,
  },
  "audit.unavailable": { text: "audit: the decision could not be recorded, nothing was executed", retryable: true },
  "gate.stopped": { text: "gate: stopped, nothing was executed", retryable: false },
  "gate.closed": { text: "gate: closed, nothing was executed", retryable: false },
  "gate.internal": { text: "gate: internal error, nothing was executed", retryable: false },
} as const satisfies Record<string, RefusalRow>);

function frozenRows<Rows extends Record<string, RefusalRow>>(rows: Rows): Readonly<Rows> {
  for (const row of Object.values(rows)) Object.freeze(row);
  return Object.freeze(rows);
}

/** Stable code of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

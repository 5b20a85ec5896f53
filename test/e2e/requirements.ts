/** One promised sentence: where it stands, and what it says in one line. `from` names the issue that builds it. */
export interface Requirement {
  readonly source: "seed 000" | "seed 002" | "seed 003";
  readonly says: string;
}

/**
 * Every sentence that Regate promises, by id. `coverage.test.ts` proves that each id is cited by a test
 * (`[id]` in a test's name) and that no test cites an id that is not here.
 */
export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  "000-purpose": {
    source: "seed 000",
    says: "a filing must be tied to the correct taxpayer: Erika must not file while Erik is the active profile",
  },
  "000-read-first": {
    source: "seed 000",
    says: "an identity read has happened before the first state-changing call of a session, and again whenever the active profile could have changed",
  },
  "000-limit": {
    source: "seed 000",
    says: "it cannot verify that the agent chose the right taxpayer (only the human can, through the echo); what it enforces is that an identity read happened",
  },
  "000-pure": {
    source: "seed 000",
    says: "SDK-independent pure logic: a per-session state object and a decision function, tested without a transport",
  },
  "000-one-instance": {
    source: "seed 000",
    says: "the server owns one state per session and decides byte-identically on the direct path and the execute meta path",
  },
  "000-declared": {
    source: "seed 000",
    says: "mutability is read from the declared risk table, never from a name: a call is mutating when its classification is not read_only",
  },
  "000-switching": {
    source: "seed 000",
    says: "PROFILE_SWITCHING_COMMANDS: verbs that change which profile is active; executing one re-arms the gate",
  },
  "000-switching-closed": {
    source: "seed 000",
    says: "the closed set: switch, create-and-activate, enter a sandbox; editing or renaming the current profile does not re-arm",
  },
  "000-reads": {
    source: "seed 000",
    says: "IDENTITY_READ_COMMANDS: read verbs with command keys, matched on both the direct and the execute path",
  },
  "000-console": {
    source: "seed 000",
    says: "IDENTITY_READ_CONSOLE_TOOLS: console tools without a command key; the server records the read on dispatch; whoami is the primary one",
  },
  "000-harness": {
    source: "seed 000",
    says: "harness.load counts because it carries the active-identity block; a switch still re-arms the gate",
  },
  "000-state": {
    source: "seed 000",
    says: "identity_confirmed starts false (armed): the first mutating call is refused until an identity read; a switch re-arms it",
  },
  "000-state-shared": {
    source: "seed 000",
    says: "exactly one instance per built session, shared across the direct and execute paths",
  },
  "000-state-property": {
    source: "seed 000",
    says: "identity_confirmed: whether an identity read has occurred since session start or the last switch",
  },
  "000-state-record": {
    source: "seed 000",
    says: "record_identity_read marks that an identity read has occurred this session",
  },
  "000-state-rearm": {
    source: "seed 000",
    says: "rearm re-arms the gate after a profile change; the next mutation must confirm again",
  },
  "000-refusal": {
    source: "seed 000",
    says: "identity_gate_refusal returns a localized refusal for an unconfirmed first mutating call, else none",
  },
  "000-order-switch": {
    source: "seed 000",
    says: "a profile-switching verb re-arms state and is allowed; it is never itself blocked",
  },
  "000-order-read": {
    source: "seed 000",
    says: "an identity-read verb records the read on state and is allowed, whatever its declared mutability",
  },
  "000-order-read-only": {
    source: "seed 000",
    says: "any other read-only call is allowed and leaves the state untouched",
  },
  "000-order-mutating": {
    source: "seed 000",
    says: "a mutating, non-switch call is refused unless an identity read has occurred since session start or the last switch",
  },
  "000-no-interpolation": {
    source: "seed 000",
    says: "the refusal carries no interpolation, so it is byte-identical on both call paths",
  },
  "000-echo": {
    source: "seed 000",
    says: "identity_elicitation_echo returns the localized identity echo prefixed to a confirmation",
  },
  "000-echo-label": {
    source: "seed 000",
    says: "the echo names the active profile's label, never the internal id, so that the human can catch a mismatch",
  },
  "000-echo-none": {
    source: "seed 000",
    says: "no active profile renders a neutral placeholder rather than an empty name",
  },
  "002-record": {
    source: "seed 002",
    says: "the real identity is written to a short-lived record keyed by the call's trace_id; identity and privileges are resolved from that record",
  },
  "002-conflict": {
    source: "seed 002",
    says: "ToolSessionConflict: a stable trace is already bound to a different authenticated identity",
  },
  "002-horizon": {
    source: "seed 002",
    says: "durable_tool_proof_ttl_seconds returns the validated shared horizon of ledger, session, publisher proof and abandoned reply lane",
  },
  "002-horizon-outlives": {
    source: "seed 002",
    says: "the horizon strictly outlives the outer turn checkpoint plus its final execution lease, and every source-stream redelivery",
  },
  "002-horizon-invalid": {
    source: "seed 002",
    says: "invalid or non-finite configuration is a startup error rather than a fallback to a shorter default",
  },
  "002-fingerprint": {
    source: "seed 002",
    says: "durable_tool_parent_fingerprint binds one durable parent-tool execution to its authenticated payload",
  },
  "002-fingerprint-transport": {
    source: "seed 002",
    says: "transport-only fields and the mutable catalog generation are excluded from the fingerprint",
  },
  "002-write": { source: "seed 002", says: "write_session persists the authenticated identity for trace_id, with ttl = 300" },
  "002-write-empty": { source: "seed 002", says: "write_session is a no-op when trace_id is empty" },
  "002-read": { source: "seed 002", says: "read_session returns the authenticated identity for trace_id, or none if absent" },
  "002-unknown-trace": { source: "seed 002", says: "a forged request that references an unknown trace_id is rejected (fail-closed)" },
  "002-untrusted-envelope": {
    source: "seed 002",
    says: "the request envelope carries a user_id, but the tools service must not trust it: a forged admin id must not escalate",
  },
  "002-forged-real-trace": {
    source: "seed 002",
    says: "a forged request that references a real trace_id only ever gets that legitimate user's identity",
  },
  "002-fail-closed-policy": {
    source: "seed 002",
    says: "the tools service resolves identity, and therefore privileges, from the record: without a subject nothing is allowed",
  },
  "002-proof": { source: "seed 002", says: "the publisher proof is verified by the tools service and expires with the shared horizon" },
  "002-republish": {
    source: "seed 002",
    says: "a recovered outer checkpoint can ask the tools service to re-publish the cached terminal result onto a fresh process reply lane",
  },
  "002-require-existing": {
    source: "seed 002",
    says: "stale new work is rejected separately by the service's require_existing claim rule",
  },
  "002-recovery": {
    source: "seed 002",
    says: "delegated execution is durable: the parent ledger keeps a terminal result, and what was begun is not begun again",
  },
  "002-shared": {
    source: "seed 002",
    says: "inference and the tools service share the fingerprint helper, so that the reply reader can reject a crossed or forged result before it resolves a live waiter",
  },
  "002-service": {
    source: "seed 002",
    says: "the dedicated tools service runs the dangerous tools: those that execute what an agent writes or reach outside",
  },
  "002-privileges": {
    source: "seed 002",
    says: "authority is keyed off the recorded user_id: a privilege that the subject lacks is not granted",
  },
  "002-acl": {
    source: "seed 002",
    says: "defense in depth: a Redis ACL restricts XADD to the call stream to those who process authenticated messages",
  },
  "003-claim-session": {
    source: "seed 003",
    says: "the process creates one session id, mcp-<unix nanos>, registers it, and puts it on input.agent.session_id",
  },
  "003-claim-agent": { source: "seed 003", says: "the agent id comes from --agent-id or ADSSH_AGENT_ID" },
  "003-claim-default": { source: "seed 003", says: "when neither is set, the id is mcp-<pid>" },
  "003-claim-arguments": { source: "seed 003", says: "tool arguments named agent_id or session_id are command arguments" },
  "003-claim-fixed": { source: "seed 003", says: "they do not replace the process claim" },
  "003-claim-example": { source: "seed 003", says: "agent-session shows a policy that requires both bound fields" },
  "003-list-source": { source: "seed 003", says: "ADSSH_AGENT_TOOLS_FILE or --agent-tools-file loads one tool name per line" },
  "003-list-comments": { source: "seed 003", says: "# comments are skipped" },
  "003-list-flag-wins": { source: "seed 003", says: "the flag overrides the environment" },
  "003-list-empty-flag": { source: "seed 003", says: "an empty flag value means the allowlist is not configured" },
  "003-list-unset": { source: "seed 003", says: "unset means policy is the only tool gate" },
  "003-list-configured": { source: "seed 003", says: "a configured file, including an empty file, is an allowlist" },
  "003-list-empty": { source: "seed 003", says: "an empty allowlist denies every tool with agent: tool is not entitled" },
  "003-list-fails-closed": {
    source: "seed 003",
    says: "a missing file, a non-regular file, a file larger than 64 KiB, or a bad name fails closed at startup with exit code 2, before the engine is constructed",
  },
  "003-bundle-tools": {
    source: "seed 003",
    says: "the ai-agent bundle lists eval_starlark, run_shell, list_sessions, cloud_query, and audit_log",
  },
  "003-bundle-absent": { source: "seed 003", says: "admin_* and identity_* are absent, so that bundle denies them" },
  "003-order": {
    source: "seed 003",
    says: "each tool runs entitlement, then the destructive dry-run check, then policy, then the handler",
  },
  "003-dry-run-switch": {
    source: "seed 003",
    says: "--require-agent-dry-run or ADSSH_AGENT_REQUIRE_DRY_RUN=true (only the exact fold of true, plus the flag) requires dry_run=true before a destructive run_shell call",
  },
  "003-dry-run-error": { source: "seed 003", says: "the error is agent: destructive action requires dry_run=true" },
  "003-dry-run-no-effect": { source: "seed 003", says: "the dry-run path does not execute the command" },
  "003-order-entitlement-first": {
    source: "seed 003",
    says: "entitlement is checked first, so an unentitled destructive call returns the entitlement error",
  },
  "003-destructive": {
    source: "seed 003",
    says: "destructive classification for run_shell matches fragments such as rm, delete, destroy, terminate, kubectl delete, …",
  },
  "003-risk": { source: "seed 003", says: "admin_list_*, admin_explain, and identity_status are read; identity_device_login is mutable" },
  "003-four-eyes": { source: "seed 003", says: "there is no approve or deny tool: an agent must not decide a four-eyes request" },
  "003-decisions-forbidden": {
    source: "seed 003",
    says: "every four-eyes decision is forbidden in the process, so that approve through run_shell or eval_starlark fails too",
  },
  "003-human-approves": { source: "seed 003", says: "a human approves in the shell or with a named key on admin serve" },
  "003-engine-unbound": { source: "seed 003", says: "a missing security engine returns agent: security engine is not bound" },
  "003-governed-registered": { source: "seed 003", says: "the governed tools are registered; they still pass the gate" },
  "003-governed-denied": {
    source: "seed 003",
    says: "admin_* and identity_* are absent from the ai-agent bundle, so that bundle denies them",
  },
  "003-admin-sessions": { source: "seed 003", says: "admin_list_sessions: sessions in this process" },
  "003-admin-approvals": { source: "seed 003", says: "admin_list_approvals: public request ids; the approval token is omitted" },
  "003-admin-recordings": { source: "seed 003", says: "admin_list_recordings: regular JSONL recordings" },
  "003-admin-elevations": {
    source: "seed 003",
    says: "admin_list_elevations: chain lines plus active grants; a missing chain fails closed",
  },
  "003-admin-leases": { source: "seed 003", says: "admin_list_leases: lease metadata; command text and secret values are omitted" },
  "003-admin-explain": { source: "seed 003", says: "admin_explain: a denial explanation" },
  "003-explain-words": { source: "seed 003", says: "the command is split on whitespace and is not executed" },
  "003-identity-status": { source: "seed 003", says: "identity_status: session_id, user, and principals; no token and no elevation" },
  "003-login-result": {
    source: "seed 003",
    says: "identity_device_login: the result is token_file and fingerprint; the bearer is not printed",
  },
  "003-login-stores": { source: "seed 003", says: "it stores an opaque bearer in a mode 0600 file" },
  "003-login-user": { source: "seed 003", says: "it sets the session user with no groups; it is not an OIDC group import" },
  "003-login-server": { source: "seed 003", says: "the authorization server stays outside: no argument names one" },
  "003-login-duration": { source: "seed 003", says: "a bad duration returns device_login_failed and does not dial" },
  "003-no-decide-tool": { source: "seed 003", says: "there is no approve or deny tool; an agent must not decide a four-eyes request" },
  "003-no-token": { source: "seed 003", says: "neither admin_list_approvals nor GET /v1/approvals returns the stored token" },
  "003-no-provision": { source: "seed 003", says: "none of these tools provisions a machine, enrolls it, or hands out a lease" },
};

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
  "003-engine-unbound": { source: "seed 003", says: "a missing security engine returns agent: security engine is not bound" },
};

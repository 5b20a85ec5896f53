import { agentIdProblem } from "./agent-id.ts";
import { GOVERN_SETTINGS } from "./govern-settings.ts";
import { HTTP_SETTINGS } from "./http-settings.ts";
import { DELEGATE_SETTINGS } from "./delegate-settings.ts";
import { SANDBOX_SETTINGS } from "./sandbox-settings.ts";
import type { Setting } from "./setting.ts";
import { SHARED_SETTINGS } from "./shared-settings.ts";
import { STARLARK_SETTINGS } from "./starlark-settings.ts";
import { TOKEN_SETTINGS } from "./token-settings.ts";
import { TOOL_SETTINGS } from "./tool-settings.ts";

const MAX_DEADLINE_MS = 600_000;
const MAX_COUNT = 999_999_999;

/** A locale such as `de`, `de-AT` or `de_AT.UTF-8`; whether there are texts in its language is another matter. */
const LOCALE = /^[A-Za-z]{2,8}(?:[-_.@][A-Za-z0-9]{1,8}){0,8}$/;

const MAX_CONFIRM_TIMEOUT_MS = 3_600_000;
const MAX_APPROVAL_WAIT_S = 3_600;

function deadlineProblem(value: string): string | undefined {
  return wholeNumberProblem(value, MAX_DEADLINE_MS);
}

function confirmTimeoutProblem(value: string): string | undefined {
  return wholeNumberProblem(value, MAX_CONFIRM_TIMEOUT_MS);
}

function approvalWaitProblem(value: string): string | undefined {
  return value === "0" || wholeNumberProblem(value, MAX_APPROVAL_WAIT_S) === undefined
    ? undefined
    : `must be a whole number from 0 to ${MAX_APPROVAL_WAIT_S}`;
}

function wholeNumberProblem(value: string, max: number): string | undefined {
  const number = /^[1-9][0-9]{0,8}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= max ? undefined : `must be a whole number from 1 to ${max}`;
}

function digestProblem(value: string): string | undefined {
  return /^sha256:[0-9a-f]{64}$/.test(value) ? undefined : "must be `sha256:` and 64 lower-case hex digits";
}

function countProblem(value: string): string | undefined {
  return wholeNumberProblem(value, MAX_COUNT);
}

/** `--config`: the only setting that the configuration file cannot hold. */
export const CONFIG_SETTING: Setting = {
  name: "config",
  kind: "text",
  env: ["REGATE_CONFIG"],
  placeholder: "FILE",
  describe: "configuration file (JSON; keys are the names of these flags)",
};

/** Every setting of Regate that can come from a flag, the environment or the configuration file (design §3). */
export const SETTINGS = {
  bundle: {
    name: "bundle",
    kind: "text",
    env: ["REGATE_BUNDLE"],
    placeholder: "NAME|PATH",
    describe:
      "policy bundle: a packaged name, a folder with policy.wasm, data.json and manifest.json, or an OPA bundle .tar.gz (default: `default`)",
  },
  bundleDigest: {
    name: "bundle-digest",
    kind: "text",
    env: ["REGATE_BUNDLE_DIGEST"],
    placeholder: "DIGEST",
    describe: "digest that the bundle must have, as the start line shows it (default: any)",
    problem: digestProblem,
  },
  policyDialect: {
    name: "policy-dialect",
    kind: "text",
    env: ["REGATE_POLICY_DIALECT"],
    placeholder: "DIALECT",
    choices: ["regate", "opa-allow", "decision"],
    describe: "form of the policy's answers: Regate's own, {allow, deny_reason} alone, or {decision, reason} (default: regate)",
  },
  workdir: {
    name: "workdir",
    kind: "text",
    env: ["REGATE_WORKDIR"],
    placeholder: "DIR",
    describe: "working directory of commands (default: the current directory)",
  },
  stateDir: {
    name: "state-dir",
    kind: "text",
    env: ["REGATE_STATE_DIR"],
    placeholder: "DIR",
    describe:
      "where decision log, keys on record and the stores of human decisions are kept (default: $XDG_STATE_HOME/regate, else ~/.local/state/regate)",
  },
  agentId: {
    name: "agent-id",
    kind: "text",
    env: ["REGATE_AGENT_ID", "ADSSH_AGENT_ID"],
    placeholder: "ID",
    describe: "agent id of the process claim (default: mcp-<pid>)",
    problem: agentIdProblem,
  },
  agentToolsFile: {
    name: "agent-tools-file",
    kind: "text",
    env: ["REGATE_AGENT_TOOLS_FILE", "ADSSH_AGENT_TOOLS_FILE"],
    placeholder: "FILE",
    describe: "allowlist, one tool name a line; an empty value means that no allowlist is configured (default: none)",
    emptyFlag: true,
  },
  requireAgentDryRun: {
    name: "require-agent-dry-run",
    kind: "switch",
    env: ["REGATE_AGENT_REQUIRE_DRY_RUN", "ADSSH_AGENT_REQUIRE_DRY_RUN"],
    describe: "a destructive run_shell needs dry_run=true",
  },
  contextFile: {
    name: "context-file",
    kind: "text",
    env: ["REGATE_CONTEXT_FILE"],
    placeholder: "FILE",
    describe: "JSON object that the policy sees as input.context",
  },
  destructiveMatch: {
    name: "destructive-match",
    kind: "text",
    env: ["REGATE_DESTRUCTIVE_MATCH"],
    placeholder: "HOW",
    choices: ["words", "text"],
    describe:
      "how fragments such as `rm` and `git push --force` are matched: on dequoted words of the parsed command, or also on its raw text (default: words)",
  },
  shellTables: {
    name: "shell-tables",
    kind: "text",
    env: ["REGATE_SHELL_TABLES"],
    placeholder: "FILE",
    describe: "additions to what the classifier of commands knows, as JSON (default: none)",
  },
  policyDeadlineMs: {
    name: "policy-deadline-ms",
    kind: "number",
    env: ["REGATE_POLICY_DEADLINE_MS"],
    placeholder: "MS",
    describe:
      "time limit of one policy evaluation, which then runs in a worker thread (default: none in decide and for the bundles that Regate ships, else 1000)",
    problem: deadlineProblem,
  },
  confirmTimeoutMs: {
    name: "confirm-timeout-ms",
    kind: "number",
    env: ["REGATE_CONFIRM_TIMEOUT_MS"],
    placeholder: "MS",
    describe: "how long a human has to confirm a call (default: 120000)",
    problem: confirmTimeoutProblem,
  },
  approvalWait: {
    name: "approval-wait",
    kind: "number",
    env: ["REGATE_APPROVAL_WAIT"],
    placeholder: "SECONDS",
    describe: "how long a call that needs an approval waits for it; at most 45 when the client takes no progress (default: 0, not at all)",
    problem: approvalWaitProblem,
  },
  profilesFile: {
    name: "profiles-file",
    kind: "text",
    env: ["REGATE_PROFILES_FILE"],
    placeholder: "FILE",
    describe: "profiles and the variables that commands get under them, as JSON (default: none)",
  },
  locale: {
    name: "locale",
    kind: "text",
    env: ["REGATE_LOCALE"],
    placeholder: "LOCALE",
    describe: "language of what humans and agents are told: en, es, ca or de; English for every other (default: en)",
    problem: (value) => (LOCALE.test(value) ? undefined : "must be a locale such as `de` or `es-MX`"),
  },
  identityRequireProfile: {
    name: "identity-require-profile",
    kind: "switch",
    env: ["REGATE_IDENTITY_REQUIRE_PROFILE"],
    describe: "an identity read confirms nothing while no profile is active",
  },
  identityBindProfile: {
    name: "identity-bind-profile",
    kind: "switch",
    env: ["REGATE_IDENTITY_BIND_PROFILE"],
    describe: "a confirmed identity holds only while the active profile has the label that was read",
  },
  identityMaxAgeSeconds: {
    name: "identity-max-age-seconds",
    kind: "number",
    env: ["REGATE_IDENTITY_MAX_AGE_SECONDS"],
    placeholder: "SECONDS",
    describe: "a confirmed identity holds for so long (default: until the profile is switched)",
    problem: countProblem,
  },
  identityMaxMutations: {
    name: "identity-max-mutations",
    kind: "number",
    env: ["REGATE_IDENTITY_MAX_MUTATIONS"],
    placeholder: "CALLS",
    describe: "a confirmed identity holds for so many calls that may change something (default: until the profile is switched)",
    problem: countProblem,
  },
  ...GOVERN_SETTINGS,
  ...HTTP_SETTINGS,
  ...DELEGATE_SETTINGS,
  ...SHARED_SETTINGS,
  ...TOKEN_SETTINGS,
  ...TOOL_SETTINGS,
  ...STARLARK_SETTINGS,
  ...SANDBOX_SETTINGS,
} as const satisfies Record<string, Setting>;

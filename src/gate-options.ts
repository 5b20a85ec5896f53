import { isJsonObject } from "./call/json.ts";
import type { JsonObject } from "./call/json.ts";
import { RISK_FLAGS } from "./call/risk-table.ts";
import type { RiskRows } from "./call/risk-table.ts";
import { agentIdProblem } from "./config/agent-id.ts";
import type { Engine } from "./policy/engine.ts";
import type { Confirm } from "./server/confirm.ts";
import { identityRulesProblem } from "./session/identity-rules-problem.ts";
import type { SessionIdentityState } from "./session/identity-state.ts";
import type { IdentityRules } from "./session/identity-watch.ts";

/** What a gate is made of (design §13). Everything has a default; an unknown option is an error, because a misspelt one would be none. */
export interface GateOptions {
  /** Packaged name, folder, OPA bundle tar.gz or its bytes; `default` when neither this nor `engine` is given. */
  readonly bundle?: string | Uint8Array;
  /** An engine of your own making; you close it. */
  readonly engine?: Engine;
  /** Milliseconds that one evaluation of `bundle` may take; it then runs in a worker thread. Without it a policy that loops blocks the agent. */
  readonly policyDeadlineMs?: number;
  /** `mcp-<pid>` unless given. */
  readonly agentId?: string;
  /** Names that the agent is entitled to. Absent: policy is the only tool gate. Empty: no tool at all. */
  readonly allowlist?: Iterable<string>;
  /** A destructive run_shell must be tried with `dry_run: true` first. */
  readonly requireDryRun?: boolean;
  /** Additions to what the classifier of run_shell knows: the text of a shell tables file (docs/shell-classification.md). */
  readonly shellTables?: string;
  /** Where the decision log is written; the state directory of the command line unless given. There is no gate without a log. */
  readonly stateDir?: string;
  /** Declared risk of your own tools by wire name; a tool that nobody declares counts as mutating. */
  readonly risk?: RiskRows;
  /** Asks the human when policy wants it; without it such calls are refused. */
  readonly confirm?: Confirm;
  /** Milliseconds that a human has; two minutes unless given. */
  readonly confirmTimeoutMs?: number;
  /** Tells policy what it cannot know (`input.context`). */
  readonly context?: JsonObject;
  /** Label of the active profile, asked for each call. */
  readonly activeProfile?: () => string | null;
  /** The session's identity state, when it is shared with other parts of the agent. */
  readonly identity?: SessionIdentityState;
  /** Hardening of the identity gate beyond the seed; all off unless given. */
  readonly identityRules?: IdentityRules;
  /** Language of what humans and agents are told: `en`, `es`, `ca` or `de`; English for every other. */
  readonly locale?: string;
  readonly now?: () => Date;
  /** Told of what went wrong inside; answers carry fixed texts only. */
  readonly onError?: (problem: unknown) => void;
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof GateOptions>([
  "bundle",
  "engine",
  "policyDeadlineMs",
  "agentId",
  "allowlist",
  "requireDryRun",
  "shellTables",
  "stateDir",
  "risk",
  "confirm",
  "confirmTimeoutMs",
  "context",
  "activeProfile",
  "identity",
  "identityRules",
  "locale",
  "now",
  "onError",
]);

/**
 * Says what is wrong with the options of createGate: an unknown name, a wrong type, a value out of bounds.
 * @throws TypeError on the first of them
 */
export function checkOptions(options: GateOptions): void {
  if (typeof options !== "object" || options === null) throw new TypeError("the options of createGate must be an object");
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.has(name));
  if (unknown !== undefined) throw new TypeError(`\`${unknown}\` is not an option of createGate`);
  const { bundle, engine, agentId, allowlist, requireDryRun = false, stateDir } = options;
  if (bundle !== undefined && engine !== undefined) throw new TypeError("give `bundle` or `engine`, not both");
  const problem = agentId === undefined ? undefined : agentIdProblem(agentId);
  if (problem !== undefined) throw new TypeError(`\`agentId\` ${problem}`);
  if (typeof allowlist === "string") throw new TypeError("`allowlist` must be a list of tool names");
  checkRisk(options.risk ?? {});
  for (const name of ["confirm", "activeProfile", "now", "onError"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function") throw new TypeError(`\`${name}\` must be a function`);
  }
  for (const name of ["policyDeadlineMs", "confirmTimeoutMs"] as const) {
    const value = options[name] ?? 1;
    if (!(Number.isFinite(value) && value > 0)) throw new TypeError(`\`${name}\` must be a number of milliseconds above zero`);
  }
  const rules = identityRulesProblem(options.identityRules ?? {});
  if (rules !== undefined) throw new TypeError(`\`identityRules\` ${rules}`);
  if (typeof (options.locale ?? "") !== "string") throw new TypeError("`locale` must be a text such as `de`");
  if (typeof requireDryRun !== "boolean") throw new TypeError("`requireDryRun` must be a boolean");
  if (options.shellTables !== undefined && typeof options.shellTables !== "string") throw new TypeError("`shellTables` must be a text");
  if (stateDir === "") throw new TypeError("`stateDir` must not be empty");
}

function checkRisk(risk: RiskRows): void {
  if (!isJsonObject(risk)) throw new TypeError("`risk` must be an object of rows by tool");
  for (const [tool, row] of Object.entries(risk)) {
    if (!isJsonObject(row)) throw new TypeError(`\`risk\`: the row of \`${tool}\` must be an object`);
    const unknown = Object.keys(row).find((flag) => !RISK_FLAGS.has(flag));
    if (unknown !== undefined) throw new TypeError(`\`risk\`: \`${unknown}\` of \`${tool}\` is not a flag`);
  }
}

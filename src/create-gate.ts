import { join, resolve } from "node:path";
import { auditError, isAuditError } from "./audit/errors.ts";
import type { DecisionLog } from "./audit/log.ts";
import { openDecisionLog } from "./audit/decision-log.ts";
import { frozenCopy } from "./call/frozen-copy.ts";
import { isJsonObject } from "./call/json.ts";
import type { JsonObject } from "./call/json.ts";
import { quietly } from "./call/quietly.ts";
import { RISK_FLAGS } from "./call/risk-table.ts";
import type { RiskRows } from "./call/risk-table.ts";
import { regateVersion } from "./config/version.ts";
import { agentIdProblem } from "./config/agent-id.ts";
import { surroundings } from "./config/sources.ts";
import { defaultStateDir } from "./config/state-dir.ts";
import { TOOL_NAME } from "./config/tools-file.ts";
import { openAuthorities } from "./govern/authorities.ts";
import type { Authorities } from "./govern/authorities.ts";
import type { Engine } from "./policy/engine.ts";
import { loadEngine } from "./policy/load.ts";
import type { LoadOptions } from "./policy/load.ts";
import type { Confirm } from "./server/confirm.ts";
import { createCorridor } from "./server/corridor.ts";
import type { Gate } from "./server/embed.ts";
import { openGate } from "./server/embed.ts";
import { withCause } from "./server/problem.ts";
import { declaredFacts } from "./server/facts.ts";
import { makeClaim } from "./session/claim.ts";
import { identityRulesProblem } from "./session/identity-rules-problem.ts";
import type { SessionIdentityState } from "./session/identity-state.ts";
import type { IdentityRules } from "./session/identity-watch.ts";
import { osUser } from "./session/os-user.ts";
import type { Claim } from "./session/session.ts";
import { analyseCommand } from "./shell/analyse.ts";
import { loadShellTables } from "./shell/extend.ts";
import type { ShellTables } from "./shell/tables/build.ts";
import { createRegistry } from "./tools/registry.ts";

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
 * Makes a gate for an agent that runs in this process (design §13). Everything that can be wrong is found here: a bundle that does not
 * verify, a decision log that cannot be opened, an option that does not exist.
 * @throws TypeError on a bad option; BundleError on a bundle that is not admitted; an error with an `audit.*` code when there is no log
 */
export async function createGate(options: GateOptions = {}): Promise<Gate> {
  checkOptions(options);
  const { agentId, engine: given } = options;
  const claim = makeClaim(agentId === undefined ? {} : { agentId });
  const engine = given ?? (await loadEngine(options.bundle ?? "default", engineOptions(options)));
  const release = (): void => {
    if (given === undefined) engine.close();
  };
  try {
    return openGate(corridorOf(options, { claim, engine }), claim, release);
  } catch (error) {
    release();
    throw error;
  }
}

function engineOptions({ policyDeadlineMs, onError }: GateOptions): LoadOptions {
  return {
    ...(policyDeadlineMs === undefined ? {} : { deadlineMs: policyDeadlineMs }),
    ...(onError === undefined ? {} : { onFault: onError }),
  };
}

function corridorOf(options: GateOptions, { claim, engine }: { claim: Claim; engine: Engine }): ReturnType<typeof createCorridor> {
  const { allowlist, requireDryRun = false, risk, confirm, confirmTimeoutMs, activeProfile, now, onError } = options;
  const { identity, identityRules, locale } = options;
  const tables = tablesOf(options);
  const corridor = createCorridor({
    claim,
    ...osUser(),
    engine,
    log: logOf(options, claim),
    authorities: authoritiesOf(options, claim),
    registry: createRegistry([]),
    factsOf: declaredFacts(engine, risk),
    // Where a handler runs the command is unknown here: without the sandbox of `serve` git's helpers are not harmless (trials C03).
    analyse: (command) => analyseCommand(command, { gitHelpers: "unverifiable", tables }),
    allowlist: allowlist === undefined ? undefined : namesOf(allowlist),
    requireDryRun,
    sandbox: "none",
    context: contextOf(options),
    confirm,
    confirmTimeoutMs,
    activeProfile,
    identity,
    identityRules,
    locale,
    now,
    report: onError,
  });
  corridor.setClient({ elicitation: confirm !== undefined });
  return corridor;
}

/** Stops and elevations of the state directory hold here, too; a lease is for run_shell of `serve`, and a handler of the agent gets none. */
function authoritiesOf({ stateDir, now = () => new Date(), onError = () => undefined }: GateOptions, claim: Claim): Authorities {
  const caller = { sessionId: claim.sessionId, agentId: claim.agentId };
  const tell = quietly(onError);
  const report = (problem: string): void => tell(new Error(problem));
  const opened = openAuthorities({ stateDir: stateDirOf(stateDir), caller, environment: {}, now, report });
  return { ...opened, leases: { active: () => [], environmentOf: () => ({}) } };
}

function stateDirOf(stateDir: string | undefined): string {
  const { env, home } = surroundings();
  return stateDir === undefined ? defaultStateDir(env, home) : resolve(stateDir);
}

function logOf({ stateDir, now = () => new Date() }: GateOptions, { sessionId }: Claim): DecisionLog {
  const directory = stateDirOf(stateDir);
  try {
    return openDecisionLog({
      stateDir: directory,
      sessionId,
      labels: { id: sessionId, version: regateVersion() },
      now: () => BigInt(now().getTime()) * 1_000_000n,
    });
  } catch (error) {
    if (!isAuditError(error)) throw error;
    throw auditError(error.code, `the decision log in \`${join(directory, "decisions")}\` cannot be opened: ${withCause(error)}`, error);
  }
}

function tablesOf({ shellTables }: GateOptions): ShellTables | undefined {
  if (shellTables === undefined) return undefined;
  try {
    return loadShellTables(shellTables);
  } catch (cause) {
    throw new TypeError(`\`shellTables\`: ${cause instanceof Error ? cause.message : "cannot be read"}`, { cause });
  }
}

function contextOf({ context }: GateOptions): Readonly<JsonObject> | undefined {
  if (context === undefined) return undefined;
  const copy = frozenCopy(context);
  if (!copy.ok) throw new TypeError("`context` must be a JSON object");
  return copy.value;
}

/** The same names as in an allowlist file: anything else would never match, or match what nobody meant. */
function namesOf(allowlist: Iterable<string>): ReadonlySet<string> {
  const names = new Set(allowlist);
  for (const name of names) {
    if (typeof name !== "string" || !TOOL_NAME.test(name)) throw new TypeError("`allowlist` holds something that is not a tool name");
  }
  return names;
}

function checkRisk(risk: RiskRows): void {
  if (!isJsonObject(risk)) throw new TypeError("`risk` must be an object of rows by tool");
  for (const [tool, row] of Object.entries(risk)) {
    if (!isJsonObject(row)) throw new TypeError(`\`risk\`: the row of \`${tool}\` must be an object`);
    const unknown = Object.keys(row).find((flag) => !RISK_FLAGS.has(flag));
    if (unknown !== undefined) throw new TypeError(`\`risk\`: \`${unknown}\` of \`${tool}\` is not a flag`);
  }
}

function checkOptions(options: GateOptions): void {
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

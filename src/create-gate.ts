import { join, resolve } from "node:path";
import { auditError, isAuditError } from "./audit/errors.ts";
import type { DecisionLog } from "./audit/log.ts";
import { openDecisionLog } from "./audit/decision-log.ts";
import { frozenCopy } from "./call/frozen-copy.ts";
import type { JsonObject } from "./call/json.ts";
import { quietly } from "./call/quietly.ts";
import { regateVersion } from "./config/version.ts";
import { surroundings } from "./config/sources.ts";
import { defaultStateDir } from "./config/state-dir.ts";
import { TOOL_NAME } from "./config/tools-file.ts";
import { checkOptions } from "./gate-options.ts";
import type { GateOptions } from "./gate-options.ts";
import { openAuthorities } from "./govern/authorities.ts";
import type { Authorities } from "./govern/authorities.ts";
import type { Engine } from "./policy/engine.ts";
import { loadEngine } from "./policy/load.ts";
import type { LoadOptions } from "./policy/load.ts";
import { createCorridor } from "./server/corridor.ts";
import type { Gate } from "./server/embed.ts";
import { openGate } from "./server/embed.ts";
import { withCause } from "./server/problem.ts";
import { declaredFacts } from "./server/facts.ts";
import { makeClaim } from "./session/claim.ts";
import { osUser } from "./session/os-user.ts";
import type { Claim } from "./session/session.ts";
import { analyseCommand } from "./shell/analyse.ts";
import { loadShellTables } from "./shell/extend.ts";
import type { ShellTables } from "./shell/tables/build.ts";
import { createRegistry } from "./tools/registry.ts";

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

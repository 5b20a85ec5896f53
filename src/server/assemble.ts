import { join } from "node:path";
import { decisionLogFile, openDecisionLog } from "../audit/decision-log.ts";
import type { DecisionLog } from "../audit/log.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import { declareAgentProcess } from "../govern/agent-process.ts";
import { openAuthorities } from "../govern/authorities.ts";
import { openRecording } from "../govern/recordings.ts";
import { makeClaim } from "../session/claim.ts";
import { osUser, type SessionUser } from "../session/os-user.ts";
import { isProfileError } from "../session/profile-error.ts";
import type { ProfileStore } from "../session/profile-store.ts";
import { createSessionRegistry, type SessionRegistry } from "../session/registry.ts";
import type { Claim } from "../session/session.ts";
import { analyseCommand } from "../shell/analyse.ts";
import { openStarlark, type StarlarkEngine } from "../starlark/engine.ts";
import { createRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { openApprovals, type Approvals } from "./approvals.ts";
import { createCommandBook } from "./commands.ts";
import { openConditions, type ConditionReader } from "./conditions.ts";
import { createCorridor, type OpenCorridor } from "./corridor.ts";
import { declaredFacts } from "./facts.ts";
import { governedOptions, governedTools } from "./governed-tools.ts";
import { createHumanLine, type HumanLine } from "./human-line.ts";
import { createLate } from "./late.ts";
import { openLateLog } from "./late-log.ts";
import { localTools } from "./local-tools.ts";
import { profileProblem, serverProfiles } from "./profile-store.ts";
import { createScriptCalls } from "./script-calls.ts";
import type { ServerOptions, SharedOptions } from "./server-options.ts";
import { sessionPublisher } from "./session-publisher.ts";
import { approvalStoreOf, sharedIdOf, sharedStateOf, stdioSharers, type Sharers } from "./sharing.ts";
import { serveStdio } from "./stdio.ts";
import { messageOf, withCause } from "./problem.ts";

/** A server that runs. */
export interface RunningServer {
  readonly claim: Claim;
  /** Resolves when the client or a stop has ended it, all commands are over and the log is closed. */
  readonly ended: Promise<void>;
}

function unixNanoseconds(): bigint {
  const ms = Date.now();
  if (ms !== moment.ms) moment = { ms, nanoseconds: BigInt(ms) * 1_000_000n };
  return moment.nanoseconds;
}

let moment = { ms: 0, nanoseconds: 0n };

/** What the clients of one process share; whatever belongs to one client is in its `ClientSession`. */
export interface ServerParts {
  readonly options: SharedOptions;
  readonly sessions: SessionRegistry;
  readonly factsOf: (tool: string) => ToolFacts;
  readonly profiles: ProfileStore;
  readonly starlark: StarlarkEngine;
  readonly conditions: ConditionReader;
}

/** What the gateway serves in place of local tools. */
export interface UpstreamTools {
  readonly factsOf: (tool: string) => ToolFacts;
}

/** Whose session it is, and who shares its state where fronts share. */
export interface ClientUser extends SessionUser {
  readonly sharers: Sharers;
}

/** One client's claim, and the corridor behind which its calls run. The corridor's end is the session's end. */
export interface ClientSession {
  readonly claim: Claim;
  readonly corridor: OpenCorridor;
  /** The way to the client's human, to be connected with its connection. */
  readonly human: HumanLine;
}

/** Makes what all clients share. From here on this process is an agent's: it can take no human decision. */
export function openParts(options: SharedOptions): ServerParts {
  const { engine, stateDir, note } = options;
  declareAgentProcess();
  return {
    options,
    sessions: createSessionRegistry(),
    factsOf: declaredFacts(engine),
    profiles: serverProfiles({ stateDir, declaredProfiles: options.declaredProfiles, note }),
    conditions: openConditions(options.bundle.path, engine),
    starlark: openStarlark({ limits: options.starlark, report: (problem) => note(`eval_starlark: ${messageOf(problem)}`) }),
  };
}

function openSessionLog({ stateDir, version, note }: SharedOptions, { sessionId }: Claim): DecisionLog {
  const labels = { id: sessionId, version };
  return openLateLog({
    open: () => openDecisionLog({ stateDir, sessionId, labels, now: unixNanoseconds }),
    report: (problem) =>
      note(`every call is refused until the decision log in \`${join(stateDir, "decisions")}\` can be opened: ${withCause(problem)}`),
  });
}

/**
 * Opens the session of one client: one claim, one log, one corridor (design §1, §3). Nothing is served that did not pass the corridor.
 * @param client who it is as policy sees the session's user, and who shares its state
 * @param upstream given by the gateway, which serves the tools of others in place of ours
 */
export function openClientSession(parts: ServerParts, client: ClientUser, upstream?: UpstreamTools): ClientSession {
  const { isAuthenticated, sharers, ...who } = client;
  const { options, sessions, factsOf: declared, profiles, starlark } = parts;
  const { engine, stateDir, note, confinement } = options;
  const claim = makeClaim(options);
  const log = openSessionLog(options, claim);
  const report = (problem: unknown): void => note(isProfileError(problem) ? profileProblem(problem) : messageOf(problem));
  const factsOf = upstream?.factsOf ?? declared;
  const commands = createCommandBook(declared);
  const scripts = createScriptCalls();
  const logFile = decisionLogFile(stateDir, claim.sessionId);
  const { environment } = options;
  const authorities = openAuthorities({ stateDir, caller: { ...claim }, environment, now: () => new Date(), report: note });
  const late = createLate<OpenCorridor>();
  const human = createHumanLine();
  const local = (): readonly Tool[] => [
    ...localTools({ ...options, leases: authorities.leases, sessions, logFile, profiles, commands, starlark, scripts }),
    ...governedTools(governedOptions(parts, { sessionId: claim.sessionId, isAuthenticated, notice: human.notice, corridor: late.get })),
  ];
  const tools = upstream === undefined ? local() : [];
  const registry = createRegistry(options.arrangeTools?.(tools, who) ?? tools);
  // A repository may name programs for git to run; only the sandbox keeps them harmless (trials C03).
  const gitHelpers = confinement.kind === "bwrap" ? "trusted" : "unverifiable";
  const corridor = createCorridor({
    ...who,
    claim,
    engine,
    log,
    sessions,
    publish: sessionPublisher({ stateDir, startedAt: new Date(), bundle: engine?.name ?? null, workdir: options.workdir }),
    recording: options.recordings ? openRecording({ stateDir, sessionId: claim.sessionId, now: () => new Date() }) : undefined,
    authorities,
    registry,
    factsOf,
    analyse: (command) => analyseCommand(command, { match: options.destructiveMatch, gitHelpers, tables: options.shellTables }),
    allowlist: options.allowlist,
    requireDryRun: options.requireDryRun,
    answersFirst: upstream !== undefined,
    sandbox: confinement.kind,
    workdir: options.workdir,
    context: options.context,
    profiles: () => profiles.active(),
    identity: options.identity,
    shared: sharedStateOf(options.sharing, sharers, options.identityRules),
    identityRules: options.identityRules,
    locale: options.locale,
    confirm: human.confirm,
    confirmTimeoutMs: options.confirmTimeoutMs,
    approvals: approvalsOf(options, { sharers, report }),
    report,
  });
  commands.use(registry);
  commands.bind(corridor);
  scripts.bind(corridor);
  late.bind(corridor);
  return { claim, corridor, human };
}

function approvalsOf(
  options: SharedOptions,
  { sharers, report }: { readonly sharers: Sharers; readonly report: (problem: unknown) => void },
): Approvals {
  const sharedId = sharedIdOf(options.sharing, sharers);
  return openApprovals({ store: approvalStoreOf(options), waitMs: options.approvalWaitMs, sharedId, report });
}

/** Starts a server with one client, over stdio. */
export function startServer(options: ServerOptions): RunningServer {
  const parts = openParts(options);
  const { claim, corridor, human } = openClientSession(parts, { ...osUser(), sharers: stdioSharers("serve", options.sharing) });
  const { stdin, stdout, stop, version, note } = options;
  const served = serveStdio({ corridor, human, stdin, stdout, stop, version, stderrLine: note });
  return { claim, ended: thenClose(served, parts) };
}

/** Waits for what is served, and then closes what the clients shared. */
export async function thenClose(served: Promise<void>, parts: Pick<ServerParts, "starlark" | "conditions">): Promise<void> {
  try {
    await served;
  } finally {
    await Promise.all([parts.starlark.close(), parts.conditions.close()]);
  }
}

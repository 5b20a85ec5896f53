import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { decisionLogFile, openDecisionLog } from "../audit/decision-log.ts";
import type { DecisionLog } from "../audit/log.ts";
import type { JsonObject } from "../call/json.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import type { Engine } from "../policy/engine.ts";
import { declareAgentProcess } from "../govern/agent-process.ts";
import { openApprovalFiles } from "../govern/approval-files.ts";
import { openAuthorities } from "../govern/authorities.ts";
import type { DeviceIssuer } from "../govern/device-login.ts";
import { openRecording } from "../govern/recordings.ts";
import { makeClaim } from "../session/claim.ts";
import type { SessionIdentityState } from "../session/identity-state.ts";
import type { IdentityRules } from "../session/identity-watch.ts";
import { osUser, type OsUser, type SessionUser } from "../session/os-user.ts";
import type { DeclaredProfile } from "../session/profile-changes.ts";
import { isProfileError } from "../session/profile-error.ts";
import type { ProfileStore } from "../session/profile-store.ts";
import { createSessionRegistry, type SessionRegistry } from "../session/registry.ts";
import type { Claim } from "../session/session.ts";
import { analyseCommand } from "../shell/analyse.ts";
import type { Confinement } from "../shell/confinement.ts";
import type { ShellTables } from "../shell/tables/build.ts";
import { openStarlark, type StarlarkEngine } from "../starlark/engine.ts";
import type { StarlarkLimits } from "../starlark/limits.ts";
import type { CloudQueries } from "../tools/cloud-queries.ts";
import { createRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { openApprovals } from "./approvals.ts";
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
import { sessionPublisher } from "./session-publisher.ts";
import { serveStdio } from "./stdio.ts";
import { messageOf, withCause } from "./problem.ts";

/** What every server is made of: validated options and the engine. */
export interface SharedOptions {
  /** Absent: every tool answers `agent.engine_unbound`. The caller closes it after the end. */
  readonly engine?: Engine;
  /** Where the engine's bundle is, for explanations. */
  readonly bundle: { readonly path: string };
  readonly agentId: string;
  readonly allowlist?: ReadonlySet<string>;
  readonly requireDryRun: boolean;
  readonly destructiveMatch: "words" | "text";
  /** The operator's tables for the classifier; as shipped unless given. */
  readonly shellTables?: ShellTables | undefined;
  /** Limits of eval_starlark. */
  readonly starlark: StarlarkLimits;
  /** Real path of the working directory of commands. */
  readonly workdir: string;
  readonly stateDir: string;
  /** Further queries of cloud_query. */
  readonly cloudQueries?: CloudQueries;
  /** How commands are confined. */
  readonly confinement: Confinement;
  /** Environment that run_shell takes its allow-list from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly context?: Readonly<JsonObject>;
  /** Profiles that the operator declares. */
  readonly declaredProfiles?: readonly DeclaredProfile[];
  /** Hardening of the identity gate beyond the seed. */
  readonly identityRules?: IdentityRules;
  /** Language of texts that come from a catalogue. */
  readonly locale?: string;
  /** Milliseconds that a human has to answer a question. */
  readonly confirmTimeoutMs?: number;
  /** Milliseconds that a call waits for the approval of a human outside the session; 0: it is answered at once. */
  readonly approvalWaitMs: number;
  /** Whether tool input and output is recorded. */
  readonly recordings: boolean;
  /** Authorization server of device logins. */
  readonly deviceIssuer?: DeviceIssuer;
  /** Changes the local tools of a session: some run elsewhere, or are not offered. */
  readonly arrangeTools?: (tools: readonly Tool[], who: OsUser) => readonly Tool[];
  /** Identity state of the session, where it is not its own. */
  readonly identity?: SessionIdentityState;
  /** Ends the server at once when it is aborted. */
  readonly stop: AbortSignal;
  readonly version: string;
  /** Takes one line for stderr. */
  readonly note: (line: string) => void;
}

/** What a server over stdio is made of: also the process's streams. */
export interface ServerOptions extends SharedOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

/** A server that runs. */
export interface RunningServer {
  readonly claim: Claim;
  /** Resolves when the client or a stop has ended it, all commands are over and the log is closed. */
  readonly ended: Promise<void>;
}

const unixNanoseconds = (): bigint => BigInt(Date.now()) * 1_000_000n;

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
 * @param who as policy sees the session's user
 * @param upstream given by the gateway, which serves the tools of others in place of ours
 */
export function openClientSession(parts: ServerParts, { isAuthenticated, ...who }: SessionUser, upstream?: UpstreamTools): ClientSession {
  const { options, sessions, factsOf: declared, profiles, starlark } = parts;
  const { engine, stateDir, note, confinement } = options;
  const claim = makeClaim({ agentId: options.agentId });
  const log = openSessionLog(options, claim);
  const report = (problem: unknown): void => note(isProfileError(problem) ? profileProblem(problem) : messageOf(problem));
  const factsOf = upstream?.factsOf ?? declared;
  const commands = createCommandBook(declared);
  const scripts = createScriptCalls();
  const logFile = decisionLogFile(stateDir, claim.sessionId);
  const authorities = openAuthorities({
    stateDir,
    caller: { sessionId: claim.sessionId, agentId: claim.agentId },
    environment: options.environment,
    now: () => new Date(),
    report: note,
  });
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
    sandbox: confinement.kind,
    workdir: options.workdir,
    context: options.context,
    profiles: () => profiles.active(),
    identity: options.identity,
    identityRules: options.identityRules,
    locale: options.locale,
    confirm: human.confirm,
    confirmTimeoutMs: options.confirmTimeoutMs,
    approvals: openApprovals({ store: openApprovalFiles(stateDir), waitMs: options.approvalWaitMs, report }),
    report,
  });
  commands.use(registry);
  commands.bind(corridor);
  scripts.bind(corridor);
  late.bind(corridor);
  return { claim, corridor, human };
}

/** Starts a server with one client, over stdio. */
export function startServer(options: ServerOptions): RunningServer {
  const parts = openParts(options);
  const { claim, corridor, human } = openClientSession(parts, osUser());
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

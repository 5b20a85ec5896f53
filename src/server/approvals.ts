import { RUN_SHELL } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { ApprovalAnswer, ApprovalCode } from "../gate/approval.ts";
import type { BindingFacts, BoundFile } from "../govern/approval-binding.ts";
import { openApprovalDesk } from "../govern/approval-desk.ts";
import type { ApprovalAsk, ApprovalDesk, ApprovalTerms, Standing } from "../govern/approval-desk.ts";
import type { OpenRequest } from "../govern/approval-filed.ts";
import type { ApprovalStore } from "../govern/approval-store.ts";
import { isGovernError } from "../govern/govern-error.ts";
import type { ApprovalUse } from "../govern/approval-use.ts";
import type { Decision } from "../policy/decision.ts";
import { osUserName } from "../session/os-user.ts";
import type { SessionView } from "../session/session.ts";
import { executedFiles } from "../shell/executed-files.ts";
import type { Core } from "./core.ts";
import type { Grants } from "./grants.ts";
import { untilEnd } from "./until-end.ts";

/** The approvals of a corridor's session. */
export interface Approvals {
  readonly desk: ApprovalDesk;
  /** How long a call waits for a decision; 0: it is answered at once. */
  readonly waitMs: number;
  /** Present when other fronts share the approvals. */
  readonly shared?: SharedBinding | undefined;
}

/** What a request is bound to in place of what one front has for itself. */
export interface SharedBinding {
  /** Names the session on all fronts; absent when it is on this one only. */
  readonly sessionId?: string | undefined;
}

/** What they are opened with. */
export interface ApprovalsOptions {
  readonly store: ApprovalStore;
  readonly waitMs: number;
  /** Name of the session among the fronts, if it is on several. */
  readonly sharedId?: string | undefined;
  readonly report: (problem: unknown) => void;
}

/** How one call asks for its approval. */
export interface ApprovalQuestion {
  readonly call: ToolCall;
  readonly session: SessionView;
  readonly grants: Grants;
  readonly awaited?: OpenRequest | undefined;
  /** What the desk has said already; absent when one only looks: then nothing is filed. */
  readonly known?: KnownStandings | undefined;
}

/** What the desk, or its failure, has said to what was asked while one call is judged, by the text of the question. */
export type KnownStandings = Map<string, KnownStanding>;
type KnownStanding = Standing | { readonly kind: "unavailable"; readonly code: ApprovalCode };

/** What asking led to, beside the answer to the gate. */
export interface ApprovalFindings {
  /** The request that the call waits for. */
  request?: OpenRequest;
  /** The right to run the call once. */
  use?: ApprovalUse;
  /** What the desk must be asked before the call can be judged. */
  wanted?: WantedStanding;
}

/** A question for the desk. */
export interface WantedStanding {
  readonly key: string;
  readonly ask: ApprovalAsk;
}

const DEFAULT_TTL_SECONDS = 600;

/** Opens the approvals of one session. */
export function openApprovals({ store, waitMs, sharedId, report }: ApprovalsOptions): Approvals {
  const desk = openApprovalDesk({ store, now: () => new Date(), report });
  const sessionId = sharedId === undefined ? undefined : `shared-${sharedId}`;
  return { desk, waitMs, ...(store.isShared ? { shared: { sessionId } } : {}) };
}

/**
 * Answers the gate with what the desk has said. What it was not asked yet is put into `findings`: the call is to be judged again when that is
 * known (`askDesk`).
 * @returns undefined where there is no store
 */
export function approvalAnswer(
  core: Core,
  question: ApprovalQuestion,
  findings: ApprovalFindings,
): ((decision: Decision) => ApprovalAnswer) | undefined {
  if (core.options.approvals === undefined) return undefined;
  return (decision) => {
    const files = filesOf(question.call);
    if (typeof files === "string") return unbindable(core, files);
    if (question.known === undefined) return { code: "approval.pending" };
    const { awaited } = question;
    const ask = { facts: factsOf(core, question, { decision, files }), terms: termsOf(decision), awaited };
    const key = keyOf(ask);
    const standing = question.known.get(key);
    if (standing !== undefined) return answerOf(core, standing, findings);
    findings.wanted = { key, ask };
    return { code: "approval.pending" };
  };
}

/** Asks the session's desk; what goes wrong in the store is an approval that cannot be had. */
export async function askDesk(core: Core, { key, ask }: WantedStanding, known: KnownStandings): Promise<void> {
  const standing = await standingOf(core, ask);
  known.set(key, standing);
  // Policy, asked again with the approval, may want nothing more for the same call.
  known.set(keyOf({ facts: ask.facts }), standing);
}

async function standingOf(core: Core, ask: ApprovalAsk): Promise<KnownStanding> {
  try {
    if (core.options.approvals === undefined) throw new Error("approvals cannot be asked for here");
    return await untilEnd(core.options.approvals.desk.ask(ask), core.shutdown.signal);
  } catch (error) {
    core.report(error);
    return { kind: "unavailable", code: approvalFault(error) };
  }
}

/** A store elsewhere that is away comes back; what is wrong in a store stays so. */
export function approvalFault(error: unknown): ApprovalCode {
  return isGovernError(error) && error.code === "govern.store_unreachable" ? "store.unavailable" : "approval.unavailable";
}

function keyOf({ facts, terms = null }: { readonly facts: BindingFacts; readonly terms?: ApprovalTerms | null | undefined }): string {
  return JSON.stringify([facts, terms]);
}

function unbindable(core: Core, problem: string): ApprovalAnswer {
  core.report(new Error(`no approval can be asked for: ${problem}`));
  return { code: "approval.unbindable" };
}

function answerOf(core: Core, standing: KnownStanding, findings: ApprovalFindings): ApprovalAnswer {
  delete findings.use;
  switch (standing.kind) {
    case "approved": {
      const { approvers, at, use } = standing;
      findings.use = use;
      return { granted: { approved: true, approvers: [...approvers], at } };
    }
    case "pending":
      findings.request = standing.request;
      return { code: "approval.pending", id: standing.request.id };
    case "needed":
      return { code: "approval.pending" };
    case "unbindable":
      return unbindable(core, standing.problem);
    case "unavailable":
      return { code: standing.code };
    default:
      return { code: `approval.${standing.kind}`, id: standing.id };
  }
}

function termsOf({ approval, reasons, warnings = [] }: Decision): ApprovalTerms | undefined {
  if (approval === undefined) return undefined;
  const { approvers, quorum = 1, ttl_seconds: ttlSeconds = DEFAULT_TTL_SECONDS } = approval;
  return { rule: [...reasons, ...warnings], ...(approvers === undefined ? {} : { approvers }), quorum, ttlSeconds };
}

/** What a command runs by name; a text when that is not fixed. Scripts of eval_starlark are whole in their arguments. */
function filesOf({ tool, shell, arguments: args }: ToolCall): readonly BoundFile[] | string {
  const command = args["command"];
  if (tool !== RUN_SHELL || shell === undefined || typeof command !== "string") return [];
  const found = executedFiles(shell, command);
  return found.ok ? found.files : found.problem;
}

function factsOf(
  { options }: Core,
  { call, session, grants }: ApprovalQuestion,
  { decision, files }: { readonly decision: Decision; readonly files: readonly BoundFile[] },
): BindingFacts {
  const { sandbox, engine, approvals } = options;
  const { network = false, write = "workdir" } = decision.sandbox ?? {};
  const { server, digest } = call.facts;
  return {
    tool: call.tool,
    arguments: call.arguments,
    session_id: approvals?.shared?.sessionId ?? session.claim.sessionId,
    agent_id: session.claim.agentId,
    requester: requesterOf(session),
    policy: engine?.digest ?? "",
    // A server behind several fronts runs where it is, not in the folder of any of them.
    workdir: approvals?.shared !== undefined && server !== "" ? undefined : options.workdir,
    profile: session.profile.active,
    variables: call.tool === RUN_SHELL ? variableNames(session, grants) : [],
    home: call.tool === RUN_SHELL ? homeGrants(session) : [],
    sandbox: { kind: sandbox, network, write },
    server: server === "" ? "" : `${server}${digest === undefined ? "" : ` (${digest})`}`,
    files,
  };
}

/** The session's user, and whoever runs the server: neither can approve (contract: requester and approver are different owners). */
function requesterOf({ user }: SessionView): BindingFacts["requester"] {
  const osUser = osUserName();
  return { user, uid: process.getuid?.() ?? -1, ...(osUser === user ? {} : { os_user: osUser }) };
}

/** Variables that a profile or a lease gives to a command. */
function variableNames({ variables }: SessionView, { leases }: Grants): readonly string[] {
  return [...new Set([...Object.keys(variables ?? {}), ...leases.map(({ destination }) => destination)])];
}

function homeGrants({ home = [] }: SessionView): readonly string[] {
  return home.map(({ path, write }) => `${path} (${write ? "write" : "read"})`);
}

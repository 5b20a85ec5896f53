import type { ToolCall } from "../call/tool-call.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import type { ApprovalAnswer, ApprovalCode } from "../gate/approval.ts";
import { refuseUnapproved } from "../gate/approval.ts";
import type { BindingFacts, BoundFile } from "../govern/approval-binding.ts";
import type { ApprovalDesk, ApprovalTerms, ApprovalUse, OpenRequest, Standing, UseEnd } from "../govern/approval-desk.ts";
import type { Decision } from "../policy/decision.ts";
import { osUserName } from "../session/os-user.ts";
import type { SessionView } from "../session/session.ts";
import { executedFiles } from "../shell/executed-files.ts";
import type { Core } from "./core.ts";
import type { Grants } from "./grants.ts";
import type { HandlerEnd } from "./handler.ts";
import { refusalResult } from "./results.ts";

/** The approvals of a corridor's session. */
export interface Approvals {
  readonly desk: ApprovalDesk;
  /** How long a call waits for a decision; 0: it is answered at once. */
  readonly waitMs: number;
}

/** How one call asks for its approval. */
export interface ApprovalQuestion {
  readonly call: ToolCall;
  readonly session: SessionView;
  readonly grants: Grants;
  readonly awaited?: OpenRequest | undefined;
  readonly look?: boolean;
}

/** What asking led to, beside the answer to the gate. */
export interface ApprovalFindings {
  /** The request that the call waits for. */
  request?: OpenRequest;
  /** The right to run the call once. */
  use?: ApprovalUse;
}

const DEFAULT_TTL_SECONDS = 600;

/**
 * Asks the session's desk on behalf of the gate; what goes wrong in the store is an approval that cannot be had.
 * @returns undefined where there is no store
 */
export function approvalAnswer(
  core: Core,
  question: ApprovalQuestion,
  findings: ApprovalFindings,
): ((decision: Decision) => ApprovalAnswer) | undefined {
  if (core.options.approvals === undefined) return undefined;
  return (decision) => {
    try {
      const standing = standingOf(core, question, decision);
      if (standing.kind === "unbindable") core.report(new Error(`no approval can be asked for: ${standing.problem}`));
      return answerOf(standing, findings);
    } catch (error) {
      core.report(error);
      return { code: "approval.unavailable" };
    }
  };
}

function standingOf(core: Core, question: ApprovalQuestion, decision: Decision): Standing {
  const { approvals } = core.options;
  if (approvals === undefined) throw new Error("approvals cannot be asked for here");
  const files = filesOf(question.call);
  if (typeof files === "string") return { kind: "unbindable", problem: files };
  const { awaited, look = false } = question;
  return approvals.desk.ask({ facts: factsOf(core, question, { decision, files }), terms: termsOf(decision), awaited, look });
}

function answerOf(standing: Standing, findings: ApprovalFindings): ApprovalAnswer {
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
      return { code: "approval.unbindable" };
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
  const { sandbox, workdir, engine } = options;
  const { network = false, write = "workdir" } = decision.sandbox ?? {};
  const { server, digest } = call.facts;
  return {
    tool: call.tool,
    arguments: call.arguments,
    session_id: session.claim.sessionId,
    agent_id: session.claim.agentId,
    requester: requesterOf(session),
    policy: engine?.digest ?? "",
    workdir,
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

/** Uses the approval of a call right before its handler; what is answered instead when that cannot be. */
export function useApproval(core: Core, use: ApprovalUse | undefined, decisionId: string): HandlerEnd | undefined {
  if (use === undefined) return undefined;
  try {
    const ending = use.begin();
    return ending === undefined ? undefined : unapproved(`approval.${ending}`, { id: use.id, decisionId });
  } catch (error) {
    core.report(error);
    return unapproved("approval.unavailable", { id: use.id, decisionId });
  }
}

/** The end of a call that did not run for want of an approval. */
export function unapproved(code: ApprovalCode, { id, decisionId }: { readonly id: string; readonly decisionId: string }): HandlerEnd {
  return { status: "error", code, result: refusalResult(refuseUnapproved({ code, id }), decisionId) };
}

/** How the use of an approval ends with a call: whoever stopped it does not know how far it came. */
export function useEndOf({ status }: HandlerEnd): UseEnd {
  if (status === "ok" || status === "dry_run") return "done";
  return status === "timeout" || status === "cancelled" ? "indeterminate" : "failed";
}

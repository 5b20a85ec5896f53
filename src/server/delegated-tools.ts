import type { JsonObject } from "../call/json.ts";
import type { ReplyErrorCode } from "../delegate/delegated-call.ts";
import { confirmedContext } from "../delegate/front-state.ts";
import type { Front, FrontAnswer, NoReply } from "../delegate/front.ts";
import type { Reply } from "../delegate/reply.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { OsUser } from "../session/os-user.ts";
import { PassedOn, ToolError } from "../tools/tool-error.ts";
import type { Tool, ToolContext, ToolOutput } from "../tools/tool.ts";
import { isToolResult, refusalResult } from "./results.ts";

/** Tools that run in the tools service when there is one (design §9): those that execute what the agent writes, or reach outside. */
export const DELEGATED_TOOLS: ReadonlySet<string> = new Set(["run_shell", "eval_starlark", "cloud_query"]);

/** How tools are delegated. */
export interface Delegation {
  readonly front: Front;
  readonly who: OsUser;
  /** Where the user's name comes from: `os` for an account of this machine, `http` for a principal over HTTP. */
  readonly platform: "os" | "http";
  readonly workdir: string;
  /** The horizon, in seconds: no waiter waits longer. */
  readonly proofTtl: number;
}

/** After the horizon's own end, which has its own answer. */
const GRACE_MS = 5_000;
/** Platform of a user whom the session took on while it ran, by a device login. */
const LOGIN = "login";

/** Replaces the handlers of dangerous tools: the gate here judges the call, the tools service judges it again and runs it. */
export function delegatedTools(tools: readonly Tool[], delegation: Delegation): readonly Tool[] {
  return tools.map((tool) => {
    if (!DELEGATED_TOOLS.has(tool.name)) return tool;
    const timeoutMs = delegation.proofTtl * 1_000 + GRACE_MS;
    return Object.assign({}, tool, { timeoutMs, handler: (_args: JsonObject, context: ToolContext) => delegate(delegation, context) });
  });
}

async function delegate({ front, who, platform, workdir }: Delegation, context: ToolContext): Promise<ToolOutput> {
  const { call, link, session, signal } = context;
  // The tools service has none of the profile's variables: without them the command would act as somebody else.
  if (session.variables === null || Object.keys(session.variables).length > 0) {
    throw new ToolError(
      `${call.tool}: the active profile gives variables to commands and the tools service has none of them, nothing was executed`,
    );
  }
  const identity = { user_id: session.user, platform: session.user === who.user ? platform : LOGIN };
  const answer = await front.call({
    tool: call.tool,
    args: { ...call.arguments },
    identity,
    context: { path: call.path, workdir, ...confirmedContext(session) },
    signal,
  });
  return outputOf(answer, link.decisionId);
}

const NO_REPLY: Readonly<Record<Exclude<NoReply, "cancelled">, RefusalCode>> = {
  unavailable: "delegate.unavailable",
  busy: "delegate.busy",
  session_conflict: "delegate.session_conflict",
  too_large: "delegate.rejected",
  indeterminate: "delegate.indeterminate",
};

function outputOf(answer: FrontAnswer, decisionId: string): ToolOutput {
  if (answer.kind === "none") {
    if (answer.why === "cancelled") throw new Error("nobody waits for the reply any more");
    throw refusal(NO_REPLY[answer.why], decisionId);
  }
  const { reply } = answer;
  if (reply.result === undefined || reply.status === "indeterminate") throw refusal(codeOf(reply), decisionId);
  if (!isToolResult(reply.result)) throw refusal("delegate.indeterminate", decisionId);
  // A refusal of the tools service goes back as it is, with its own text, code and decision.
  if (reply.result.isError === true || reply.status !== "ok") throw new PassedOn({ ...reply.result, isError: true });
  // So does its result, also one that this version of the tool would not give: the call was executed.
  return { structured: {}, passed: reply.result };
}

/** Codes of refusals before anything began; whatever else a reply says, the call may have run. */
const REFUSED_UNBEGUN: ReadonlySet<string> = new Set<ReplyErrorCode>([
  "proof_invalid",
  "fingerprint_mismatch",
  "operation_conflict",
  "stale_reject",
  "envelope_invalid",
  "deliveries_exhausted",
  "unknown_tool",
]);

function codeOf({ error, status }: Reply): RefusalCode {
  if (status === "indeterminate" || error === undefined) return "delegate.indeterminate";
  if (error.code === "session_missing" || error.code === "session_invalid") return "delegate.session_missing";
  return REFUSED_UNBEGUN.has(error.code) ? "delegate.rejected" : "delegate.indeterminate";
}

function refusal(code: RefusalCode, decisionId: string): PassedOn {
  return new PassedOn(refusalResult(refuse("handler", code), decisionId));
}

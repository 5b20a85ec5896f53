import type { ArgumentProblem } from "../call/frozen-copy.ts";
import type { JsonObject } from "../call/json.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { Decision } from "../policy/decision.ts";
import { refuseUnapproved } from "./approval.ts";
import type { ApprovalAnswer, ApprovalGrant } from "./approval.ts";
import { needsDryRun } from "./dry-run.ts";
import { isEntitled } from "./entitlement.ts";
import { GATE_ORDER } from "./order.ts";
import { refusalOf, refuseUnfit } from "./policy.ts";
import { refuse } from "./refuse.ts";
import type { RefusalCode } from "./refusals.ts";
import type { Refusal, StageId, Verdict } from "./verdict.ts";

/** What stays the same for all calls of a session. */
export interface GateRules {
  /** Names that the agent is entitled to; absent when no allowlist is configured. */
  readonly allowlist?: ReadonlySet<string> | undefined;
  readonly requireDryRun: boolean;
  /** Asks the policy; absent when no engine is bound. */
  readonly decide?: ((input: JsonObject) => Decision) | undefined;
}

/** One call at the gate. */
export interface GateQuestion {
  readonly call: ToolCall;
  /** Why the arguments cannot be judged, if so. */
  readonly problem?: ArgumentProblem | undefined;
  readonly input: JsonObject;
  /** True after a denial with `halt`. */
  readonly stopped: boolean;
  /** Asked only when policy wants an approval, and again with the decision that follows from it; absent: none can be had here. */
  readonly approval?: ((decision: Decision) => ApprovalAnswer) | undefined;
  /** True when nothing would run: then nobody has to approve it. */
  readonly isIdle?: (() => boolean) | undefined;
  /** Looked at only when policy wants a human. */
  readonly confirmation: () => Confirmation;
  /** Why an answer that came with the call is no yes: refuses it even when policy wants no answer any more. */
  readonly answer?: RefusalCode | undefined;
}

/** `none`: nobody can be asked; `ask`: a human can; `settled`: the human agreed, or nothing would run anyway. */
export type Confirmation = "none" | "ask" | "settled";

interface Walk {
  readonly question: GateQuestion;
  readonly rules: GateRules;
  decision?: Decision;
  approval?: ApprovalGrant;
}

type Judge = (walk: Walk) => Refusal | undefined;

/** What each stage says; the stages stand in GATE_ORDER alone. */
const JUDGES: Readonly<Record<StageId, Judge>> = {
  admission: ({ question }) => (question.stopped ? refuse("admission", "gate.stopped") : undefined),
  entitlement: ({ question, rules }) =>
    isEntitled(question.call.tool, rules.allowlist) ? undefined : refuse("entitlement", "agent.not_entitled"),
  dry_run: ({ question, rules }) =>
    needsDryRun(question.call, rules.requireDryRun) ? refuse("dry_run", "agent.dry_run_required") : undefined,
  policy: judgePolicy,
  approval: judgeApproval,
  confirm: judgeConfirm,
  // The handler's own refusals come when it runs (server/handler.ts).
  handler: () => undefined,
};

/**
 * Walks the gate order for one call; the first refusal wins (design §5). Effectless: it neither logs nor changes the session.
 * `confirm.pending` means that a human must be asked before the call is judged again.
 */
export function judge(question: GateQuestion, rules: GateRules): Verdict {
  const walk: Walk = { question, rules };
  for (const stage of GATE_ORDER) {
    const refusal = JUDGES[stage.id](walk);
    if (refusal !== undefined) return { admitted: false, refusal, ...decisionOf(walk), ...approvalOf(walk) };
  }
  if (walk.decision === undefined) throw new Error("the gate order has no policy stage");
  return { admitted: true, decision: walk.decision, ...approvalOf(walk) };
}

function decisionOf({ decision }: Walk): { decision?: Decision } {
  return decision === undefined ? {} : { decision };
}

function approvalOf({ approval }: Walk): { approval?: ApprovalGrant } {
  return approval === undefined ? {} : { approval };
}

/** What one stage says to a call. */
export interface StageVerdict {
  readonly id: StageId;
  /** Absent when the stage has nothing against the call. */
  readonly refusal?: Refusal;
}

/** What each stage says to one call, in gate order, though the first refusal would win; what waits for policy is left out when it denies. */
export interface StageVerdicts {
  readonly stages: readonly StageVerdict[];
  readonly decision?: Decision;
}

/** Asks every stage about one call, for an explanation. Effectless like `judge`. */
export function judgeEach(question: GateQuestion, rules: GateRules): StageVerdicts {
  const walk: Walk = { question, rules };
  const stages: StageVerdict[] = [];
  for (const { id } of GATE_ORDER.filter((stage) => stage.id !== "handler")) {
    const isReached = (id !== "approval" && id !== "confirm") || walk.decision?.allow === true;
    const refusal = isReached ? JUDGES[id](walk) : undefined;
    if (isReached) stages.push({ id, ...(refusal === undefined ? {} : { refusal }) });
  }
  return { stages, ...(walk.decision === undefined ? {} : { decision: walk.decision }) };
}

function judgePolicy(walk: Walk): Refusal | undefined {
  const { question, rules } = walk;
  if (rules.decide === undefined) return refuse("policy", "agent.engine_unbound");
  if (question.problem !== undefined) return refuseUnfit(question.problem);
  walk.decision = rules.decide(question.input);
  return refusalOf(walk.decision);
}

/** What a human approved is put to policy again, which has the last word, and must still be what was approved. A dry run needs none. */
function judgeApproval(walk: Walk): Refusal | undefined {
  const { question, rules, decision } = walk;
  if (decision?.approval === undefined || question.call.dryRun || question.isIdle?.() === true) return undefined;
  if (question.approval === undefined || rules.decide === undefined) return refuseUnapproved({ code: "approval.unavailable" });
  const answer = question.approval(decision);
  if (answer.granted === undefined) return refuseUnapproved(answer);
  walk.approval = answer.granted;
  walk.decision = rules.decide({ ...question.input, approval: { ...answer.granted } });
  const refusal = refusalOf(walk.decision);
  if (refusal !== undefined) return refusal;
  const again = question.approval(walk.decision);
  return again.granted === undefined ? refuseUnapproved(again) : undefined;
}

function judgeConfirm({ question, decision }: Walk): Refusal | undefined {
  if (question.answer !== undefined) return refuse("confirm", question.answer);
  switch (decision?.confirm) {
    case "none":
      return undefined;
    case "elicit":
      return refuseUnsettled(question.confirmation());
    default:
      return refuse("confirm", "confirm.blocked");
  }
}

function refuseUnsettled(confirmation: Confirmation): Refusal | undefined {
  if (confirmation === "settled") return undefined;
  return refuse("confirm", confirmation === "ask" ? "confirm.pending" : "confirm.no_channel");
}

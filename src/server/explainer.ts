import { redactJson } from "../audit/redact.ts";
import type { JsonObject } from "../call/json.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import type { Explanation, ExplainedReason, ExplainedStage } from "../govern/explanation.ts";
import { nextSteps, outcomeOf, wordsOf } from "../govern/explanation.ts";
import type { StageVerdict } from "../gate/gate.ts";
import { GATE_ORDER } from "../gate/order.ts";
import type { Reason } from "../policy/decision.ts";
import type { Conditions } from "./conditions.ts";
import type { OpenCorridor } from "./corridor.ts";
import type { Look } from "./look-ahead.ts";

/** The call that is to be explained. */
export interface ExplainedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** What an explanation is made with. */
export interface ExplainerParts {
  /** The corridor whose claim, session and rules count. */
  readonly corridor: Pick<OpenCorridor, "look">;
  readonly hasAllowlist: boolean;
  readonly requireDryRun: boolean;
  readonly conditionsOf: (input: Readonly<JsonObject>) => Promise<Conditions>;
}

/** An explanation with the policy input that it is about. */
export interface ExplainedLook {
  readonly explanation: Explanation;
  readonly input: JsonObject;
}

/**
 * Says why a call would be answered as it would be: what each stage says, the policy's reasons, which conditions failed and what would have
 * to change (design §8). Nothing is executed, filed or logged as such a call. What could be a secret is redacted.
 */
export async function explainCall(parts: ExplainerParts, call: ExplainedCall): Promise<ExplainedLook> {
  const look = parts.corridor.look({ ...call, path: "direct" });
  const stages = stagesOf(parts, look);
  const { decision, input } = look;
  const reasons = (decision?.allow === false ? decision.reasons : []).map(reasonOf);
  const conditions: Conditions = decision?.allow === false ? await parts.conditionsOf(input) : { ok: true, failed: [], matched: [] };
  const explanation: Explanation = {
    outcome: outcomeOf(stages),
    tool: call.tool,
    ...commandOf(call),
    stages,
    reasons,
    failed_conditions: conditions.ok ? conditions.failed : [],
    matched_conditions: conditions.ok ? conditions.matched : [],
    ...(conditions.ok ? {} : { conditions_unavailable: conditions.problem }),
    warnings: (decision?.warnings ?? []).map(reasonOf),
    next_steps: nextSteps(stages, reasons),
  };
  return { explanation: redacted(explanation), input };
}

function redacted(explanation: Explanation): Explanation {
  const plain = JSON.parse(JSON.stringify(explanation)) as JsonObject;
  return redactJson(plain).value as unknown as Explanation;
}

function commandOf({ tool, arguments: args }: ExplainedCall): Pick<Explanation, "command" | "args"> {
  if (tool !== RUN_SHELL || typeof args["command"] !== "string") return {};
  const [command = "", ...rest] = wordsOf(args["command"]);
  return { command, args: rest };
}

function reasonOf({ code, rule, message, remedy }: Reason): ExplainedReason {
  return { code, rule, message, ...(remedy === undefined ? {} : { remedy }) };
}

function stagesOf(parts: ExplainerParts, look: Look): readonly ExplainedStage[] {
  return GATE_ORDER.filter(({ id }) => id !== "handler").map(({ id }) => {
    const verdict = look.stages.find((stage) => stage.id === id);
    return stageOf(parts, look, verdict ?? { id, isReached: false });
  });
}

function stageOf(parts: ExplainerParts, { decision }: Look, verdict: StageVerdict & { readonly isReached?: boolean }): ExplainedStage {
  const { id, refusal, isReached = true } = verdict;
  if (!isReached) return { stage: id, status: "not_reached" };
  if (refusal !== undefined) return { stage: id, status: statusOf(refusal.code), code: refusal.code, reason: refusal.text };
  if (id === "entitlement" && !parts.hasAllowlist) return { stage: id, status: "not_configured" };
  if (id === "dry_run" && !parts.requireDryRun) return { stage: id, status: "not_configured" };
  if (id === "approval" && decision?.approval === undefined) return { stage: id, status: "not_required" };
  if (id === "confirm" && decision?.confirm === "none") return { stage: id, status: "not_required" };
  return { stage: id, status: "allowed" };
}

/** That nobody can be asked here says nothing about the call: a human is what it needs. */
const NEEDS_HUMAN: ReadonlySet<string> = new Set(["confirm.pending", "confirm.no_channel"]);

function statusOf(code: string): ExplainedStage["status"] {
  if (code.startsWith("approval.") && code !== "approval.denied") return "approval_required";
  return NEEDS_HUMAN.has(code) ? "confirmation_required" : "denied";
}

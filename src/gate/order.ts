import type { RefusalCode } from "./refusals.ts";
import type { StageId } from "./verdict.ts";

/** One stage of the gate, as data: where it stands, what it answers and why it is there. */
export interface GateStage {
  readonly id: StageId;
  /** The code that names this stage's own refusal. */
  readonly code: RefusalCode;
  /** Every code that this stage may answer with, `code` first. */
  readonly codes: readonly RefusalCode[];
  readonly reason: string;
}

/**
 * The gate order (seed 003; design §5): entitlement, destructive dry-run, policy, human approval and confirmation, handler. The first
 * refusal wins. Each code of the refusal table belongs to exactly one stage.
 */
export const GATE_ORDER: readonly GateStage[] = Object.freeze([
  {
    id: "admission",
    code: "gate.stopped",
    codes: ["gate.stopped", "gate.closed", "gate.internal", "audit.unavailable", "store.unavailable"],
    reason: "a stopped or broken gate lets nothing in, and what cannot be recorded does not happen",
  },
  {
    id: "entitlement",
    code: "agent.not_entitled",
    codes: ["agent.not_entitled"],
    reason: "what an agent may not use at all is refused before anything else is looked at, so the answer tells nothing more",
  },
  {
    id: "dry_run",
    code: "agent.dry_run_required",
    codes: ["agent.dry_run_required"],
    reason: "a destructive command must be tried dry first, whatever policy would say",
  },
  {
    id: "policy",
    code: "policy.denied",
    codes: [
      "policy.denied",
      "policy.default_deny",
      "policy.no_decision",
      "policy.malformed",
      "policy.non_boolean_allow",
      "policy.error",
      "identity.unconfirmed",
      "agent.engine_unbound",
      "call.too_large",
    ],
    reason: "the policy decides on the whole call; what it cannot be asked about is refused",
  },
  {
    id: "approval",
    code: "approval.pending",
    codes: [
      "approval.pending",
      "approval.denied",
      "approval.expired",
      "approval.stale",
      "approval.used",
      "approval.indeterminate",
      "approval.unbindable",
      "approval.unavailable",
    ],
    reason: "a second person decides on what policy allows; repeated calls do not trouble the one in the session until then",
  },
  {
    id: "confirm",
    code: "confirm.declined",
    codes: [
      "confirm.declined",
      "confirm.pending",
      "confirm.blocked",
      "confirm.no_channel",
      "confirm.cancelled",
      "confirm.no_answer",
      "confirm.malformed",
      "confirm.stale",
      "confirm.state_invalid",
    ],
    reason: "the human in the session is asked last, right before the call runs, and only about what policy allows",
  },
  {
    id: "handler",
    code: "call.failed",
    codes: [
      "call.failed",
      "call.arguments_invalid",
      "call.changed",
      "call.timeout",
      "call.cancelled",
      "call.stopped",
      "call.result_too_large",
      "name.ambiguous",
      "pin.changed",
      "pin.new",
      "pin.hidden_text",
      "pin.server_changed",
      "pin.unreadable",
      "upstream.unavailable",
      "upstream.outcome_unknown",
      "upstream.timeout",
      "upstream.result_too_large",
      "delegate.unavailable",
      "delegate.busy",
      "delegate.session_missing",
      "delegate.session_conflict",
      "delegate.rejected",
      "delegate.indeterminate",
    ],
    reason: "only an admitted call reaches the tool, which judges its own arguments",
  },
] as const satisfies readonly GateStage[]);

import type { Decision } from "../policy/decision.ts";
import type { ApprovalGrant } from "./approval.ts";
import type { RefusalCode } from "./refusals.ts";

/** Stages of the gate in their order (design §5; src/gate/order.ts); `admission` covers what fails before or around them. */
export type StageId = "admission" | "entitlement" | "dry_run" | "policy" | "approval" | "confirm" | "handler";

/** A refusal: frozen code and text, and what would help (design §5). */
export interface Refusal {
  readonly stage: StageId;
  readonly code: RefusalCode;
  /** The exact bytes that the agent sees. */
  readonly text: string;
  readonly retryable: boolean;
  /** `dry_run`, `identity_read`, `confirm`, `approval:<public id>`, … */
  readonly resolve?: string;
}

/**
 * What the gate says about one call: admitted with the policy's decision, or refused by the first stage that objects. `approval` is what the
 * policy was told of a human's decision, if there was one: `decision` follows from it.
 */
export type Verdict =
  | { readonly admitted: true; readonly decision: Decision; readonly approval?: ApprovalGrant }
  | { readonly admitted: false; readonly refusal: Refusal; readonly decision?: Decision; readonly approval?: ApprovalGrant };

import type { ArgumentProblem } from "../call/frozen-copy.ts";
import type { Decision } from "../policy/decision.ts";
import { refuse } from "./refuse.ts";
import type { RefusalCode } from "./refusals.ts";
import type { Refusal } from "./verdict.ts";

/** Codes that the engine itself answers with, in a reason of the rule `engine` (design §2, table of the strict parser). */
const ENGINE_CODES: ReadonlySet<string> = new Set([
  "policy.no_decision",
  "policy.malformed",
  "policy.default_deny",
  "policy.non_boolean_allow",
  "policy.denied",
  "policy.error",
] satisfies RefusalCode[]);

/** Codes that a policy may raise by itself; any other reason is answered as `policy.denied`. */
const POLICY_CODES: ReadonlySet<string> = new Set(["identity.unconfirmed"] satisfies RefusalCode[]);

/** The refusal for arguments that cannot be handed to the engine: they are refused without asking it. */
export function refuseUnfit(problem: ArgumentProblem): Refusal {
  return refuse("policy", problem === "too_large" ? "call.too_large" : "policy.error");
}

/**
 * The refusal that a denial becomes; undefined when the policy allows (a `deny_reason` beside an allow is advisory, design §2).
 * Text: the `deny_reason`, else the first reason's message, else the table's.
 */
export function refusalOf(decision: Decision): Refusal | undefined {
  if (decision.allow) return undefined;
  const first = decision.reasons[0];
  return refuse("policy", codeOf(first), { text: decision.deny_reason ?? first?.message, remedy: first?.remedy });
}

function codeOf(first: { readonly code: string; readonly rule: string } | undefined): RefusalCode {
  if (first === undefined) return "policy.denied";
  const speakable = first.rule === "engine" ? ENGINE_CODES : POLICY_CODES;
  return speakable.has(first.code) ? (first.code as RefusalCode) : "policy.denied";
}

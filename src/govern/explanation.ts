import { redactText } from "../audit/redact.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { visible } from "../call/visible.ts";

/** One reason or warning of the policy. */
export interface ExplainedReason {
  readonly code: string;
  readonly rule: string;
  readonly message: string;
  readonly remedy?: string;
}

/** What one stage says. */
export interface ExplainedStage {
  readonly stage: string;
  readonly status: "allowed" | "denied" | "not_configured" | "not_required" | "not_reached" | "approval_required" | "confirmation_required";
  readonly code?: string;
  /** The text that a refused call would get. */
  readonly reason?: string;
}

/** One condition of a rule, with the values that it looked at. */
export interface ExplainedCondition {
  readonly rule: string;
  /** Code of the reason that it led to. */
  readonly code?: string;
  readonly file: string;
  readonly line: number;
  readonly source: string;
  /** In words: what it looked at and found. */
  readonly found: string;
}

/** Why the gate would answer a call as it would (design §8, explain). */
export interface Explanation {
  readonly outcome: "allowed" | "denied" | "approval_required" | "confirmation_required";
  readonly tool: string;
  /** First word of the command, and the others; for run_shell. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly stages: readonly ExplainedStage[];
  readonly reasons: readonly ExplainedReason[];
  /** Conditions that would have to hold. */
  readonly failed_conditions: readonly ExplainedCondition[];
  /** Conditions that held and led to a denial. */
  readonly matched_conditions: readonly ExplainedCondition[];
  /** Why conditions cannot be shown, if so. */
  readonly conditions_unavailable?: string;
  readonly warnings: readonly ExplainedReason[];
  readonly next_steps: readonly string[];
}

/** The outcome that stages add up to: the first one that keeps the call back counts. */
export function outcomeOf(stages: readonly ExplainedStage[]): Explanation["outcome"] {
  for (const { status } of stages) {
    if (status === "denied" || status === "approval_required" || status === "confirmation_required") return status;
  }
  return "allowed";
}

/** Words of a command, split on whitespace alone: quotes are characters like others (seed 003). */
export function wordsOf(command: string): readonly string[] {
  return command.split(/\s+/u).filter((word) => word !== "");
}

/** Parts of the policy input whose values an agent may read: facts about its own call, not what the host or others wrote. */
const SHOWN =
  /^input\.(?:command$|path$|agent\.|tool\.|session\.|profile\.|environment\.|usage\.|shell\.(?:verifiable|destructive)$|elevation\.role$|approval\.approved$)/;
const REFERENCE = /\binput(?:\.[a-z_][a-z0-9_]*)+/gi;
const MAX_VALUE = 120;

/**
 * Says what the references of a condition to the input led to.
 * @param source line of the rule
 * @param held whether the condition held
 */
export function foundIn(source: string, held: boolean, input: Readonly<JsonObject>): string {
  const references = [...new Set(source.match(REFERENCE))];
  const values = references.flatMap((reference) => {
    const value = valueAt(input, reference.split(".").slice(1));
    if (value === undefined) return [`\`${reference}\` is absent`];
    return SHOWN.test(reference) ? [`\`${reference}\` is ${shown(value)}`] : [];
  });
  return [held ? "holds" : "does not hold", values.join(", ")].filter((part) => part !== "").join(": ");
}

function valueAt(input: JsonValue | Readonly<JsonObject> | undefined, path: readonly string[]): JsonValue | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return input;
  return isJsonObject(input) && Object.hasOwn(input, first) ? valueAt(input[first], rest) : undefined;
}

function shown(value: JsonValue): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return "an object";
  const text = JSON.stringify(typeof value === "string" ? visible(redactText(value)) : value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

const STEPS: Readonly<Record<string, string>> = {
  "gate.stopped": "a human lifts the stop with `regate resume`; until then nothing runs",
  "agent.not_entitled": "the operator adds the tool to the allowlist of `--agent-tools-file` and starts the server again",
  "agent.dry_run_required": "repeat the call with dry_run=true: nothing is executed, and the plan is shown",
  "agent.engine_unbound": "the operator starts the server with a policy bundle",
  "confirm.blocked": "no confirmation can allow this call: choose another way",
};
const REMEDIES: Readonly<Record<string, string>> = {
  dry_run: "repeat the call with dry_run=true: nothing is executed, and the plan is shown",
  identity_read: "read who is active first (whoami, config.profile.status or overview.status), then repeat the call",
  confirm: "the human in the session is asked when the call is made: it runs when they agree",
};

/** What would have to change, one step for each stage and remedy that keeps the call back, without repeats. */
export function nextSteps(stages: readonly ExplainedStage[], reasons: readonly ExplainedReason[]): readonly string[] {
  const ofStages = stages.flatMap(({ stage, status, code = "" }) => {
    if (status === "approval_required")
      return ["make the call: it files a request, and runs once a second person has approved it (`regate approvals approve`)"];
    if (status === "confirmation_required") return [REMEDIES["confirm"]];
    if (status !== "denied") return [];
    return [
      STEPS[code] ??
        (stage === "policy" && reasons.every(({ remedy }) => remedy === undefined)
          ? "change the call so that the conditions hold, or ask the human for it"
          : undefined),
    ];
  });
  const ofReasons = reasons.map(({ remedy = "" }) => REMEDIES[remedy]);
  return [...new Set([...ofStages, ...ofReasons].filter((step) => step !== undefined))];
}

import type { ToolCall } from "../call/tool-call.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Decision } from "../policy/decision.ts";
import type { SessionView } from "../session/session.ts";
import type { Question } from "./question.ts";

/** What the human is asked about. */
export interface ConfirmRequest {
  readonly call: ToolCall;
  readonly decision: Decision;
  readonly session: SessionView;
  /** What to show and to ask; nothing else needs to be shown. */
  readonly question: Question;
  /** Aborted when the answer is no longer wanted: the call was cancelled or the gate closes. Not aborted when the time is up. */
  readonly signal: AbortSignal;
}

/** What came back. Only `accepted` lets the call go on. */
export type ConfirmOutcome = "accepted" | "declined" | "cancelled" | "no_answer" | "malformed" | "no_channel";

/** Asks the human; the embedder or the MCP edge brings it. */
export type Confirm = (request: ConfirmRequest) => Promise<ConfirmOutcome>;

/** How long a human has, unless the options say otherwise (design §6). */
export const CONFIRM_TIMEOUT_MS = 120_000;

/** The refusal of each outcome that is not `accepted`. */
export const CONFIRM_REFUSALS: Readonly<Record<Exclude<ConfirmOutcome, "accepted">, RefusalCode>> = Object.freeze({
  declined: "confirm.declined",
  cancelled: "confirm.cancelled",
  no_answer: "confirm.no_answer",
  malformed: "confirm.malformed",
  no_channel: "confirm.no_channel",
});

/** What only somebody who looked at the question can have said: a client's error does not show that anybody is there. */
const OF_A_HUMAN: ReadonlySet<ConfirmOutcome> = new Set(["accepted", "declined", "cancelled"]);

/**
 * Puts the rules of asking around a way to ask: bounded in time, and after one silence every further call is answered `no_answer` at
 * once, until the human answers something, be it the question that was given up (design §6; trial M16). Whatever is thrown or unknown
 * is `malformed`.
 */
export function createConfirmer(confirm: Confirm, timeoutMs: number = CONFIRM_TIMEOUT_MS): Confirm {
  let silent = false;
  return async (request) => {
    if (silent) return "no_answer";
    const answer = ask(confirm, request).then((outcome) => {
      if (OF_A_HUMAN.has(outcome)) silent = false;
      return outcome;
    });
    const outcome = await firstOf(answer, { timeoutMs, signal: request.signal });
    if (outcome === "no_answer" && !request.signal.aborted) silent = true;
    return outcome;
  };
}

async function ask(confirm: Confirm, request: ConfirmRequest): Promise<ConfirmOutcome> {
  try {
    const outcome: unknown = await confirm(request);
    return isOutcome(outcome) ? outcome : "malformed";
  } catch {
    return "malformed";
  }
}

function isOutcome(value: unknown): value is ConfirmOutcome {
  return value === "accepted" || (typeof value === "string" && Object.hasOwn(CONFIRM_REFUSALS, value));
}

interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The answer, or `no_answer` as soon as the time is up or the question is withdrawn. */
function firstOf(answer: Promise<ConfirmOutcome>, { timeoutMs, signal }: Limits): Promise<ConfirmOutcome> {
  return new Promise((resolve) => {
    const giveUp = (): void => settle("no_answer");
    const timer = setTimeout(giveUp, timeoutMs);
    const settle = (outcome: ConfirmOutcome): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(outcome);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    void answer.then(settle);
  });
}

import type { JsonObject } from "../call/json.ts";
import type { MadeCall } from "../call/make-call.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Admission } from "./admission.ts";
import { CONFIRM_REFUSALS } from "./confirm.ts";
import type { Core } from "./core.ts";
import type { CallRequest, CallToolResult } from "./corridor-types.ts";
import { elicitationOutcome } from "./elicitation-outcome.ts";
import { hasMoved } from "./moved.ts";
import type { Prepared } from "./prepare.ts";
import { questionAbout, type Question } from "./question.ts";
import { refusalResult } from "./results.ts";
import type { QuestionScope } from "./sealed-questions.ts";

/** Key of our question among `inputRequests`, and of its answer among `inputResponses`. */
export const CONFIRM_KEY = "confirm";

/** A question that goes out with the answer to a request. */
export interface RetryQuestion {
  readonly question: Question;
  /** To come back unchanged with the answer. */
  readonly state: string;
}

/** How a client is asked that cannot be asked while a call waits: it repeats the call with the human's answer (MCP 2026-07-28). */
export interface RetryChannel {
  /** `requestState` of a repeated request. */
  readonly state?: string;
  /** `inputResponses` of a repeated request. */
  readonly responses?: JsonObject;
  /** Takes the question that is to go out in place of the result. */
  ask(asked: RetryQuestion): void;
}

/** What a repeated request brought: a yes, or why it is refused; undefined when it brought no answer. */
export type Reply = { readonly accepted: true } | { readonly accepted: false; readonly code: RefusalCode };

/** The channel of a call: its own, or that of the call from outside that hands it on. */
export function channelOf(core: Core, { retry, from }: CallRequest): RetryChannel | undefined {
  return retry ?? (from === undefined ? undefined : core.retries.get(from.decisionId));
}

/** The call of a channel that a call of its own is made of: nobody answers for it, its inner call asks. */
export function handsOn(prepared: Prepared): boolean {
  return prepared.kind === "run" && prepared.passesOn === true;
}

/**
 * Reads the answer that came with a call, and uses it up: a state can be shown once, with the same call and under the same identity.
 * The call itself is then judged anew as a whole, and an answer that is no yes refuses it even if policy no longer asks.
 */
export function replyOf(core: Core, { state, responses = {} }: RetryChannel, { call }: MadeCall): Reply | undefined {
  if (state === undefined) return undefined;
  const shown = core.questions.take(state, scopeOf(core, call));
  if (shown === undefined) return { accepted: false, code: "confirm.state_invalid" };
  if (!Object.hasOwn(responses, CONFIRM_KEY)) return undefined;
  const outcome = elicitationOutcome(responses[CONFIRM_KEY]);
  if (outcome !== "accepted") return { accepted: false, code: CONFIRM_REFUSALS[outcome] };
  return hasMoved(core, shown) ? { accepted: false, code: "confirm.stale" } : { accepted: true };
}

/** Sends a question out with the answer to a call, which waits for nothing: it was judged, and ends here. */
export function askWithAnswer(core: Core, channel: RetryChannel, { made, first }: { made: MadeCall; first: Admission }): CallToolResult {
  const { call } = made;
  const { session, epoch, verdict, decisionId, ticket } = first;
  if (verdict.admitted) throw new Error("an admitted call asks nothing");
  const shown = { epoch, label: session.profile.active };
  channel.ask({
    question: questionAbout({ call, session, locale: core.options.locale }),
    state: core.questions.open(scopeOf(core, call), shown),
  });
  ticket?.ended();
  return refusalResult(verdict.refusal, decisionId);
}

function scopeOf({ options }: Core, call: MadeCall["call"]): QuestionScope {
  const { claim, engine } = options;
  return { session: claim.sessionId, agent: claim.agentId, call, policy: engine?.digest ?? "" };
}

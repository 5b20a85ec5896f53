import type { MadeCall } from "../call/make-call.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Verdict } from "../gate/verdict.ts";
import type { Decision } from "../policy/decision.ts";
import type { Admission } from "./admission.ts";
import { CONFIRM_REFUSALS } from "./confirm.ts";
import type { Core } from "./core.ts";
import { hasMoved } from "./moved.ts";
import type { AdmissionRequest } from "./judge-call.ts";
import { questionAbout } from "./question.ts";
import { admitInTurn } from "./shared-admission.ts";
import { onAbort } from "./signals.ts";

/** A call that policy allows if the human in the session agrees. */
export interface PendingCall {
  readonly made: MadeCall;
  readonly first: Admission;
  readonly decision: Decision;
  /** Aborted when the caller no longer wants an answer. */
  readonly signal: Withdrawal | undefined;
  /** Whether the caller's own object still says what is judged. */
  readonly isIntact: (() => boolean) | undefined;
}

/** The policy's decision, if the human must be asked before it holds. */
export function pendingDecision({ verdict }: Admission): Decision | undefined {
  return !verdict.admitted && verdict.refusal.code === "confirm.pending" ? verdict.decision : undefined;
}

/**
 * Asks the human and judges the call again: while they thought, the profile may have been switched and the policy's answer may have
 * changed (design §6). Each answer is a decision of its own on record.
 * @returns undefined when the call was cancelled meanwhile
 */
export async function settlePending(core: Core, pending: PendingCall): Promise<Admission | undefined> {
  const { made, first, decision } = pending;
  if (core.confirm === undefined) throw new Error("a call waits for a human although nobody can be asked");
  const withdrawal = new AbortController();
  const { signal } = withdrawal;
  const release = onAbort([pending.signal, core.shutdown.signal], () => withdrawal.abort());
  try {
    const { call } = made;
    const { session, epoch } = first;
    const question = questionAbout({ call, session, locale: core.options.locale });
    const outcome = await core.confirm({ call, decision, session, question, signal });
    if (signal.aborted) return undefined;
    const shown = { epoch, label: session.profile.active };
    const request = (isStale: boolean): AdmissionRequest => {
      if (outcome !== "accepted") return refusedBy(pending, CONFIRM_REFUSALS[outcome]);
      if (isStale || hasMoved(core, shown)) return refusedBy(pending, "confirm.stale");
      return { made, confirmation: () => "settled", isIntact: pending.isIntact };
    };
    return await admitInTurn(core, { made, counts: false, request });
  } finally {
    release();
  }
}

function refusedBy({ made, decision }: PendingCall, code: RefusalCode): AdmissionRequest {
  const verdict: Verdict = { admitted: false, refusal: refuse("confirm", code), decision };
  return { made, confirmation: () => "none", verdict };
}

import type { ApprovalCode } from "../gate/approval.ts";
import { refuseUnapproved } from "../gate/approval.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { ApprovalUse, UseEnd } from "../govern/approval-use.ts";
import type { SessionView } from "../session/session.ts";
import { approvalFault } from "./approvals.ts";
import type { Core } from "./core.ts";
import { handlerRefusal, type HandlerEnd } from "./handler.ts";
import { hasMoved } from "./moved.ts";
import { refusalResult } from "./results.ts";
import { untilEnd } from "./until-end.ts";

/** Uses the approval of an admitted call right before its handler; what is answered instead when that cannot be. */
export async function useApproval(core: Core, use: ApprovalUse, { decisionId, session, epoch }: Moment): Promise<HandlerEnd | undefined> {
  try {
    const ending = await untilEnd(use.begin(), core.shutdown.signal);
    if (ending !== undefined) return unapproved(`approval.${ending}`, { id: use.id, decisionId });
  } catch (error) {
    core.report(error);
    return unapproved(approvalFault(error), { id: use.id, decisionId });
  }
  if (core.shared !== undefined && !(await core.shared.refresh(""))) {
    await endUse(core, use, "stale");
    return { status: "error", code: "store.unavailable", result: handlerRefusal(decisionId, "store.unavailable") };
  }
  const isStopped = core.options.authorities?.stops.reasonFor() !== undefined;
  if (!isStopped && !hasMoved(core, { epoch, label: session.profile.active })) return undefined;
  await endUse(core, use, "stale");
  if (isStopped) return { status: "error", code: "gate.stopped", result: handlerRefusal(decisionId, "gate.stopped") };
  return unapproved("approval.stale", { id: use.id, decisionId });
}

/** The session as it was when the call was admitted. */
interface Moment {
  readonly decisionId: string;
  readonly session: SessionView;
  readonly epoch: number;
}

/** The end of a call that did not run for want of an approval. */
export function unapproved(code: ApprovalCode, { id, decisionId }: { readonly id: string; readonly decisionId: string }): HandlerEnd {
  return { status: "error", code, result: refusalResult(refuseUnapproved({ code, id }), decisionId) };
}

/** Answers after which nobody knows whether the call was executed elsewhere. */
const UNKNOWN: ReadonlySet<string | undefined> = new Set<RefusalCode>([
  "delegate.indeterminate",
  "upstream.outcome_unknown",
  "upstream.timeout",
]);

/** How the use of an approval ends with a call: whoever stopped it, or lost sight of it, does not know how far it came. */
export function useEndOf({ status, code }: HandlerEnd): UseEnd {
  if (status === "ok" || status === "dry_run") return "done";
  return status === "timeout" || status === "cancelled" || UNKNOWN.has(code) ? "indeterminate" : "failed";
}

/** Tells how the call of a use ended. A session that ends waits no longer for a store that does not answer: the end is `indeterminate` then. */
export async function endUse(core: Core, use: ApprovalUse, how: UseEnd): Promise<void> {
  try {
    await untilEnd(use.end(how), core.shutdown.signal);
  } catch (error) {
    core.report(error);
  }
}

import { bindCall } from "./approval-binding.ts";
import type { BindingFacts, BoundCall } from "./approval-binding.ts";
import { isOver } from "./approval-clock.ts";
import { closeFiled, endFiled, useRecord } from "./approval-filed.ts";
import type { Desk, Ending, Filed } from "./approval-filed.ts";
import { ruling } from "./approval-votes.ts";

/** How a call ended that ran on an approval. */
export type UseEnd = "done" | "failed" | "indeterminate" | "stale";

/** The right to run one call once. */
export interface ApprovalUse {
  readonly id: string;
  /** Uses the approval, durably, if what would run is still what was approved; else says why not, and nothing may run. */
  begin(): Promise<Ending | undefined>;
  /** Whether what would run is still what was approved; for the last moment before it runs. */
  isUnchanged(): boolean;
  /** Tells how the call ended; never rejects. */
  end(how: UseEnd): Promise<void>;
}

/** Makes the right to run the call of an approved request. */
export function useOf(desk: Desk, filed: Filed, facts: BindingFacts): ApprovalUse {
  const isBound = (): boolean => {
    const bound: BoundCall = bindCall(facts);
    return bound.ok && bound.digest === filed.record.digest;
  };
  return {
    id: filed.id,
    isUnchanged: isBound,
    begin: () => begin(desk, filed, isBound),
    end: (how) => endUse(desk, filed, how),
  };
}

async function endUse(desk: Desk, filed: Filed, how: UseEnd): Promise<void> {
  filed.used = how;
  try {
    await desk.store.end(useRecord(desk, filed, how));
  } catch (error) {
    desk.report(error);
  }
}

/** Everything is looked at again: a human may have been asked in between. */
async function begin(desk: Desk, filed: Filed, isBound: () => boolean): Promise<Ending | undefined> {
  if (filed.used !== undefined) return "used";
  const decided = (await desk.store.outcome(filed.id))?.decided;
  if (decided === undefined || ruling(desk.store.stateDir, filed.record, decided) !== "approved" || !isBound()) {
    await closeFiled(desk, filed, "stale");
    await endFiled(desk, filed, "stale");
    return "stale";
  }
  if (isOver(filed.record, desk.now())) {
    await endFiled(desk, filed, "expired");
    return "expired";
  }
  if (!(await closeFiled(desk, filed, "executing"))) return "used";
  // A shared store takes its time.
  if (!desk.store.isShared || (isBound() && !isOver(filed.record, desk.now()))) return undefined;
  await endUse(desk, filed, "stale");
  return "stale";
}

import type { Approval } from "./ports.ts";

/** What happened to a request. */
export interface ApprovalEvent {
  readonly kind: "pending" | "decided" | "expired";
  readonly approval: Approval;
}

/** Finds out what happened to requests by comparing them with how they were. */
export interface ApprovalWatch {
  /** Events since the last look, in the order of the requests' creation. */
  readonly look: (approvals: readonly Approval[]) => readonly ApprovalEvent[];
}

/** The events that a request of this state has gone through. */
export function eventsOf({ state }: Approval): readonly ApprovalEvent["kind"][] {
  if (state === "pending") return ["pending"];
  return state === "expired" ? ["pending", "expired"] : ["pending", "decided"];
}

/** Makes a watch that has seen nothing yet: the first look gives what waits, not what is over. */
export function createApprovalWatch(): ApprovalWatch {
  let seen: Map<string, Approval["state"]> | undefined;
  return {
    look(approvals) {
      const before = seen;
      seen = new Map(approvals.map(({ id, state }) => [id, state]));
      const events = approvals.flatMap((approval) => changes(approval, before));
      return events.toSorted((a, b) => (a.approval.created_at < b.approval.created_at ? -1 : 1));
    },
  };
}

function changes(approval: Approval, before: ReadonlyMap<string, Approval["state"]> | undefined): readonly ApprovalEvent[] {
  const earlier = before?.get(approval.id);
  if (before === undefined && approval.state !== "pending") return [];
  if (earlier !== undefined && earlier !== "pending") return [];
  const kinds = eventsOf(approval).slice(earlier === undefined ? 0 : 1);
  return kinds.map((kind) => ({ kind, approval }));
}

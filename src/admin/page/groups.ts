import type { Approval } from "./types.ts";

/** Requests of one session, each within a second of the one before: they are shown, and can be decided, together (trial U10). */
export interface Group {
  readonly id: string;
  readonly approvals: readonly Approval[];
}

const TOGETHER_MS = 1_000;
/** A stream of requests without a pause is more than one batch. */
const LONGEST_MS = 10_000;

/** Groups requests; the group that waits longest comes first. */
export function groupsOf(approvals: readonly Approval[]): readonly Group[] {
  const open = new Map<string, { readonly began: number; last: number; readonly approvals: Approval[] }>();
  const groups: Approval[][] = [];
  for (const approval of approvals.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))) {
    const at = Date.parse(approval.created_at);
    const group = open.get(approval.session_id);
    if (group !== undefined && at - group.last <= TOGETHER_MS && at - group.began <= LONGEST_MS) {
      group.last = at;
      group.approvals.push(approval);
      continue;
    }
    const fresh = { began: at, last: at, approvals: [approval] };
    open.set(approval.session_id, fresh);
    groups.push(fresh.approvals);
  }
  return groups.map((members) => ({ id: members.map(({ id }) => id)[0] ?? "", approvals: members }));
}

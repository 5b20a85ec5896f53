import type { Approval } from "./types.ts";

/** Requests of one session that came within a second: they are shown, and can be decided, together (trial U10). */
export interface Group {
  readonly id: string;
  readonly approvals: readonly Approval[];
}

const TOGETHER_MS = 1_000;

/** Groups requests; the group that waits longest comes first. */
export function groupsOf(approvals: readonly Approval[]): readonly Group[] {
  const open = new Map<string, { readonly began: number; readonly approvals: Approval[] }>();
  const groups: Approval[][] = [];
  for (const approval of approvals.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1))) {
    const at = Date.parse(approval.created_at);
    const group = open.get(approval.session_id);
    if (group !== undefined && at - group.began <= TOGETHER_MS) {
      group.approvals.push(approval);
      continue;
    }
    const fresh = { began: at, approvals: [approval] };
    open.set(approval.session_id, fresh);
    groups.push(fresh.approvals);
  }
  return groups.map((members) => ({ id: members.map(({ id }) => id)[0] ?? "", approvals: members }));
}

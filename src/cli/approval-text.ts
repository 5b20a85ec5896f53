import { displayLine } from "../govern/approval-display.ts";
import type { ApprovalView } from "../govern/approval-view.ts";

/** A request in full: where it stands, why it is there, and between two rules exactly the text that a vote signs. */
export function approvalText(view: ApprovalView): string {
  const { id, state, rule, approvers, quorum, votes, created_at: createdAt, expires_at: expiresAt, shown } = view;
  const who = approvers === undefined ? "anybody but the requester" : approvers.map(displayLine).join(", ");
  return [
    `request ${id}: ${state}`,
    `asked ${createdAt}, expires ${expiresAt}`,
    `${quorum} ${quorum === 1 ? "approval" : "approvals"} needed, of ${who}`,
    ...rule.map(({ code, rule: name, message }) => `policy: ${displayLine(message)} (${displayLine(code)}, rule ${displayLine(name)})`),
    ...votes.map(({ owner, key, decision, reason, at }) => {
      const why = reason === "" ? "" : `: ${displayLine(reason)}`;
      return `${decision === "approve" ? "approved" : "denied"} by ${displayLine(owner)} with key ${key} at ${at}${why}`;
    }),
    RULE,
    shown.text.trimEnd(),
    RULE,
    `shown: sha256 ${shown.digest}`,
    "",
  ].join("\n");
}

const RULE = "-".repeat(72);

/** A request as a row of a table. */
export function listedApproval(view: ApprovalView): object {
  const { id, state, tool, requester, agent_id: agent, quorum, votes, expires_at } = view;
  return { id, state, tool, requester: requester.user, agent, votes: `${votes.length}/${quorum}`, expires_at };
}

/** A request on one line, for who watches. */
export function watchedLine({ id, state, tool, requester, expires_at: expiresAt, rule }: ApprovalView): string {
  const why = rule[0] === undefined ? "" : ` (${displayLine(rule[0].message)})`;
  return `${state} ${id} ${displayLine(tool)} for ${displayLine(requester.user)}, expires ${expiresAt}${why}\n`;
}

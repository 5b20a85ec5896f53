import { createHash, createHmac } from "node:crypto";
import type { ApprovalEvent } from "./approval-events.ts";

/** A message as it goes out: the same id, however often it is sent. */
export interface HookMessage {
  readonly id: string;
  /** Request and what happened to it: names the mark that it was delivered. */
  readonly mark: string;
  readonly body: string;
}

/** What a request's message says of it: enough to find it, no argument, no command, no text of a caller but the tool's name. */
export function hookMessage({ kind, approval }: ApprovalEvent, pageUrl: string): HookMessage {
  const { id, tool, state, rule, created_at, expires_at } = approval;
  const mark = `${id}.${kind}`;
  const data = {
    id,
    state: kind === "pending" ? "pending" : state,
    tool,
    rules: rule.map(({ code, rule: name }) => ({ code, rule: name })),
    created_at,
    expires_at,
    link: new URL(`#/requests/${id}`, pageUrl).href,
  };
  const type = { pending: "approval.created", decided: "approval.decided", expired: "approval.expired" }[kind];
  const digest = createHash("sha256").update(`regate/webhook/v1\n${mark}`).digest("base64url");
  return { id: `msg_${digest.slice(0, 27)}`, mark, body: JSON.stringify({ type, timestamp: timeOf({ kind, approval }), data }) };
}

/** When it happened, the same for every attempt: the vote that decided, the expiry, or the filing. */
function timeOf({ kind, approval }: ApprovalEvent): string {
  if (kind === "expired") return approval.expires_at;
  const last = approval.votes.map(({ at }) => at).toSorted((a, b) => (a < b ? -1 : 1));
  return kind === "decided" ? (last.at(-1) ?? approval.created_at) : approval.created_at;
}

/** The headers of one attempt, as Standard Webhooks defines them (version 1, HMAC-SHA256 over id, time and body). */
export function hookHeaders({ id, body }: HookMessage, secret: Buffer, now: Date): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "regate",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

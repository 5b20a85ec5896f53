import { refuse } from "./refuse.ts";
import { REFUSALS, type RefusalCode } from "./refusals.ts";
import type { Refusal } from "./verdict.ts";

/** Codes of the approval stage, and that of a shared store that cannot be used. */
export type ApprovalCode = Extract<RefusalCode, `approval.${string}` | "store.unavailable">;

/** What policy is told of a human's decision, as `input.approval` (design §2). */
export interface ApprovalGrant {
  readonly approved: true;
  /** Owners of the keys that approved. */
  readonly approvers: string[];
  /** RFC 3339 UTC. */
  readonly at: string;
}

/** What the store of approvals says about one call: granted, or why not; `id` is the request's public id. */
export type ApprovalAnswer =
  | { readonly granted: ApprovalGrant }
  | { readonly granted?: undefined; readonly code: ApprovalCode; readonly id?: string | undefined };

/** The refusal of a call that no human has approved; its text names the request, and `resolve` of a pending one too (design §5). */
export function refuseUnapproved({ code, id }: { readonly code: ApprovalCode; readonly id?: string | undefined }): Refusal {
  if (code === "store.unavailable") return refuse("admission", code);
  const text = REFUSALS[code].text.replaceAll("{id}", id ?? "");
  return refuse("approval", code, { text, ...(code === "approval.pending" && id !== undefined ? { remedy: `approval:${id}` } : {}) });
}

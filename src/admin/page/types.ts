import type { z } from "zod";
import type { approvalListSchema, approvalSchema } from "../schemas/approvals.ts";
import type { decisionPageSchema, decisionSchema } from "../schemas/decisions.ts";
import type { sessionSchema } from "../schemas/sessions.ts";
import type { elevationsSchema, leaseSchema, recordingSchema, stopSchema, stopsSchema } from "../schemas/stores.ts";

/** What the API answers, as its schemas say. */
export type Approval = z.infer<typeof approvalSchema>;
export type ApprovalList = z.infer<typeof approvalListSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type DecisionPage = z.infer<typeof decisionPageSchema>;
export type Session = z.infer<typeof sessionSchema>;
export type Stop = z.infer<typeof stopSchema>;
export type Stops = z.infer<typeof stopsSchema>;
export type Elevations = z.infer<typeof elevationsSchema>;
export type Lease = z.infer<typeof leaseSchema>;
export type Recording = z.infer<typeof recordingSchema>;

/** Whose key the page was signed in with. */
export interface Me {
  readonly key: string;
  readonly owner: string;
}

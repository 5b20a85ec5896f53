import { z } from "zod";

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** States of a request (design §8). */
export const approvalStates = [
  "pending",
  "approved",
  "denied",
  "expired",
  "stale",
  "executing",
  "done",
  "failed",
  "indeterminate",
] as const;

/** One request for an approval, with exactly the text that an approver decides on. */
export const approvalSchema = z
  .object({
    id: z.string(),
    state: z.enum(approvalStates),
    session_id: z.string(),
    agent_id: z.string(),
    requester: z.object({ user: z.string(), uid: z.int() }),
    tool: z.string(),
    rule: z.array(z.object({ code: z.string(), rule: z.string(), message: z.string() })),
    approvers: z.array(z.string()).optional().describe("owners who may decide; everybody but the requester unless given"),
    quorum: z.int(),
    votes: z.array(
      z.object({ owner: z.string(), key: z.string(), decision: z.enum(["approve", "deny"]), reason: z.string(), at: z.string() }),
    ),
    created_at: z.string(),
    expires_at: z.string(),
    workdir: z.string(),
    profile: z.string().nullable(),
    digest: z.string(),
    shown: z.object({ text: z.string(), digest }).describe("the whole text on which a vote is given, and its SHA-256"),
  })
  .meta({ id: "Approval" });

/** Requests, the newest first. */
export const approvalListSchema = z
  .object({ approvals: z.array(approvalSchema), total: z.int().describe("how many match; `approvals` holds at most `limit` of them") })
  .meta({ id: "ApprovalList" });

/** Filters of requests as the query string has them. */
export const approvalQuerySchema = z.strictObject({
  state: z.enum(approvalStates).optional(),
  session: z.string().max(128).optional(),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/)
    .optional()
    .describe("1 to 999, 100 unless given"),
});

/** Name of a request in a path. */
export const approvalParamsSchema = z.strictObject({ id: z.string().regex(/^[A-Za-z0-9_-]{16,64}$/) });

/** A vote: the reason, and the digest of the text that the approver saw. */
export const voteSchema = z
  .strictObject({ reason: z.string().max(2_000), shown: digest.describe("`shown.digest` of the text that was shown") })
  .meta({ id: "Vote" });

import { z } from "zod";

const reason = z.object({
  code: z.string(),
  rule: z.string(),
  message: z.string(),
  remedy: z.string().nullable(),
});

/** One decision (docs/admin.md). */
export const decisionSchema = z
  .object({
    decision_id: z.string(),
    parent_decision_id: z.string().nullable(),
    time: z.string().describe("RFC 3339 UTC with nanoseconds"),
    session_id: z.string(),
    agent_id: z.string(),
    user: z.string(),
    tool: z.string(),
    command_key: z.string().nullable(),
    path: z.string().describe("direct, execute, script or delegated"),
    risk: z.string(),
    dry_run: z.boolean(),
    allowed: z.boolean(),
    stage: z.string(),
    code: z.string().nullable().describe("null when the call was allowed"),
    reasons: z.array(reason),
    warnings: z.array(reason),
    deny_reason: z.string().nullable(),
    explanation: z.object({ meaning: z.string(), remedy: z.string() }).nullable(),
    arguments: z.string().describe("JSON text, redacted, with every control and format character as a visible escape"),
    bundle: z.string().nullable(),
    seq: z.int(),
    hash: z.string(),
    erased: z.array(z.string()).describe("JSON pointers of what was erased"),
    outcome: z
      .object({ status: z.string(), code: z.string().nullable(), duration_ms: z.number(), facts: z.string() })
      .nullable()
      .describe("null when the call was refused, still runs, or left none"),
  })
  .meta({ id: "Decision" });

/** A page of decisions. */
export const decisionPageSchema = z
  .object({
    decisions: z.array(decisionSchema),
    next: z.string().nullable().describe("cursor of the next older page"),
    scanned: z.int(),
    unreadable: z.int(),
  })
  .meta({ id: "DecisionPage" });

/** Time as RFC 3339 in UTC; compared as text with times that have nanoseconds. */
const time = z.iso.datetime();

/** Filters of decisions as the query string has them. */
export const decisionQuerySchema = z.strictObject({
  session: z.string().max(128).optional(),
  tool: z.string().max(256).optional(),
  code: z.string().max(128).optional(),
  allowed: z.enum(["true", "false"]).optional(),
  text: z.string().min(1).max(1_000).optional(),
  since: time.optional(),
  until: time.optional(),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/)
    .optional()
    .describe("1 to 999, 50 unless given"),
  cursor: z.string().max(12_000).optional(),
});

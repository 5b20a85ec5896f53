import { z } from "zod";

const reason = z.object({ code: z.string(), rule: z.string(), message: z.string(), remedy: z.string().optional() });
const condition = z.object({
  rule: z.string(),
  code: z.string().optional(),
  file: z.string(),
  line: z.int(),
  source: z.string(),
  found: z.string(),
});

/** The call that is to be explained: a command of run_shell, or any tool with its arguments. */
export const explainCallSchema = z
  .union([
    z.strictObject({ command: z.string().min(1).max(65_536) }),
    z.strictObject({ tool: z.string().min(1).max(256), arguments: z.record(z.string(), z.json()).optional() }),
  ])
  .meta({ id: "ExplainCall" });

/** How the gate would answer the call, and why (docs/governed-tools.md). */
export const explanationSchema = z
  .object({
    outcome: z.enum(["allowed", "denied", "approval_required", "confirmation_required"]),
    tool: z.string(),
    command: z.string().optional(),
    args: z.array(z.string()).optional(),
    stages: z.array(z.object({ stage: z.string(), status: z.string(), code: z.string().optional(), reason: z.string().optional() })),
    reasons: z.array(reason),
    failed_conditions: z.array(condition),
    matched_conditions: z.array(condition),
    conditions_unavailable: z.string().optional(),
    warnings: z.array(reason),
    next_steps: z.array(z.string()),
  })
  .meta({ id: "Explanation" });

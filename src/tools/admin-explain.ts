import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import type { Explanation } from "../govern/explanation.ts";
import { ToolError } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** What admin_explain needs: the explanation of a run_shell call of this session with that command. */
export interface AdminExplainPorts {
  readonly explainCommand: (command: string) => Promise<Explanation>;
}

const input = z.strictObject({
  command: z.string().describe("command line to explain; it is split on whitespace and never executed"),
});

const status = z.enum(["allowed", "denied", "not_configured", "not_required", "not_reached", "approval_required", "confirmation_required"]);
const reason = z.strictObject({ code: z.string(), rule: z.string(), message: z.string(), remedy: z.string().optional() });
const condition = z.strictObject({
  rule: z.string(),
  code: z.string().optional(),
  file: z.string(),
  line: z.int(),
  source: z.string(),
  found: z.string(),
});

const output = z.strictObject({
  outcome: z.enum(["allowed", "denied", "approval_required", "confirmation_required"]),
  tool: z.string(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  stages: z.array(z.strictObject({ stage: z.string(), status, code: z.string().optional(), reason: z.string().optional() })),
  reasons: z.array(reason),
  failed_conditions: z.array(condition),
  matched_conditions: z.array(condition),
  conditions_unavailable: z.string().optional(),
  warnings: z.array(reason),
  next_steps: z.array(z.string()),
});

/**
 * admin_explain (seed 003; design §8): `{command}` → why a run_shell call of this session with that command would be answered as it would
 * be, with every stage of the gate, the conditions that failed and what would have to change. The command is never executed.
 */
export function adminExplainTool({ explainCommand }: AdminExplainPorts): Tool {
  return {
    name: "admin_explain",
    title: "Explain a decision",
    description:
      "Explains how the gate would answer run_shell with a command in this session: every stage, the policy's reasons, the conditions that failed and what would have to change. The command is not executed.",
    input,
    output,
    timeoutMs: 120_000,
    async handler(args) {
      const { command } = args as z.infer<typeof input>;
      if (command.trim() === "") throw new ToolError("explain: command is required");
      return { structured: (await explainCommand(command)) as unknown as JsonObject };
    },
  };
}

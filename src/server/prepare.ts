import type { JsonObject } from "../call/json.ts";
import { frozenCopy } from "../call/frozen-copy.ts";
import { isLocalShell } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { checkArguments } from "../tools/arguments.ts";
import { planOf } from "../tools/plan.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolContext, ToolOutput } from "../tools/tool.ts";
import type { CallRequest, CallToolResult } from "./corridor-types.ts";

/** What an admitted call would run, found before it is judged and without looking at the verdict. */
export type Prepared =
  | {
      readonly kind: "run";
      readonly timeoutMs?: number;
      readonly start: (context: ToolContext) => Promise<CallToolResult>;
      readonly passesOn?: true;
    }
  | { readonly kind: "invalid"; readonly problem: string }
  | { readonly kind: "unknown" };

/**
 * Finds the handler of a call and checks the arguments against its schema. Of a handler that came with the call nothing is known but
 * this: a run_shell call without a command runs nowhere, since only its command was classified.
 */
export function prepare(registry: ToolRegistry, request: CallRequest, call: ToolCall): Prepared {
  if (request.isUnknown === true) return { kind: "unknown" };
  if (request.handler !== undefined) return prepareGiven(request.handler, call);
  const registered = registry.get(call.tool);
  if (registered === undefined) return { kind: "unknown" };
  const { tool } = registered;
  const args = checkArguments(tool.input, call.arguments);
  if (!args.ok) return { kind: "invalid", problem: args.problem };
  const start = call.dryRun ? startPlan : (context: ToolContext) => startTool(tool, args.value, context);
  return { kind: "run", timeoutMs: tool.timeoutMs, start, ...(tool.passesOn === undefined ? {} : { passesOn: tool.passesOn }) };
}

/** Whether the caller's own object still says what was judged; getters and later writes can change it (trial P06). */
export function isUnchanged(request: CallRequest, call: ToolCall): boolean {
  if (request.isPrivate === true) return true;
  const now = frozenCopy(request.arguments);
  return now.ok && JSON.stringify(now.value) === JSON.stringify(call.arguments);
}

function prepareGiven(handler: NonNullable<CallRequest["handler"]>, call: ToolCall): Prepared {
  if (isLocalShell(call.tool, call.facts) && typeof call.arguments["command"] !== "string") {
    return { kind: "invalid", problem: "`command`: expected string" };
  }
  return { kind: "run", start: call.dryRun ? startPlan : (context) => handler(call.arguments, context) };
}

function startPlan({ call, decision }: ToolContext): Promise<CallToolResult> {
  return Promise.resolve(resultOf(planOf(call, decision)));
}

async function startTool(tool: Tool, args: JsonObject, context: ToolContext): Promise<CallToolResult> {
  const output = await tool.handler(args, context);
  // Checked by the corridor like every handler's result.
  if (output.passed !== undefined) return output.passed as CallToolResult;
  const checked = tool.output.safeParse(output.structured);
  if (!checked.success) throw new Error(`the result of \`${tool.name}\` does not fit its output schema`, { cause: checked.error });
  return resultOf(output);
}

function resultOf({ structured, text }: ToolOutput): CallToolResult {
  return { content: [{ type: "text", text: text ?? JSON.stringify(structured) }], structuredContent: structured };
}

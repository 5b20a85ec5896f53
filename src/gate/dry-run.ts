import { isLocalShell } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";

/** Whether a call must first be tried dry (seed 003): a destructive run_shell without the strict boolean `dry_run: true`. */
export function needsDryRun(call: ToolCall, required: boolean): boolean {
  return required && isLocalShell(call.tool, call.facts) && call.risk === "destructive" && !call.dryRun;
}

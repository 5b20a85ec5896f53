import type { JsonObject } from "../../src/call/json.ts";
import type { ToolCall } from "../../src/call/tool-call.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

/** A call of run_shell, as it is when it has been made. */
export function shellCall(args: JsonObject, facts: Partial<ToolCall["facts"]> = {}): ToolCall {
  return {
    tool: "run_shell",
    arguments: args,
    path: "direct",
    time: "2026-11-30T16:26:40.123Z",
    facts: {
      name: "run_shell",
      command_key: "run_shell",
      source: "local",
      server: "",
      known: true,
      read_only: false,
      destructive: true,
      handoff: false,
      live_write: false,
      open_world: true,
      pinned: false,
      ...facts,
    },
    risk: "mutable",
    dryRun: false,
  };
}

/** A context around arguments, as the corridor gives it to a handler. */
export function contextOf(args: JsonObject, signal: AbortSignal = new AbortController().signal): ToolContext {
  return {
    call: shellCall(args),
    decision: { allow: true, reasons: [], effect: "none", confirm: "none" },
    session: {
      claim: { sessionId: "mcp-1", agentId: "a" },
      user: "u",
      groups: [],
      identity: { identity_confirmed: false, confirmed_profile: null, epoch: 0 },
      profile: { active: null },
      variables: {},
      client: { elicitation: false },
      usage: { calls: 0, tool_calls: 0, calls_last_minute: 0, running: 0, denied: 0, elapsed_seconds: 0 },
    },
    link: { decisionId: "d-1", scripted: false },
    signal,
    ending: signal,
  };
}

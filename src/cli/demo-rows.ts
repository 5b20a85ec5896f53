import type { JsonObject } from "../call/json.ts";
import type { CallReport, DemoClient } from "../server/demo-client.ts";

/** Name of a server of the demo. */
export type DemoServer = "governed" | "session" | "default";

/** One row of the demo: a call, and what must come back. */
export interface DemoRow {
  readonly server: DemoServer;
  /** What is tried, for people. */
  readonly title: string;
  readonly send: (client: DemoClient) => Promise<CallReport>;
  readonly verdict: "allowed" | "refused" | "protocol error" | "cancelled";
  readonly code: string;
  /** Text that must be in the answer. */
  readonly text: string | RegExp;
}

/** Agent id of the governed server, which no argument may replace. */
export const DEMO_AGENT = "demo-agent";
/** File that must still be there at the end: nothing destructive was executed. */
export const DEMO_VICTIM = "precious.txt";

const DELETE = `rm -rf ${DEMO_VICTIM}`;
const SLEEP_MS = 200;

function tool(name: string, args: JsonObject = {}): (client: DemoClient) => Promise<CallReport> {
  return async (client) => client.call(name, args);
}

/** The agents that the decision log names, as one text; the log's lines are the text of audit_log. */
async function agentsInLog(client: DemoClient): Promise<CallReport> {
  const report = await client.call("audit_log", { limit: 1000 });
  const events = report.text
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as { input?: { agent?: { id?: unknown } } }] : []));
  const agents = new Set(events.flatMap((event) => (event.input === undefined ? [] : [String(event.input.agent?.id)])));
  return { ...report, text: `agents in the log: ${[...agents].join(", ")}` };
}

/** The calls of the demo in their order; together they show every stage of the gate (design §5). */
export const DEMO_ROWS: readonly DemoRow[] = [
  { server: "governed", title: "list_sessions", send: tool("list_sessions"), verdict: "allowed", code: "", text: "mcp-" },
  {
    server: "governed",
    title: "run_shell echo",
    send: tool("run_shell", { command: "echo hello" }),
    verdict: "allowed",
    code: "",
    text: "hello",
  },
  {
    server: "governed",
    title: "a tool that is not on the allowlist",
    send: tool("cloud_query", { namespace: "aws", function: "list_buckets" }),
    verdict: "refused",
    code: "agent.not_entitled",
    text: "agent: tool is not entitled",
  },
  {
    server: "governed",
    title: `run_shell ${DELETE}`,
    send: tool("run_shell", { command: DELETE }),
    verdict: "refused",
    code: "agent.dry_run_required",
    text: "agent: destructive action requires dry_run=true",
  },
  {
    server: "governed",
    title: 'the same as a string, dry_run: "true"',
    send: tool("run_shell", { command: DELETE, dry_run: "true" }),
    verdict: "refused",
    code: "agent.dry_run_required",
    text: "agent: destructive action requires dry_run=true",
  },
  {
    server: "governed",
    title: "the same with dry_run: true",
    send: tool("run_shell", { command: DELETE, dry_run: true }),
    verdict: "allowed",
    code: "",
    text: "rm",
  },
  {
    server: "governed",
    title: "an admin tool: the policy denies it",
    send: tool("admin_list_sessions"),
    verdict: "refused",
    code: "policy.denied",
    text: /./,
  },
  {
    server: "governed",
    title: "arguments agent_id and session_id",
    send: tool("run_shell", { command: "echo claimed", agent_id: "root", session_id: "mcp-1" }),
    verdict: "allowed",
    code: "",
    text: "claimed",
  },
  {
    server: "governed",
    title: "… and who the log says that was",
    send: agentsInLog,
    verdict: "allowed",
    code: "",
    text: `agents in the log: ${DEMO_AGENT}`,
  },
  {
    server: "governed",
    title: "an argument that the tool does not have",
    send: tool("run_shell", { command: "echo hello", sudo: true }),
    verdict: "refused",
    code: "call.arguments_invalid",
    text: "call: arguments do not match the tool's schema",
  },
  {
    server: "governed",
    title: "a command that is cancelled",
    send: async (client) => client.cancelledCall({ tool: "run_shell", args: { command: "sleep 60" }, afterMs: SLEEP_MS }),
    verdict: "cancelled",
    code: "cancelled",
    text: /./,
  },
  {
    server: "governed",
    title: "a message with `params` and `Params`",
    send: async (client) =>
      client.raw({
        jsonrpc: "2.0",
        id: "two-readings",
        method: "tools/call",
        params: { name: "list_sessions", arguments: {} },
        Params: { name: "run_shell", arguments: { command: DELETE } },
      }),
    verdict: "protocol error",
    code: "-32600",
    text: "Params",
  },
  {
    server: "session",
    title: "a tool that does not exist",
    send: tool("no_such_tool"),
    verdict: "protocol error",
    code: "-32602",
    text: "no_such_tool",
  },
  {
    server: "default",
    title: "a change before the identity is confirmed",
    send: tool("run_shell", { command: "touch changed" }),
    verdict: "refused",
    code: "identity.unconfirmed",
    text: "identity",
  },
];

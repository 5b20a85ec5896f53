import { redactJson } from "../audit/redact.ts";
import type { JsonObject } from "../call/json.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import { listApprovals } from "../govern/approval-list.ts";
import { listElevations } from "../govern/elevations.ts";
import { listLeases } from "../govern/leases.ts";
import { listRecordings } from "../govern/recording-list.ts";
import type { SessionRegistry } from "../session/registry.ts";
import { adminExplainTool } from "../tools/admin-explain.ts";
import { adminListTools } from "../tools/admin-lists.ts";
import { identityStatusTool } from "../tools/identity-status.ts";
import type { Tool } from "../tools/tool.ts";
import type { Conditions } from "./conditions.ts";
import type { OpenCorridor } from "./corridor.ts";
import { explainCall } from "./explainer.ts";

/** What the governed tools of one session look at. */
export interface GovernedToolsOptions {
  readonly stateDir: string;
  readonly sessions: SessionRegistry;
  readonly hasAllowlist: boolean;
  readonly requireDryRun: boolean;
  /** Made after the tools. */
  readonly corridor: () => Pick<OpenCorridor, "look" | "identify">;
  readonly conditionsOf: (input: Readonly<JsonObject>) => Promise<Conditions>;
}

/** The governed tools (seed 003): they pass the gate like every other tool, and decide nothing. */
export function governedTools(options: GovernedToolsOptions): readonly Tool[] {
  const { stateDir, sessions, corridor } = options;
  const lists = adminListTools({
    listSessions: () => sessions.list(),
    listApprovals: () => approvalsIn(stateDir),
    listRecordings: (signal) => listRecordings(stateDir, signal),
    listElevations: () => listElevations(stateDir, new Date()),
    listLeases: () => listLeases(stateDir, new Date()),
  });
  const explain = adminExplainTool({
    async explainCommand(command) {
      const call = { tool: RUN_SHELL, arguments: { command } };
      const { explanation } = await explainCall({ ...options, corridor: corridor() }, call);
      return explanation;
    },
  });
  return [...lists.map(redacting), explain, identityStatusTool()];
}

/** One file that cannot be read hides no other. */
function approvalsIn(stateDir: string) {
  let unreadable = 0;
  const approvals = listApprovals(stateDir, { now: new Date(), onProblem: () => (unreadable += 1) });
  return { approvals, unreadable };
}

/** What humans wrote into a reason may hold a secret: everything passes the one redactor on its way out (design §10). */
function redacting(tool: Tool): Tool {
  return {
    ...tool,
    async handler(args, context) {
      const { structured } = await tool.handler(args, context);
      return { structured: redactJson(structured).value };
    },
  };
}

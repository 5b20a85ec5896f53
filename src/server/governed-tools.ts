import { redactJson } from "../audit/redact.ts";
import type { JsonObject } from "../call/json.ts";
import { RUN_SHELL } from "../call/make-call.ts";
import { listApprovals } from "../govern/approval-list.ts";
import type { ApprovalStore } from "../govern/approval-store.ts";
import { deviceError } from "../govern/device-error.ts";
import type { DeviceIssuer, LoginNotice } from "../govern/device-login.ts";
import { listElevations } from "../govern/elevations.ts";
import { listLeases } from "../govern/leases.ts";
import { listRecordings } from "../govern/recording-list.ts";
import type { SessionRegistry } from "../session/registry.ts";
import { adminExplainTool } from "../tools/admin-explain.ts";
import { adminListTools } from "../tools/admin-lists.ts";
import { identityDeviceLoginTool } from "../tools/identity-device-login.ts";
import type { DeviceLoginPorts } from "../tools/identity-device-login.ts";
import { identityStatusTool } from "../tools/identity-status.ts";
import type { Tool } from "../tools/tool.ts";
import type { Conditions } from "./conditions.ts";
import type { OpenCorridor } from "./corridor.ts";
import { explainCall } from "./explainer.ts";
import type { HumanLine } from "./human-line.ts";
import { approvalStoreOf, type Sharing } from "./sharing.ts";

/** What the governed tools of one session look at. */
export interface GovernedToolsOptions {
  readonly stateDir: string;
  readonly approvals: ApprovalStore;
  readonly sessions: SessionRegistry;
  readonly hasAllowlist: boolean;
  readonly requireDryRun: boolean;
  /** Made after the tools. */
  readonly corridor: () => Pick<OpenCorridor, "look" | "identify">;
  /** Who the session is, for its token. */
  readonly sessionId: string;
  /** Whether the session's user was authenticated on the way in (HTTP with tokens). */
  readonly isAuthenticated?: boolean | undefined;
  readonly deviceIssuer?: DeviceIssuer | undefined;
  /** Shows a notice to the human; undefined when the client cannot. */
  readonly notice: HumanLine["notice"];
  /** Takes one line for stderr. */
  readonly note: (line: string) => void;
  readonly conditionsOf: (input: Readonly<JsonObject>) => Promise<Conditions>;
}

type OfSession = "sessionId" | "isAuthenticated" | "notice" | "corridor";
type OfServer = "stateDir" | "requireDryRun" | "deviceIssuer" | "note";

/** What the governed tools of a session are made from, out of what a server shares and what the session has of its own. */
export function governedOptions(
  shared: {
    readonly options: Pick<GovernedToolsOptions, OfServer> & {
      readonly allowlist?: ReadonlySet<string>;
      readonly sharing?: Sharing | undefined;
    };
    readonly sessions: SessionRegistry;
    readonly conditions: Pick<GovernedToolsOptions, "conditionsOf">;
  },
  session: Pick<GovernedToolsOptions, OfSession>,
): GovernedToolsOptions {
  const { stateDir, requireDryRun, deviceIssuer, note, allowlist } = shared.options;
  const { sessions, conditions } = shared;
  return {
    stateDir,
    approvals: approvalStoreOf(shared.options),
    requireDryRun,
    deviceIssuer,
    note,
    hasAllowlist: allowlist !== undefined,
    sessions,
    ...session,
    conditionsOf: conditions.conditionsOf,
  };
}

/** The governed tools (seed 003): they pass the gate like every other tool, and decide nothing. */
export function governedTools(options: GovernedToolsOptions): readonly Tool[] {
  const { stateDir, approvals, sessions, corridor } = options;
  const lists = adminListTools({
    listSessions: () => sessions.list(),
    listApprovals: () => approvalsIn(approvals),
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
  return [...lists.map(redacting), explain, identityStatusTool(), identityDeviceLoginTool({ login: loginOf(options) })];
}

/** One login at a time: a second one would replace the token of the first. */
function loginOf(options: GovernedToolsOptions): DeviceLoginPorts["login"] {
  const { deviceIssuer: issuer, stateDir, sessionId, isAuthenticated, notice, note, corridor } = options;
  let isRunning = false;
  const show = async (shown: LoginNotice, signal: AbortSignal): Promise<boolean> => {
    const answer = notice(shown, signal);
    if (answer === undefined) note(shown.message);
    return answer ?? true;
  };
  const parts = { issuer, stateDir, sessionId, isAuthenticated, show, identify: (user: string) => corridor().identify(user, []) };
  return async (wish) => {
    if (isRunning) throw deviceError("another login of this session is going on");
    isRunning = true;
    try {
      const { deviceLogin } = await import("../govern/device-login.ts");
      return await deviceLogin(parts, wish);
    } finally {
      isRunning = false;
    }
  };
}

/** One file that cannot be read hides no other. */
async function approvalsIn(store: ApprovalStore) {
  let unreadable = 0;
  const approvals = await listApprovals(store, { now: new Date(), onProblem: () => (unreadable += 1) });
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

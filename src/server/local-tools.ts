import type { Leases } from "../govern/active-leases.ts";
import { readRedactedTail } from "../audit/tail.ts";
import type { ProfileStore } from "../session/profile-store.ts";
import type { SessionRegistry } from "../session/registry.ts";
import { auditLogTool } from "../tools/audit-log.ts";
import { type CloudQueries, withQueries } from "../tools/cloud-queries.ts";
import { cloudQueryTool } from "../tools/cloud-query.ts";
import { describeTool, searchTool } from "../tools/command-catalogue.ts";
import type { StarlarkEngine } from "../starlark/engine.ts";
import { evalStarlarkTool } from "../tools/eval-starlark.ts";
import { executeTool } from "../tools/execute.ts";
import { harnessLoadTool, overviewStatusTool, profileStatusTool, whoamiTool } from "../tools/identity-reads.ts";
import { listSessionsTool } from "../tools/list-sessions.ts";
import { profileChangeTools } from "../tools/profile-changes.ts";
import { runShellTool } from "../tools/run-shell.ts";
import type { Confinement } from "../shell/confinement.ts";
import type { Tool } from "../tools/tool.ts";
import type { CommandBook } from "./commands.ts";
import type { ScriptCalls } from "./script-calls.ts";

/** What the local tools of one session are made from. */
export interface LocalToolsOptions {
  /** Real path of the working directory of commands. */
  readonly workdir: string;
  /** The server's environment; commands get its allow-list only. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly confinement: Confinement;
  /** Secrets that commands of the session get. */
  readonly leases?: Leases;
  /** Further queries of cloud_query. */
  readonly cloudQueries?: CloudQueries | undefined;
  readonly sessions: SessionRegistry;
  /** The session's decision log. */
  readonly logFile: string;
  readonly profiles: ProfileStore;
  readonly commands: CommandBook;
  readonly starlark: StarlarkEngine;
  readonly scripts: ScriptCalls;
}

/** The local tools that a server over stdio offers (design §6, §7). */
export function localTools(options: LocalToolsOptions): readonly Tool[] {
  const { workdir, environment, confinement, sessions, logFile, profiles, commands, starlark, scripts } = options;
  return [
    runShellTool({ workdir, environment, confinement, ...(options.leases === undefined ? {} : { leases: options.leases }) }),
    evalStarlarkTool({ evaluate: starlark.evaluate, callTool: scripts.callTool }),
    listSessionsTool({
      listSessions: () => sessions.list().map(({ id, agent_id, user, created }) => ({ id, agent_id, user, created })),
    }),
    cloudQueryTool({ workdir, environment, confinement, queries: withQueries(options.cloudQueries ?? new Map()) }),
    auditLogTool({ readLog: (query) => readRedactedTail({ ...query, file: logFile }) }),
    whoamiTool(),
    harnessLoadTool(),
    profileStatusTool({ profiles }),
    overviewStatusTool({ profiles }),
    ...profileChangeTools({ profiles }),
    searchTool(commands),
    describeTool(commands),
    executeTool(commands),
  ];
}

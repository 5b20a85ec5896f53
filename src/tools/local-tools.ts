import { auditLogTool } from "./audit-log.ts";
import type { AuditLogPorts } from "./audit-log.ts";
import { listSessionsTool } from "./list-sessions.ts";
import type { ListSessionsPorts } from "./list-sessions.ts";
import { runShellTool } from "./run-shell.ts";
import type { RunShellPorts } from "./run-shell.ts";
import type { Tool } from "./tool.ts";

/** What the local tools of one server need, together. */
export interface LocalToolPorts extends RunShellPorts, ListSessionsPorts, AuditLogPorts {}

/** The local tools of one server, in the order in which they are listed (design §7). */
export function localTools(ports: LocalToolPorts): readonly Tool[] {
  return [runShellTool(ports), listSessionsTool(ports), auditLogTool(ports)];
}

import { z } from "zod";
import type { Tool } from "./tool.ts";

/** What list_sessions shows of a session: no command, no token. */
export interface SessionSummary {
  readonly id: string;
  readonly agent_id: string;
  readonly user: string;
  /** RFC 3339 UTC. */
  readonly created: string;
  /** RFC 3339 UTC; left out where nobody counts. */
  readonly last_active?: string;
  readonly calls?: number;
}

/** What list_sessions needs: the sessions of this process, sorted by id. */
export interface ListSessionsPorts {
  readonly listSessions: () => readonly SessionSummary[];
}

const MAX_SESSIONS = 1000;

const session = z.strictObject({
  id: z.string(),
  agent_id: z.string(),
  user: z.string(),
  created: z.string(),
  last_active: z.string().optional(),
  calls: z.int().optional(),
});

/** list_sessions (design §7): the sessions of this process, at most 1,000. */
export function listSessionsTool({ listSessions }: ListSessionsPorts): Tool {
  return {
    name: "list_sessions",
    title: "List sessions",
    description: "Lists the sessions of this server process: id, agent, user and when they began.",
    input: z.strictObject({}),
    output: z.strictObject({ sessions: z.array(session) }),
    timeoutMs: 10_000,
    handler: () => Promise.resolve({ structured: { sessions: listSessions().slice(0, MAX_SESSIONS).map(summaryOf) } }),
  };
}

/** Only the named fields: a registry may know more than an agent should. */
function summaryOf({ id, agent_id, user, created, last_active, calls }: SessionSummary): Record<string, string | number> {
  return { id, agent_id, user, created, ...(last_active === undefined ? {} : { last_active }), ...(calls === undefined ? {} : { calls }) };
}

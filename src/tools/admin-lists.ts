import { z } from "zod";
import type { ApprovalView } from "../govern/approval-view.ts";
import type { ElevationList } from "../govern/elevations.ts";
import { isGovernError } from "../govern/govern-error.ts";
import type { LeaseList } from "../govern/leases.ts";
import type { RecordingEntry } from "../govern/recording-list.ts";
import type { SessionEntry } from "../session/registry.ts";
import {
  activeElevation,
  approval,
  approvalOf,
  chainLine,
  elevationOf,
  lease,
  leaseOf,
  lineOf,
  recording,
  recordingOf,
  session,
  sessionOf,
} from "./admin-views.ts";
import { ToolError } from "./tool-error.ts";
import type { Tool, ToolOutput } from "./tool.ts";

/** What the listing tools look at. They look only: there is no tool that decides (seed 003). */
export interface AdminListPorts {
  /** The sessions of this process, sorted by id. */
  readonly listSessions: () => readonly SessionEntry[];
  /** The requests for approval, the oldest first, and how many files are none. */
  readonly listApprovals: () => Promise<{ readonly approvals: readonly ApprovalView[]; readonly unreadable: number }>;
  /** The recordings of the state directory, by name. */
  readonly listRecordings: (signal: AbortSignal) => Promise<readonly RecordingEntry[]>;
  /** The proven chain; throws when there is none. */
  readonly listElevations: () => ElevationList;
  readonly listLeases: () => LeaseList;
}

/** Most entries of one answer, the newest, so that it stays below 2 MB. */
const MAX_ENTRIES = 1_000;
const TIMEOUT_MS = 60_000;
const NOTHING = z.strictObject({});

/** The five governed tools that list (seed 003; design §7, §8): no token, no arguments, no command and no secret is in any of them. */
export function adminListTools(ports: AdminListPorts): readonly Tool[] {
  const { listSessions, listApprovals, listRecordings, listElevations, listLeases } = ports;
  return [
    listTool({
      name: "admin_list_sessions",
      title: "List sessions with their identity",
      description: "Lists the sessions of this server process: id, agent, user, principals and when they began.",
      output: z.strictObject({ sessions: z.array(session) }),
      list: () => ({ sessions: newest(listSessions()).map(sessionOf) }),
    }),
    listTool({
      name: "admin_list_approvals",
      title: "List requests for approval",
      description:
        "Lists requests for a human's approval: public id, state, tool, session, agent, expiry and the policy's reason. Nothing can be decided here.",
      output: z.strictObject({ approvals: z.array(approval), unreadable: z.int().optional() }),
      async list() {
        const { approvals, unreadable } = await listApprovals();
        return { approvals: newest(approvals).map(approvalOf), ...unread(unreadable) };
      },
    }),
    listTool({
      name: "admin_list_recordings",
      title: "List recordings",
      description:
        "Lists the recordings of sessions: name, session, size, number of events and digest. Nothing of what was recorded is shown.",
      output: z.strictObject({ recordings: z.array(recording) }),
      list: async (signal) => ({ recordings: newest(await listRecordings(signal)).map(recordingOf) }),
    }),
    listTool({
      name: "admin_list_elevations",
      title: "List elevations",
      description: "Lists the signed chain of elevations and those that are in force. An error when the chain is missing or does not hold.",
      output: z.strictObject({ chain: z.array(chainLine), active: z.array(activeElevation) }),
      list() {
        const { chain, active } = listElevations();
        return { chain: newest(chain).map(lineOf), active: newest(active).map(elevationOf) };
      },
    }),
    listTool({
      name: "admin_list_leases",
      title: "List leases",
      description:
        "Lists leases of secrets to sessions: which session, which variable, until when. Neither the secret nor where it comes from is shown.",
      output: z.strictObject({ leases: z.array(lease), unreadable: z.int().optional() }),
      list() {
        const { leases, unreadable } = listLeases();
        return { leases: newest(leases).map(leaseOf), ...unread(unreadable.length) };
      },
    }),
  ];
}

interface Listing extends Pick<Tool, "name" | "title" | "description" | "output"> {
  readonly list: (signal: AbortSignal) => ToolOutput["structured"] | Promise<ToolOutput["structured"]>;
}

function listTool({ list, ...tool }: Listing): Tool {
  return {
    ...tool,
    input: NOTHING,
    timeoutMs: TIMEOUT_MS,
    async handler(_args, { signal }) {
      try {
        return { structured: await list(signal) };
      } catch (error) {
        throw isGovernError(error) ? new ToolError(problemOf(error.code, error.message), { cause: error }) : error;
      }
    },
  };
}

/** What a chain says of itself may be read; other messages name paths of the operator. */
function problemOf(code: string, message: string): string {
  return code === "govern.chain_missing" || code === "govern.chain_broken" ? `${code}: ${message}` : `${code}: the store cannot be read`;
}

function newest<Entry>(entries: readonly Entry[]): readonly Entry[] {
  return entries.slice(-MAX_ENTRIES);
}

/** How many files of a store are none of its own, if there are any: what is in them is shown to nobody. */
function unread(count: number): { unreadable?: number } {
  return count === 0 ? {} : { unreadable: count };
}

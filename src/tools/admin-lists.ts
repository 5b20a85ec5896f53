import { z } from "zod";
import type { RecordingEntry } from "../govern/recording-list.ts";
import type { SessionEntry } from "../session/registry.ts";
import type { Tool } from "./tool.ts";

/** What the listing tools look at. They look only: there is no tool that decides (seed 003). */
export interface AdminListPorts {
  /** The sessions of this process, sorted by id. */
  readonly listSessions: () => readonly SessionEntry[];
  /** The recordings of the state directory, by name. */
  readonly listRecordings: (signal: AbortSignal) => Promise<readonly RecordingEntry[]>;
}

/** Most entries of one answer, so that it stays below 2 MB. */
const MAX_ENTRIES = 1_000;
const TIMEOUT_MS = 60_000;

/** The governed tools that list (seed 003; design §7, §8). */
export function adminListTools(ports: AdminListPorts): readonly Tool[] {
  return [sessionsTool(ports), recordingsTool(ports)];
}

const session = z.strictObject({
  id: z.string(),
  agent_id: z.string(),
  user: z.string(),
  principals: z.array(z.string()),
  created: z.string(),
});

function sessionsTool({ listSessions }: AdminListPorts): Tool {
  return {
    name: "admin_list_sessions",
    title: "List sessions with their identity",
    description: "Lists the sessions of this server process: id, agent, user, principals and when they began. No command, no token.",
    input: z.strictObject({}),
    output: z.strictObject({ sessions: z.array(session) }),
    timeoutMs: TIMEOUT_MS,
    handler() {
      const sessions = listSessions()
        .slice(0, MAX_ENTRIES)
        .map(({ id, agent_id, user, principals, created }) => ({ id, agent_id, user, principals: [...principals], created }));
      return Promise.resolve({ structured: { sessions } });
    },
  };
}

const recording = z.strictObject({
  name: z.string(),
  session_id: z.string(),
  size_bytes: z.int(),
  event_count: z.int(),
  digest_sha256: z.string(),
  modified: z.string(),
});

function recordingsTool({ listRecordings }: AdminListPorts): Tool {
  return {
    name: "admin_list_recordings",
    title: "List recordings",
    description:
      "Lists the recordings of sessions: name, session, size, number of events and digest. Nothing of what was recorded is shown.",
    input: z.strictObject({}),
    output: z.strictObject({ recordings: z.array(recording) }),
    timeoutMs: TIMEOUT_MS,
    async handler(_args, { signal }) {
      const recordings = (await listRecordings(signal)).slice(-MAX_ENTRIES);
      return { structured: { recordings: recordings.map(recordingOf) } };
    },
  };
}

function recordingOf({ name, session_id, size_bytes, event_count, digest_sha256, modified }: RecordingEntry): z.infer<typeof recording> {
  return { name, session_id, size_bytes, event_count, digest_sha256, modified };
}

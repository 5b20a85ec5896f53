import { z } from "zod";
import { sessionSnapshotSchema } from "../../govern/session-feed-form.ts";
import { stopSchema } from "./stores.ts";

/** Texts with visible escapes, which make them longer than what the server told. */
const shown = {
  agent_id: z.string(),
  user: z.string(),
  client: z.object({ name: z.string(), version: z.string() }).nullable(),
  workdir: z.string().nullable(),
};

/** One session of a server that runs, as it told last, and the stop under which it stands. */
export const sessionSchema = sessionSnapshotSchema
  .extend({ ...shown, seen_at: z.string(), stopped: stopSchema.nullable() })
  .meta({ id: "Session" });

/** The sessions of all servers that run on this state directory. */
export const sessionListSchema = z.object({ sessions: z.array(sessionSchema) }).meta({ id: "SessionList" });

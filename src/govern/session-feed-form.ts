import { join } from "node:path";
import { z } from "zod";

/** Characters that are told of what a client calls itself, and of a bundle's name: what is longer is cut. */
export const MAX_CLIENT_TEXT = 256;
export const MAX_BUNDLE_NAME = 128;

const text = (max: number): z.ZodString => z.string().max(max);

/** What a server tells of its session to the admin server: facts that a human needs to recognise and to stop it, no command, no argument. */
export const sessionSnapshotSchema = z.strictObject({
  v: z.literal(1),
  session_id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  agent_id: text(128),
  user: text(256),
  pid: z.int().min(1),
  started_at: z.iso.datetime(),
  client: z.strictObject({ name: text(MAX_CLIENT_TEXT), version: text(MAX_CLIENT_TEXT) }).nullable(),
  bundle: text(MAX_BUNDLE_NAME).nullable(),
  workdir: text(4_096).nullable(),
  identity: z.strictObject({ confirmed: z.boolean(), confirmed_profile: text(256).nullable(), epoch: z.int().min(0) }),
  active_profile: text(256).nullable(),
  usage: z.strictObject({
    calls: z.int().min(0),
    denied: z.int().min(0),
    running: z.int().min(0),
    calls_last_minute: z.int().min(0),
  }),
});

/** One moment of a session of another process. */
export type SessionSnapshot = z.infer<typeof sessionSnapshotSchema>;

/** Bytes of the longest line that a server may send. */
export const MAX_SNAPSHOT_BYTES = 65_536;

/** The Unix socket at which the admin server of a state directory listens for sessions: one snapshot a line, the newest counts. */
export function sessionSocket(stateDir: string): string {
  return join(stateDir, "admin.sock");
}

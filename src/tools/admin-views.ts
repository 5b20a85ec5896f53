import { z } from "zod";
import type { JsonObject, JsonValue } from "../call/json.ts";
import type { ApprovalView } from "../govern/approval-view.ts";
import type { ElevationLine, ElevationView } from "../govern/elevations.ts";
import type { LeaseView } from "../govern/leases.ts";
import type { RecordingEntry } from "../govern/recording-list.ts";
import type { SessionEntry } from "../session/registry.ts";

/** A session as admin_list_sessions shows it. */
export const session = z.strictObject({
  id: z.string(),
  agent_id: z.string(),
  user: z.string(),
  principals: z.array(z.string()),
  created: z.string(),
});

/** Only the named fields: a store may know more than an agent should, here and below. */
export function sessionOf({ id, agent_id, user, principals, created }: SessionEntry): JsonObject {
  return { id, agent_id, user, principals: [...principals], created };
}

/** A request as admin_list_approvals shows it: its public id and the policy's reason, neither arguments nor what was shown to approvers. */
export const approval = z.strictObject({
  id: z.string(),
  state: z.string(),
  tool: z.string(),
  session_id: z.string(),
  agent_id: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  rule: z.array(z.strictObject({ code: z.string(), rule: z.string(), message: z.string() })),
});

/** See `sessionOf`. */
export function approvalOf(view: ApprovalView): JsonObject {
  const { id, state, tool, session_id, agent_id, created_at, expires_at } = view;
  const rule = view.rule.map(({ code, rule: name, message }) => ({ code, rule: name, message }));
  return { id, state, tool, session_id, agent_id, created_at, expires_at, rule };
}

/** A recording as admin_list_recordings shows it. */
export const recording = z.strictObject({
  name: z.string(),
  session_id: z.string(),
  size_bytes: z.int(),
  event_count: z.int(),
  digest_sha256: z.string(),
  modified: z.string(),
});

/** See `sessionOf`. */
export function recordingOf({ name, session_id, size_bytes, event_count, digest_sha256, modified }: RecordingEntry): JsonObject {
  return { name, session_id, size_bytes, event_count, digest_sha256, modified };
}

const grantFields = {
  id: z.string(),
  role: z.string(),
  reason: z.string(),
  tools: z.array(z.string()),
  session: z.string().optional(),
  agent: z.string().optional(),
  expires_at: z.string(),
  uses: z.int().optional(),
};

/** An elevation in force as admin_list_elevations shows it. */
export const activeElevation = z.strictObject({ ...grantFields, granted_at: z.string(), granted_by: z.string(), used: z.int().optional() });

/** See `sessionOf`. */
export function elevationOf(view: ElevationView): JsonObject {
  const { id, role, reason, tools, session: of, agent, expires_at, uses, granted_at, granted_by, used } = view;
  return { id, role, reason, tools: [...tools], ...set({ session: of, agent, uses, used }), expires_at, granted_at, granted_by };
}

/** A line of the chain as admin_list_elevations shows it: who said what and when, without the proof. */
export const chainLine = z.strictObject({
  seq: z.int(),
  time: z.string(),
  key: z.string(),
  kind: z.string().optional(),
  ...z.strictObject(grantFields).partial().shape,
});

/** See `sessionOf`; a line of a form that this program does not know shows who signed it and when, and nothing else. */
export function lineOf(line: ElevationLine): JsonObject {
  const { seq, time, key, ...body } = line;
  const known = chainLine.omit({ seq: true, time: true, key: true }).safeParse(body);
  return { seq, time, key, ...(known.success ? set(known.data) : {}) };
}

/** A lease as admin_list_leases shows it: where the secret comes from would lead an agent to it. */
export const lease = z.strictObject({
  id: z.string(),
  session: z.string(),
  source_type: z.string(),
  destination: z.string(),
  ttl_seconds: z.int(),
  state: z.string(),
  granted_at: z.string(),
  expires_at: z.string(),
  granted_by: z.string(),
  revoked_at: z.string().optional(),
});

/** See `sessionOf`. */
export function leaseOf(view: LeaseView): JsonObject {
  const { id, session: of, source_type, destination, ttl_seconds, state, granted_at, expires_at, granted_by, revoked_at } = view;
  return { id, session: of, source_type, destination, ttl_seconds, state, granted_at, expires_at, granted_by, ...set({ revoked_at }) };
}

/** Without what is not set: an absent field is left out, never null. */
function set(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
}

import { z } from "zod";

/** A stop in force. */
export const stopSchema = z
  .object({
    scope: z.union([z.object({ all: z.literal(true) }), z.object({ session: z.string() }), z.object({ agent: z.string() })]),
    reason: z.string(),
    key: z.string().nullable().describe("who placed it; null for a halt by policy"),
    at: z.string(),
    end_running: z.boolean(),
  })
  .meta({ id: "Stop" });

/** The stops in force, and what the chain says about itself. */
export const stopsSchema = z
  .object({
    stops: z.array(stopSchema),
    broken: z.string().nullable().describe("what is wrong with the chain: then every session is stopped"),
  })
  .meta({ id: "Stops" });

/** Stops as the API gives them. */
export type StopsAnswer = z.infer<typeof stopsSchema>;

const id = z.string().min(1).max(128);

/** An order to stop or to resume. */
export const stopOrderSchema = z
  .strictObject({
    action: z.enum(["stop", "resume"]),
    scope: z.union([z.strictObject({ all: z.literal(true) }), z.strictObject({ session: id }), z.strictObject({ agent: id })]),
    reason: z.string().min(1).max(1_000),
    end_running: z.boolean().optional(),
  })
  .meta({ id: "StopOrder" });

/** An elevation that was granted. */
export const elevationSchema = z
  .object({
    id: z.string(),
    role: z.string(),
    reason: z.string(),
    tools: z.array(z.string()),
    session: z.string().nullable(),
    agent: z.string().nullable(),
    granted_by: z.string(),
    granted_at: z.string(),
    expires_at: z.string(),
    uses: z.int().nullable(),
    uses_left: z.int().nullable(),
  })
  .meta({ id: "Elevation" });

/** Elevations in force, and what the chain says about itself. */
export const elevationsSchema = z
  .object({
    chain: z.object({ state: z.enum(["missing", "ok", "broken"]), reason: z.string().nullable(), entries: z.int() }),
    active: z.array(elevationSchema),
  })
  .meta({ id: "Elevations" });

/** Elevations as the API gives them. */
export type ElevationsAnswer = z.infer<typeof elevationsSchema>;

/** A lease: metadata, never the secret. */
export const leaseSchema = z
  .object({
    id: z.string(),
    session: z.string(),
    source_type: z.enum(["env", "file"]),
    source_name: z.string(),
    destination: z.string(),
    ttl_seconds: z.number(),
    granted_at: z.string(),
    expires_at: z.string(),
    granted_by: z.string(),
    reason: z.string(),
    state: z.enum(["active", "expired", "revoked"]),
    revoked_at: z.string().optional(),
    revoked_by: z.string().optional(),
    revoke_reason: z.string().optional(),
  })
  .meta({ id: "Lease" });

/** All leases. */
export const leaseListSchema = z.object({ leases: z.array(leaseSchema) }).meta({ id: "LeaseList" });

/** A recording of a session. */
export const recordingSchema = z
  .object({
    name: z.string(),
    session_id: z.string(),
    size_bytes: z.int(),
    event_count: z.int(),
    digest_sha256: z.string(),
    modified: z.string(),
  })
  .meta({ id: "Recording" });

/** All recordings. */
export const recordingListSchema = z.object({ recordings: z.array(recordingSchema) }).meta({ id: "RecordingList" });

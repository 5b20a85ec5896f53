import { randomBytes } from "node:crypto";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { canonicalJson } from "../audit/canonical.ts";
import type { JsonObject } from "../call/json.ts";
import { forbidInAgentProcess } from "./agent-process.ts";
import { deadlineIn, isOver } from "./approval-clock.ts";
import type { Signed } from "./elevations.ts";
import { governError } from "./govern-error.ts";
import { isSigned, KEY_NAME } from "./key-pair.ts";
import { readKey } from "./keys.ts";
import { isLeaseVariable, VARIABLE_NAME } from "./lease-names.ts";
import { MAX_SOURCE, PUBLIC_ID } from "./names.ts";
import { checked, reasonSchema, sessionIdSchema } from "./scope.ts";
import { createStoreFile, listStoreFolder, readStoreFile, replaceStoreFile } from "./store-file.ts";

const MAX_SECONDS = 86_400;

const grantedFields = z.strictObject({
  v: z.literal(1),
  id: z.string().regex(PUBLIC_ID),
  session: sessionIdSchema,
  source_type: z.enum(["env", "file"]),
  source_name: z.string().min(1).max(MAX_SOURCE),
  destination: z.string().refine(isLeaseVariable),
  ttl_seconds: z.int().min(1).max(MAX_SECONDS),
  granted_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  monotonic: z.strictObject({ boot: z.string(), until_ms: z.number() }).optional(),
  granted_by: z.string().regex(KEY_NAME),
  reason: reasonSchema,
});

const revokedFields = {
  revoked_at: z.iso.datetime().optional(),
  revoked_by: z.string().regex(KEY_NAME).optional(),
  revoke_reason: reasonSchema.optional(),
  revoke_signature: z.string().max(128).optional(),
};

const leaseRecord = grantedFields.extend({ signature: z.string().max(128), ...revokedFields });

/** The file of a lease: metadata only, signed; never the secret, never a command (design §8). */
export type LeaseRecord = Readonly<z.infer<typeof leaseRecord>>;

/** How a lease stands. */
export type LeaseState = "active" | "expired" | "revoked";

/** A lease as lists show it. */
export interface LeaseView {
  readonly id: string;
  readonly session: string;
  readonly source_type: "env" | "file";
  readonly source_name: string;
  /** Variable of run_shell that gets the secret. */
  readonly destination: string;
  readonly ttl_seconds: number;
  /** RFC 3339 UTC, like all times here. */
  readonly granted_at: string;
  readonly expires_at: string;
  readonly granted_by: string;
  readonly reason: string;
  readonly state: LeaseState;
  readonly revoked_at?: string;
  readonly revoked_by?: string;
  readonly revoke_reason?: string;
}

/** Every lease that is proven, by the time of its grant, and the names of files that are none. */
export interface LeaseList {
  readonly leases: readonly LeaseView[];
  readonly unreadable: readonly string[];
}

/** What a human leases. */
export interface LeaseRequest {
  readonly session: string;
  /** `env:NAME` in the server's environment, or `file:/absolute/path` of a file 0600 of the server's user. */
  readonly source: string;
  readonly destination: string;
  readonly seconds: number;
  readonly reason: string;
}

const pathOf = (stateDir: string, id: string): string => join(stateDir, "leases", `${id}.json`);

/**
 * Leases a secret to the commands of a session: writes its metadata, signed. The secret itself is not looked at here.
 * @throws GovernError `govern.invalid`, `govern.decision_forbidden`, `govern.store_unwritable`
 */
export function grantLease(stateDir: string, request: LeaseRequest, { key, now }: Signed): LeaseView {
  forbidInAgentProcess(stateDir);
  const { created_at, expires_at, monotonic } = deadlineIn(request.seconds, now);
  const granted = checked(
    grantedFields,
    {
      v: 1,
      id: randomBytes(16).toString("hex"),
      session: request.session,
      ...sourceOf(request.source),
      destination: request.destination,
      ttl_seconds: request.seconds,
      granted_at: created_at,
      expires_at,
      ...(monotonic === undefined ? {} : { monotonic }),
      granted_by: key.name,
      reason: request.reason,
    },
    "the lease",
  );
  const record = { ...granted, signature: key.sign(grantText(granted)) };
  if (!createStoreFile(pathOf(stateDir, record.id), textOf(record)))
    throw governError("govern.store_unwritable", "a lease with this id exists");
  return viewOf(record, now);
}

/**
 * Revokes a lease: no command that starts from now on gets its secret.
 * @throws GovernError `govern.not_found`, `govern.already_decided` and those of `grantLease`
 */
export function revokeLease(stateDir: string, revoke: { readonly id: string; readonly reason: string }, { key, now }: Signed): LeaseView {
  forbidInAgentProcess(stateDir);
  const record = PUBLIC_ID.test(revoke.id) ? readLease(stateDir, revoke.id) : undefined;
  if (record === undefined) throw governError("govern.not_found", `no lease has the id \`${revoke.id}\``);
  if (record.revoked_at !== undefined) throw governError("govern.already_decided", `lease \`${revoke.id}\` is revoked already`);
  const reason = checked(reasonSchema, revoke.reason, "the reason");
  const revocation = { revoked_at: now.toISOString(), revoked_by: key.name, revoke_reason: reason };
  const revoked = { ...record, ...revocation, revoke_signature: key.sign(revokeText({ id: record.id, ...revocation })) };
  replaceStoreFile(pathOf(stateDir, record.id), textOf(revoked));
  return viewOf(revoked, now);
}

/** Every lease in a state directory. @throws GovernError `govern.store_unreadable` for the folder */
export function listLeases(stateDir: string, now: Date): LeaseList {
  const { records, unreadable } = readLeases(stateDir);
  return { leases: records.map((record) => viewOf(record, now)), unreadable };
}

/** The proven records, by the time of their grants, and the names of files that are none. */
export function readLeases(stateDir: string): { readonly records: readonly LeaseRecord[]; readonly unreadable: readonly string[] } {
  const records: LeaseRecord[] = [];
  const unreadable: string[] = [];
  for (const name of listStoreFolder(join(stateDir, "leases"), /^[^.].*\.json$/)) {
    const id = name.slice(0, -".json".length);
    try {
      const record = readLease(stateDir, id);
      if (record !== undefined) records.push(record);
    } catch {
      unreadable.push(name);
    }
  }
  return { records: records.toSorted((a, b) => (a.granted_at < b.granted_at ? -1 : 1)), unreadable };
}

/**
 * One lease, proven: of the known form, under its own name, signed by a key on record that was not revoked by then.
 * @throws GovernError `govern.store_unreadable`
 */
export function readLease(stateDir: string, id: string): LeaseRecord | undefined {
  const path = pathOf(stateDir, id);
  const text = readStoreFile(path, 65_536);
  if (text === undefined) return undefined;
  const parsed = leaseRecord.safeParse(jsonOf(text));
  if (!parsed.success || parsed.data.id !== id || !isProven(stateDir, parsed.data))
    throw governError("govern.store_unreadable", `\`${path}\` is not a lease`);
  return parsed.data;
}

/** Whether a lease is in force. */
export function isLeaseActive({ granted_at: created_at, expires_at, monotonic, revoked_at }: LeaseRecord, now: Date): boolean {
  return revoked_at === undefined && !isOver({ created_at, expires_at, monotonic }, now);
}

function isProven(stateDir: string, record: LeaseRecord): boolean {
  const { signature, revoked_at: at, revoked_by: by, revoke_reason: reason, revoke_signature: revoked, ...granted } = record;
  if (!isSignedBy(stateDir, { name: granted.granted_by, at: granted.granted_at, text: grantText(granted), signature })) return false;
  if (at === undefined && by === undefined && reason === undefined && revoked === undefined) return true;
  if (at === undefined || by === undefined || reason === undefined || revoked === undefined) return false;
  const text = revokeText({ id: granted.id, revoked_at: at, revoked_by: by, revoke_reason: reason });
  return isSignedBy(stateDir, { name: by, at, text, signature: revoked });
}

function isSignedBy(
  stateDir: string,
  { name, at, text, signature }: { name: string; at: string; text: string; signature: string },
): boolean {
  const key = readKey(stateDir, name);
  return key !== undefined && (key.revoked_at === undefined || at <= key.revoked_at) && isSigned(text, signature, key.public_key);
}

function sourceOf(source: string): { source_type: string; source_name: string } {
  const [, type = "", name = ""] = /^(env|file):(.+)$/s.exec(source) ?? [];
  const isFit = type === "env" ? VARIABLE_NAME.test(name) : isAbsolute(name) && !name.includes("\0");
  if (!isFit) throw governError("govern.invalid", "the source must be `env:NAME` or `file:/absolute/path`");
  return { source_type: type, source_name: name };
}

function grantText(granted: z.infer<typeof grantedFields>): string {
  return `regate/lease/v1\n${canonicalJson(granted as JsonObject)}`;
}

function revokeText(revocation: JsonObject): string {
  return `regate/lease-revocation/v1\n${canonicalJson(revocation)}`;
}

function viewOf(record: LeaseRecord, now: Date): LeaseView {
  const { v: _v, monotonic: _monotonic, signature: _signature, revoke_signature: _revoked, ...shown } = record;
  const state = record.revoked_at !== undefined ? "revoked" : isLeaseActive(record, now) ? "active" : "expired";
  return { ...shown, state } as LeaseView;
}

function textOf(record: LeaseRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

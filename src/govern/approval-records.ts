import { hash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { governError } from "./govern-error.ts";
import { KEY_NAME } from "./key-pair.ts";
import { foldedOwner, MAX_OWNER, PUBLIC_ID } from "./names.ts";
import { readStoreFile } from "./store-file.ts";

const SHA256 = /^[0-9a-f]{64}$/;
const id = z.string().regex(PUBLIC_ID);
const digest = z.string().regex(SHA256);
const at = z.iso.datetime();
const owner = z.string().min(1).max(MAX_OWNER);

const pending = z.strictObject({
  v: z.literal(1),
  id,
  session_id: z.string().max(256),
  agent_id: z.string().max(1024),
  requester: z.strictObject({ user: z.string(), uid: z.int(), os_user: z.string().optional() }),
  tool: z.string(),
  rule: z.array(z.strictObject({ code: z.string(), rule: z.string(), message: z.string() })),
  approvers: z.array(z.string()).optional(),
  quorum: z.int().min(1),
  created_at: at,
  expires_at: at,
  /** The same end on the monotonic clock of this boot: a wall clock that is set back extends nothing. */
  monotonic: z.strictObject({ boot: z.string(), until_ms: z.number() }).optional(),
  workdir: z.string(),
  profile: z.string().nullable(),
  digest,
  shown: z.strictObject({ text: z.string(), digest }),
});

const vote = z.strictObject({
  v: z.literal(1),
  id,
  digest,
  shown: digest,
  decision: z.enum(["approve", "deny"]),
  reason: z.string(),
  owner,
  key: z.string().regex(KEY_NAME),
  at,
  signature: z.string().min(1).max(128),
});

const decided = z.strictObject({ v: z.literal(1), id, digest, decision: z.enum(["approve", "deny"]), votes: z.array(vote).min(1), at });

const used = z.strictObject({
  v: z.literal(1),
  id,
  digest,
  state: z.enum(["executing", "done", "failed", "indeterminate", "stale"]),
  at,
  decision_id: z.string().optional(),
  /** The process that runs the call; tells an interrupted one from one that goes on. */
  holder: z.strictObject({ pid: z.int(), started: z.string() }).optional(),
  /** In a shared store in its place: the front that runs the call, which says there that it lives. */
  front: id.optional(),
});

/** `pending/<id>.json`: a request as it was filed; never changed. */
export type PendingRecord = Readonly<z.infer<typeof pending>>;
/** `votes/<id>/<owner hash>.json`: one owner's signed vote. */
export type VoteRecord = Readonly<z.infer<typeof vote>>;
/** `decided/<id>.json`: created once, with the votes that decided. */
export type DecidedRecord = Readonly<z.infer<typeof decided>>;
/** `used/<id>.json`: created once, before the call runs or when the request is void. */
export type UsedRecord = Readonly<z.infer<typeof used>>;

type Kind = "pending" | "decided" | "used";

/** Folder of one kind of records. */
export function recordFolder(stateDir: string, kind: Kind | "votes"): string {
  return join(stateDir, "approvals", kind);
}

/** File of one record; `id` must have passed `PUBLIC_ID`. */
export function recordPath(stateDir: string, kind: Kind, id: string): string {
  if (!PUBLIC_ID.test(id)) throw governError("govern.invalid", "this is no id of an approval");
  return join(recordFolder(stateDir, kind), `${id}.json`);
}

/** File of one owner's vote. Owners are compared as `foldedOwner` has it, so that one human has one vote. */
export function votePath(stateDir: string, id: string, owner: string): string {
  if (!PUBLIC_ID.test(id)) throw governError("govern.invalid", "this is no id of an approval");
  return join(recordFolder(stateDir, "votes"), id, `${hash("sha256", foldedOwner(owner), "hex")}.json`);
}

/** Reads `pending/<id>.json`. @throws GovernError `govern.store_unreadable`, which shows none of its values */
export function readPending(stateDir: string, id: string): PendingRecord | undefined {
  return readRecord("pending", recordPath(stateDir, "pending", id), id);
}

/** Reads `decided/<id>.json`; its votes still have to be proven. @throws GovernError `govern.store_unreadable` */
export function readDecided(stateDir: string, id: string): DecidedRecord | undefined {
  return readRecord("decided", recordPath(stateDir, "decided", id), id);
}

/** Reads `used/<id>.json`. @throws GovernError `govern.store_unreadable` */
export function readUsed(stateDir: string, id: string): UsedRecord | undefined {
  return readRecord("used", recordPath(stateDir, "used", id), id);
}

/** Reads a vote; it still has to be proven. @throws GovernError `govern.store_unreadable` */
export function readVote(path: string, id: string): VoteRecord | undefined {
  return readRecord("vote", path, id);
}

/** The text of a record's file. */
export function recordText(record: PendingRecord | VoteRecord | DecidedRecord | UsedRecord): string {
  return `${JSON.stringify(record)}\n`;
}

function readRecord<K extends keyof Records>(kind: K, path: string, id: string): Records[K] | undefined {
  const text = readStoreFile(path);
  return text === undefined ? undefined : parseRecord(kind, text, { id, place: path });
}

/** Records by kind. */
interface Records {
  readonly pending: PendingRecord;
  readonly vote: VoteRecord;
  readonly decided: DecidedRecord;
  readonly used: UsedRecord;
}

const SCHEMAS: { readonly [K in keyof Records]: z.ZodType<Records[K]> } = { pending, vote, decided, used };

/**
 * Reads a record from its text.
 * @param at the id that it must have, and where it was found, for the message
 * @throws GovernError `govern.store_unreadable`, which shows none of its values
 */
export function parseRecord<K extends keyof Records>(
  kind: K,
  text: string,
  at: { readonly id: string; readonly place: string },
): Records[K] {
  const schema: z.ZodType<Records[K]> = SCHEMAS[kind];
  const parsed = schema.safeParse(jsonOf(text));
  if (!parsed.success || parsed.data.id !== at.id || !isWhole(parsed.data)) throw foreign(at.place);
  return parsed.data;
}

function isWhole(record: Records[keyof Records]): boolean {
  return !("quorum" in record) || hash("sha256", record.shown.text, "hex") === record.shown.digest;
}

function foreign(path: string): Error {
  return governError("govern.store_unreadable", `\`${path}\` is not what this program wrote, or not whole`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { join } from "node:path";
import { parseRecord, recordText } from "../govern/approval-records.ts";
import type { PendingRecord, VoteRecord } from "../govern/approval-records.ts";
import type { ApprovalStore, OnProblem, RequestOutcome, StoredRequest, Use } from "../govern/approval-store.ts";
import { createStoreFile } from "../govern/store-file.ts";
import { approvalKeys, approvalLink, KEPT_SECONDS, swap, voteField } from "./approval-link.ts";
import type { ApprovalLink } from "./approval-link.ts";
import { FILE, FORGET } from "./approval-scripts.ts";
import { createFrontUses } from "./approval-uses.ts";
import type { FrontUses } from "./approval-uses.ts";
import { watchCounter } from "./approval-watch.ts";
import { listOf, textOf } from "./reply.ts";
import type { Send } from "./send.ts";
import type { StateKeys } from "./state-keys.ts";

/** What the approvals of one Redis are opened with. */
export interface SharedApprovalsOptions {
  readonly keys: StateKeys;
  readonly send: Send;
  /** Where the public keys of those who may decide are, and this front's own receipts of uses. */
  readonly stateDir: string;
}

/** The approvals that several fronts share. */
export interface SharedApprovals extends ApprovalStore {
  /** Stops telling the others that this front lives. */
  close(): void;
}

interface Shared {
  readonly link: ApprovalLink;
  readonly uses: FrontUses;
  readonly stateDir: string;
}

/** Requests that are read at once. */
const PAGE = 100;

/**
 * The approvals in Redis (issue 7). It keeps records and says who was first; what a human decided is proven from their signatures, as in a
 * state directory. Each step is one command or one script; an unknown end of a step lets nothing run.
 */
export function redisApprovals({ keys, send, stateDir }: SharedApprovalsOptions): SharedApprovals {
  const link = approvalLink(approvalKeys(keys), send);
  const shared: Shared = { link, uses: createFrontUses(link), stateDir };
  const { uses } = shared;
  return {
    stateDir,
    isShared: true,
    file: (record) => file(shared, record),
    find: (digest) => find(shared, digest),
    async forget({ id, digest }) {
      await link.send(["EVAL", FORGET, "1", link.keys.open(digest), id]);
    },
    outcome: (id) => outcome(shared, id),
    read: (id, onProblem) => read(shared, id, onProblem),
    list: (onProblem) => list(shared, onProblem),
    vote: (vote, isGood) => keepVote(shared, vote, isGood),
    decide: async (record) => (await swap(link, { id: record.id, field: "decided", from: "", to: recordText(record) })) === "done",
    take: (use) => take(shared, use),
    end: (use) => uses.end(use),
    watch: (onChange) => watchCounter(link, onChange),
    close: () => uses.close(),
  };
}

async function file(shared: Shared, record: PendingRecord): Promise<PendingRecord> {
  const { send, keys } = shared.link;
  const { id, digest } = record;
  const kept = Math.ceil((Date.parse(record.expires_at) - Date.parse(record.created_at)) / 1_000) + KEPT_SECONDS;
  const names = [keys.request(id), keys.open(digest), keys.all, keys.changes];
  const open = textOf(await send(["EVAL", FILE, "4", ...names, id, recordText(record), String(kept)]));
  if (open === id) return record;
  const other = await pendingOf(shared, open);
  if (other !== undefined) return other;
  await send(["EVAL", FORGET, "1", keys.open(digest), open]);
  return file(shared, record);
}

async function find(shared: Shared, digest: string): Promise<PendingRecord | undefined> {
  const { send, keys } = shared.link;
  const id = await send(["GET", keys.open(digest)]);
  return id === null ? undefined : pendingOf(shared, textOf(id));
}

async function pendingOf(shared: Shared, id: string): Promise<PendingRecord | undefined> {
  const text = await shared.link.send(["HGET", shared.link.keys.request(id), "pending"]);
  return text === null ? undefined : parseRecord("pending", textOf(text), { id, place: placeOf(shared, id) });
}

async function outcome(shared: Shared, id: string): Promise<RequestOutcome | undefined> {
  const { send, keys } = shared.link;
  const [isThere, decided, used] = listOf(await send(["HMGET", keys.request(id), "pending", "decided", "used"]));
  return isThere === null ? undefined : outcomeOf(shared, id, { decided: textOrNone(decided), used: textOrNone(used) });
}

async function outcomeOf(
  shared: Shared,
  id: string,
  texts: { readonly decided: string | undefined; readonly used: string | undefined },
): Promise<RequestOutcome> {
  const at = { id, place: placeOf(shared, id) };
  const usedText = shared.uses.seen(id, texts.used);
  const decided = texts.decided === undefined ? undefined : parseRecord("decided", texts.decided, at);
  const used = usedText === undefined ? undefined : parseRecord("used", usedText, at);
  return { decided, used, isRunning: await shared.uses.isRunning(used) };
}

async function read(shared: Shared, id: string, onProblem: OnProblem = () => undefined): Promise<StoredRequest | undefined> {
  const { send, keys } = shared.link;
  const fields = fieldsOf(listOf(await send(["HGETALL", keys.request(id)])));
  const pending = fields.get("pending");
  if (pending === undefined) return undefined;
  const record = parseRecord("pending", pending, { id, place: placeOf(shared, id) });
  const found = await outcomeOf(shared, id, { decided: fields.get("decided"), used: fields.get("used") });
  return { record, votes: found.decided === undefined ? votesIn(shared, fields, { id, onProblem }) : [], ...found };
}

function votesIn(
  shared: Shared,
  fields: ReadonlyMap<string, string>,
  { id, onProblem }: { readonly id: string; readonly onProblem: OnProblem },
): readonly VoteRecord[] {
  return [...fields].flatMap(([field, text]) => {
    if (!field.startsWith("vote:")) return [];
    try {
      return [parseRecord("vote", text, { id, place: `${placeOf(shared, id)} ${field}` })];
    } catch (error) {
      onProblem(error as Error);
      return [];
    }
  });
}

async function list(shared: Shared, onProblem: OnProblem | undefined): Promise<readonly StoredRequest[]> {
  const { send, keys } = shared.link;
  const ids = listOf(await send(["ZRANGE", keys.all, "0", "-1"])).map(textOf);
  const found: StoredRequest[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    const page = await Promise.all(ids.slice(at, at + PAGE).map((id) => readOr(shared, id, onProblem)));
    found.push(...page.filter((request) => request !== undefined));
  }
  return found;
}

async function readOr(shared: Shared, id: string, onProblem: OnProblem | undefined): Promise<StoredRequest | undefined> {
  try {
    return await read(shared, id, onProblem);
  } catch (error) {
    if (onProblem === undefined || !isUnreadable(error)) throw error;
    onProblem(error as Error);
    return undefined;
  }
}

function isUnreadable(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "govern.store_unreadable";
}

/** What stands in the owner's place and is no good vote gives way. */
async function keepVote({ link }: Shared, vote: VoteRecord, isGood: (earlier: VoteRecord) => boolean): Promise<void> {
  const field = voteField(vote);
  const to = recordText(vote);
  for (let from = ""; (await swap(link, { id: vote.id, field, from, to })) === "other";) {
    from = textOrNone(await link.send(["HGET", link.keys.request(vote.id), field])) ?? "";
    if (isGoodText(from, vote.id, isGood)) return;
  }
}

function isGoodText(text: string, id: string, isGood: (earlier: VoteRecord) => boolean): boolean {
  try {
    return isGood(parseRecord("vote", text, { id, place: "" }));
  } catch {
    return false;
  }
}

/** A receipt in the state directory besides: whatever the store says later, fronts of this directory use a request once. */
async function take({ uses, stateDir }: Shared, use: Use): Promise<boolean> {
  if (!(await uses.take(use))) return false;
  if (use.state !== "executing") return true;
  try {
    const isFirst = createStoreFile(join(stateDir, "approvals", "shared-uses", use.id), `${use.at}\n`);
    if (!isFirst) await uses.end({ ...use, state: "indeterminate" });
    return isFirst;
  } catch (error) {
    uses.giveBack(use);
    throw error;
  }
}

function fieldsOf(reply: readonly unknown[]): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < reply.length; at += 2) fields.set(textOf(reply[at]), textOf(reply[at + 1]));
  return fields;
}

function textOrNone(reply: unknown): string | undefined {
  return reply === null ? undefined : textOf(reply);
}

function placeOf({ link }: Shared, id: string): string {
  return link.keys.request(id);
}

import { utimesSync } from "node:fs";
import { join } from "node:path";
import { processStart } from "../audit/session-lock.ts";
import { readDecided, readPending, readUsed, readVote, recordFolder, recordPath, recordText, votePath } from "./approval-records.ts";
import type { UsedRecord, VoteRecord } from "./approval-records.ts";
import type { ApprovalStore, OnProblem, RequestOutcome, StoredRequest, Use } from "./approval-store.ts";
import { watchApprovalFiles } from "./approval-watch.ts";
import { PUBLIC_ID } from "./names.ts";
import { createStoreFile, listStoreFolder, replaceStoreFile } from "./store-file.ts";

const RECORD = /^[0-9a-f]{32}\.json$/;
const VOTE = /^[0-9a-f]{64}\.json$/;

/** The store of one state directory. It tells nobody of open requests: what others put there is never taken for one. */
export function openApprovalFiles(stateDir: string): ApprovalStore {
  return {
    stateDir,
    isShared: false,
    async file(record) {
      if (!createStoreFile(recordPath(stateDir, "pending", record.id), recordText(record))) throw new Error("an id was given twice");
      return record;
    },
    find: async () => undefined,
    forget: async () => undefined,
    outcome: async (id) => outcomeOf(readDecided(stateDir, id), readUsed(stateDir, id)),
    read: async (id, onProblem) => requestOf(stateDir, id, { onProblem }),
    list: async (onProblem) => requestsIn(stateDir, onProblem),
    async vote(vote, isGood) {
      const path = votePath(stateDir, vote.id, vote.owner);
      // A planted file in the owner's place is no vote and gives way.
      if (!createStoreFile(path, recordText(vote)) && !isGoodVote(path, vote.id, isGood)) replaceStoreFile(path, recordText(vote));
      tellWatchers(stateDir);
    },
    decide: async (record) => createStoreFile(recordPath(stateDir, "decided", record.id), recordText(record)),
    take: async (use) => createStoreFile(recordPath(stateDir, "used", use.id), recordText(heldUse(use))),
    end: async (use) => replaceStoreFile(recordPath(stateDir, "used", use.id), recordText(heldUse(use))),
    watch: (onChange) => watchApprovalFiles(stateDir, onChange),
  };
}

/** Names of records that a listing has found already. */
type Found = Readonly<Record<"decided" | "used" | "votes", ReadonlySet<string>>>;

function requestsIn(stateDir: string, onProblem: OnProblem | undefined): readonly StoredRequest[] {
  const found: Found = {
    decided: idsIn(stateDir, "decided"),
    used: idsIn(stateDir, "used"),
    votes: new Set(listStoreFolder(recordFolder(stateDir, "votes"), PUBLIC_ID)),
  };
  return [...idsIn(stateDir, "pending")].flatMap((id) => {
    try {
      return requestOf(stateDir, id, { onProblem, found }) ?? [];
    } catch (error) {
      if (onProblem === undefined) throw error;
      onProblem(error as Error);
      return [];
    }
  });
}

interface Look {
  readonly onProblem?: OnProblem | undefined;
  /** Absent: look for the files. */
  readonly found?: Found;
}

function requestOf(stateDir: string, id: string, { onProblem, found }: Look): StoredRequest | undefined {
  const record = readPending(stateDir, id);
  if (record === undefined) return undefined;
  const decided = found?.decided.has(id) === false ? undefined : readDecided(stateDir, id);
  const used = found?.used.has(id) === false ? undefined : readUsed(stateDir, id);
  const votes = decided !== undefined || found?.votes.has(id) === false ? [] : votesOf(stateDir, id, onProblem);
  return { record, votes, ...outcomeOf(decided, used) };
}

function votesOf(stateDir: string, id: string, onProblem: OnProblem = () => undefined): readonly VoteRecord[] {
  const folder = join(recordFolder(stateDir, "votes"), id);
  return listStoreFolder(folder, VOTE).flatMap((name) => {
    try {
      return readVote(join(folder, name), id) ?? [];
    } catch (error) {
      onProblem(error as Error);
      return [];
    }
  });
}

function isGoodVote(path: string, id: string, isGood: (earlier: VoteRecord) => boolean): boolean {
  try {
    const earlier = readVote(path, id);
    return earlier !== undefined && isGood(earlier);
  } catch {
    return false;
  }
}

/** A vote in a folder of its own is no change of the folders that are watched. */
function tellWatchers(stateDir: string): void {
  const now = new Date();
  utimesSync(recordFolder(stateDir, "votes"), now, now);
}

function heldUse(use: Use): UsedRecord {
  return use.state === "executing" ? { ...use, holder: { pid: process.pid, started: processStart(process.pid) } } : use;
}

function outcomeOf(decided: RequestOutcome["decided"], used: RequestOutcome["used"]): RequestOutcome {
  return { decided, used, isRunning: used?.state === "executing" && isHeld(used) };
}

function isHeld({ holder }: UsedRecord): boolean {
  return holder !== undefined && isAlive(holder.pid) && processStart(holder.pid) === holder.started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function idsIn(stateDir: string, kind: "pending" | "decided" | "used"): ReadonlySet<string> {
  return new Set(listStoreFolder(recordFolder(stateDir, kind), RECORD).map((name) => name.slice(0, -".json".length)));
}

import { randomBytes } from "node:crypto";
import { parseRecord, recordText } from "../govern/approval-records.ts";
import type { UsedRecord } from "../govern/approval-records.ts";
import type { Use } from "../govern/approval-store.ts";
import { governError } from "../govern/govern-error.ts";
import { swap } from "./approval-link.ts";
import type { ApprovalLink, Swap } from "./approval-link.ts";

/** How long a front counts as alive after it was last heard of. */
const ALIVE_MS = 15_000;
/** How often a front that uses approvals says so, and takes up again what it could not say. */
const BEAT_MS = 1_000;
const BEATS_A_SIGN = 4;

/** The uses of one front. */
export interface FrontUses {
  /** Takes the use of a request, once over all fronts. When that is not known in the end, nothing runs and the use is given back. */
  take(use: Use): Promise<boolean>;
  /** Gives back a use that was taken, because nothing can run on it. */
  giveBack(use: Use): void;
  /** Says how a use ended; goes on trying when that cannot be said now. */
  end(use: Use): Promise<void>;
  /** A use as others should see it: one that this front could not take in the end is none. */
  seen(id: string, text: string | undefined): string | undefined;
  isRunning(used: UsedRecord | undefined): Promise<boolean>;
  close(): void;
}

interface Uses {
  readonly link: ApprovalLink;
  /** Names this front among all. */
  readonly front: string;
  /** Attempts to take a use that are under way, by request. */
  readonly taking: Map<string, Promise<boolean>>;
  /** Uses that may or may not have been taken: nothing runs on them. */
  readonly unclear: Map<string, string>;
  /** Uses that were taken and have not ended. */
  readonly running: Map<string, string>;
  /** What is still to be said, by request. */
  readonly owed: Map<string, Swap>;
  timer: NodeJS.Timeout | undefined;
  beat: Promise<void>;
  beats: number;
}

/** Keeps the uses of this front. What is still to be said when it closes shows as `indeterminate`: nobody hears of it any more. */
export function createFrontUses(link: ApprovalLink): FrontUses {
  const uses: Uses = {
    link,
    front: randomBytes(16).toString("hex"),
    taking: new Map(),
    unclear: new Map(),
    running: new Map(),
    owed: new Map(),
    timer: undefined,
    beat: Promise.resolve(),
    beats: 0,
  };
  return {
    take: (use) => take(uses, use),
    giveBack(use) {
      const text = uses.running.get(use.id);
      uses.running.delete(use.id);
      if (text !== undefined) owe(uses, { id: use.id, field: "used", from: text, to: "" });
    },
    end: (use) => end(uses, use),
    seen: (id, text) => (text !== undefined && uses.unclear.get(id) === text ? undefined : text),
    async isRunning(used) {
      if (used?.state !== "executing" || used.front === undefined) return false;
      return (await link.send(["GET", link.keys.front(used.front)])) !== null;
    },
    close() {
      clearInterval(uses.timer);
      uses.owed.clear();
      uses.running.clear();
    },
  };
}

/** One attempt at a time: two that are the same could both be told that theirs is there. */
async function take(uses: Uses, use: Use): Promise<boolean> {
  const { taking } = uses;
  const attempt = takeAfter(uses, use, taking.get(use.id));
  taking.set(use.id, attempt);
  try {
    return await attempt;
  } finally {
    if (taking.get(use.id) === attempt) taking.delete(use.id);
  }
}

async function takeAfter(uses: Uses, use: Use, other: Promise<boolean> | undefined): Promise<boolean> {
  await Promise.allSettled([other]);
  if (uses.running.has(use.id)) return false;
  // What is under way to give an earlier attempt back must be over.
  uses.owed.delete(use.id);
  await uses.beat;
  try {
    return await attempted(uses, use);
  } catch (error) {
    const unclear = uses.unclear.get(use.id);
    if (unclear !== undefined) owe(uses, { id: use.id, field: "used", from: unclear, to: "" });
    throw error;
  }
}

async function attempted(uses: Uses, use: Use): Promise<boolean> {
  const { link, unclear, running } = uses;
  const to = await attemptOf(uses, use);
  if (use.state === "executing") await sayAlive(uses);
  unclear.set(use.id, to);
  const taken = await swap(link, { id: use.id, field: "used", from: "", to });
  unclear.delete(use.id);
  if (taken === "gone") throw governError("govern.store_unreadable", `request \`${use.id}\` is no longer in the shared store`);
  if (taken === "done" && use.state === "executing") {
    running.set(use.id, to);
    keepBeating(uses);
  }
  return taken === "done";
}

/** The same text again for the same step: if it arrived the first time it has been taken. Another step's is taken back first. */
async function attemptOf({ link, unclear, front }: Uses, use: Use): Promise<string> {
  const before = unclear.get(use.id);
  if (before === undefined) return recordText({ ...use, front });
  if (parseRecord("used", before, { id: use.id, place: "" }).state === use.state) return before;
  await swap(link, { id: use.id, field: "used", from: before, to: "" });
  unclear.delete(use.id);
  return recordText({ ...use, front });
}

async function end(uses: Uses, use: Use): Promise<void> {
  const from = uses.running.get(use.id) ?? "";
  const ending: Swap = { id: use.id, field: "used", from, to: recordText(use) };
  try {
    await swap(uses.link, ending);
    uses.running.delete(use.id);
  } catch (error) {
    owe(uses, ending);
    throw error;
  }
}

/** Until it is given back a use counts as none for this front, which may take it again. */
function owe(uses: Uses, what: Swap): void {
  if (what.to === "") uses.unclear.set(what.id, what.from);
  uses.owed.set(what.id, what);
  keepBeating(uses);
}

async function sayAlive({ link, front }: Uses): Promise<void> {
  await link.send(["SET", link.keys.front(front), "1", "PX", String(ALIVE_MS)]);
}

function keepBeating(uses: Uses): void {
  uses.timer ??= setInterval(() => {
    uses.beat = uses.beat.then(() => beat(uses));
  }, BEAT_MS).unref();
}

/** A store that is away is asked again at the next beat. */
async function beat(uses: Uses): Promise<void> {
  const { running, owed, unclear, link } = uses;
  uses.beats += 1;
  try {
    if (running.size > 0 && uses.beats % BEATS_A_SIGN === 0) await sayAlive(uses);
    for (const what of owed.values()) {
      await swap(link, what);
      if (owed.get(what.id) === what) owed.delete(what.id);
      (what.to === "" ? unclear : running).delete(what.id);
    }
  } catch {
    return;
  }
  if (running.size > 0 || owed.size > 0) return;
  clearInterval(uses.timer);
  uses.timer = undefined;
}

import type { IdentityRules } from "../session/identity-watch.ts";
import type { SharedMirror } from "../session/shared-mirror.ts";
import type { SharedMoment, SharedSessionStore } from "../session/shared-store.ts";
import { createHolds, type Holds } from "./shared-holds.ts";
import { untilEnd } from "./until-end.ts";

/** A session's state that this front shares with others. */
export interface SharedState {
  readonly store: SharedSessionStore;
  /** Milliseconds between two signs of life of calls that run, and of a session that is open. */
  readonly renewMs: number;
  readonly openMs: number;
}

/** This front's side of a shared session. */
export interface SharedFront extends Pick<SharedState, "store"> {
  readonly mirror: SharedMirror;
  readonly holds: Holds;
  /** Waits for the store, though not beyond the end of the session. @throws StoreLost */
  reach<Value>(work: Promise<Value>): Promise<Value>;
  /** Records an identity read that succeeded; never rejects. */
  confirm(moment: SharedMoment, profile: string | null): Promise<boolean>;
  /** Counts a refusal; never rejects. */
  countDenied(): Promise<void>;
  /** Tells the operator that the store cannot be used, once until it can be again. */
  fault(problem: unknown): void;
  fine(): void;
  /** How often it could not be used: whoever waited meanwhile need not try what failed just now. */
  faults(): number;
  /** Reads the state again, in the turn of the call or message that it is for; false when that cannot be. */
  refresh(tool: string): Promise<boolean>;
  close(): void;
}

/** The store could not be used, or the session has ended meanwhile; nothing is known of what the store did. */
export class StoreLost extends Error {}

/** What this front's side is made of. */
export interface SharedFrontOptions extends SharedState {
  readonly mirror: SharedMirror;
  readonly rules: IdentityRules;
  /** Aborted when the session ends. */
  readonly end: AbortSignal;
  readonly report: (problem: unknown) => void;
}

/** Makes this front's side of a shared session. */
export function createSharedFront(options: SharedFrontOptions): SharedFront {
  const { store, mirror, rules, end, report, renewMs, openMs } = options;
  let [isTold, faults] = [false, 0];
  const reach = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await untilEnd(work, end);
    } catch (cause) {
      throw new StoreLost("the shared state cannot be used", { cause });
    }
  };
  const fault = (problem: unknown): void => {
    faults += 1;
    if (!isTold && !end.aborted) report(problem instanceof StoreLost ? problem.cause : problem);
    isTold = true;
  };
  const quietly = async <Value>(work: Promise<Value>, otherwise: Value): Promise<Value> => {
    try {
      return await reach(work);
    } catch (error) {
      fault(error);
      return otherwise;
    }
  };
  const holds = createHolds({ store, mark: () => mirror.look().shared.mark, renewMs, openMs, fault, within: reach });
  return {
    store,
    mirror,
    holds,
    reach,
    async confirm({ quiet, stamp }, profile) {
      if (!quiet || (rules.requireProfile === true && profile === null)) return false;
      const { epoch } = mirror.identity;
      const isRecorded = await quietly(store.confirm(stamp, profile), false);
      if (isRecorded && mirror.isIdle() && mirror.identity.epoch === epoch) mirror.identity.recordIdentityRead(profile);
      return isRecorded;
    },
    countDenied: () => quietly(store.countDenied(), undefined),
    fault,
    faults: () => faults,
    async refresh(tool) {
      const look = mirror.look();
      const moment = await quietly(store.enter({ ...look.shared, token: "", tool, as: "look" }), undefined);
      if (moment === undefined) mirror.lose();
      else mirror.load(moment, look, tool);
      return moment !== undefined;
    },
    fine() {
      isTold = false;
    },
    close: () => holds.close(),
  };
}

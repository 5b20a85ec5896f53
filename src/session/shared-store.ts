import type { IdentityRules } from "./identity-watch.ts";
import type { Usage } from "./session.ts";

/** One version of an identity state: its epoch, and which state that is an epoch of, since a state can be lost and made anew. */
export interface SharedStamp {
  readonly generation: string;
  readonly epoch: number;
}

/** What one front knows of the active profile when it reads the state. */
export interface SharedLook {
  /** Digest of the mark of the active profile: two fronts see the same one only in the same store, with no switch in between. */
  readonly mark: string;
  readonly label: string | null;
}

/** The state as a call is judged with it. */
export interface SharedMoment {
  readonly stamp: SharedStamp;
  readonly confirmed: boolean;
  readonly profile: string | null;
  /** No switch runs on any front. */
  readonly quiet: boolean;
  /** Counters before this call. */
  readonly usage: Usage;
}

/** A call comes in. */
export interface SharedEntry extends SharedLook {
  /** Names the call among all fronts. */
  readonly token: string;
  readonly tool: string;
  /** A call, which counts as one that came and one that runs; one that was counted before and is judged again; or a look that counts as nothing. */
  readonly as: "call" | "again" | "look";
}

/** What judging a call led to. */
export interface SharedSettlement {
  readonly token: string;
  /** What it was judged with. */
  readonly stamp: SharedStamp;
  /** It is a switch, which begins now. */
  readonly rearms: boolean;
  /** Its handler will run and may change something. */
  readonly mutates: boolean;
  /** Its handler will run. */
  readonly runs: boolean;
  readonly denied: boolean;
}

/** A call that still counts as running, or whose switch does. */
export interface SharedHold {
  readonly token: string;
  readonly running: boolean;
  readonly switching: boolean;
}

/**
 * The state of one session that several fronts share: each step is atomic among them and uses one clock, the store's. Every function
 * rejects when the store cannot be used or holds what cannot be read; then nothing may run (issue 7).
 */
export interface SharedSessionStore {
  /**
   * Makes the look count (a confirmation that no longer holds ends), reads the state, and counts the call, as one that came and as one that
   * runs: of two calls one sees the other, so that no limit lets both through.
   */
  enter(entry: SharedEntry): Promise<SharedMoment>;
  /** Makes the verdict count. `moved`: the state is no longer what the call was judged with, nothing was done, and it must be judged again. */
  settle(settlement: SharedSettlement): Promise<"settled" | "moved">;
  /** Records an identity read that succeeded, unless the state has moved. Tells whether it did. */
  confirm(stamp: SharedStamp, profile: string | null): Promise<boolean>;
  /** The call is over, and so is its switch, after which the active profile has this mark. */
  release(token: string, mark: string): Promise<void>;
  /** A refusal that no settlement has counted. */
  countDenied(): Promise<void>;
  /** The calls still run, and the session is still open. */
  keep(holds: readonly SharedHold[]): Promise<void>;
}

/** How one session's state is kept. */
export interface SharedTerms {
  /** Milliseconds without a call after which the identity state is forgotten, and with it a confirmation. */
  readonly lifetimeMs: number;
  readonly rules: IdentityRules;
}

/** The states of all sessions that fronts share. */
export interface SharedSessions {
  /** The state under a name; fronts that use the same name share it. Nothing is made before the first call. */
  session(id: string, terms: SharedTerms): SharedSessionStore;
  close(): void;
}

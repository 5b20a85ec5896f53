import type { SharedHold, SharedSessionStore } from "../session/shared-store.ts";

/** One call that counts as running, or as a switch that runs, among all fronts; also after it was answered. */
export interface Hold {
  /** Its handler begins; the returned function says that it can do nothing more. */
  start(): () => void;
  /** It is over. */
  release(): void;
  /** The call is answered: waits until everybody knows that it is over, if it is. Never rejects. */
  answered(): Promise<void>;
}

/** The holds of one session on this front. */
export interface Holds {
  open(hold: SharedHold): Hold;
  /** Nothing is kept alive any more: what still counts ends with its lease. */
  close(): void;
}

/** What holds need. */
export interface HoldsOptions {
  readonly store: Pick<SharedSessionStore, "keep" | "release">;
  /** Mark of the active profile, in the form of all fronts. */
  readonly mark: () => string;
  /** Milliseconds between two signs of life of calls that run, and of a session that is open. */
  readonly renewMs: number;
  readonly openMs: number;
  readonly fault: (problem: unknown) => void;
  /** Waits for the store, though not beyond the end of the session. */
  readonly within: <Value>(work: Promise<Value>) => Promise<Value>;
}

/** Makes the table of holds: they are renewed while they last, so that those of a front that was killed end by themselves. */
export function createHolds({ store, mark, renewMs, openMs, fault, within }: HoldsOptions): Holds {
  const held = new Map<string, SharedHold>();
  const keep = (holds: readonly SharedHold[]): void => void store.keep(holds).catch(fault);
  const renewal = repeatedly(renewMs, () => held.size > 0 && keep([...held.values()]));
  const heartbeat = repeatedly(openMs, () => keep([]));
  return {
    open(hold) {
      held.set(hold.token, hold);
      let started = false;
      let releasing: Promise<void> | undefined;
      const release = (): void => {
        held.delete(hold.token);
        releasing ??= within(store.release(hold.token, hold.switching ? mark() : "")).catch(fault);
      };
      return {
        start() {
          started = true;
          return release;
        },
        release,
        async answered() {
          if (!started) release();
          await releasing;
        },
      };
    },
    close() {
      clearInterval(renewal);
      clearInterval(heartbeat);
    },
  };
}

/** A process is not kept alive by what it repeats. */
function repeatedly(everyMs: number, act: () => unknown): NodeJS.Timeout {
  return setInterval(act, everyMs).unref();
}

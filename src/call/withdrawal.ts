/**
 * Tells that something is no longer wanted. Every AbortSignal is one; the light one of `createWithdrawal` costs next to nothing, which
 * counts where every call has one and hardly any uses it.
 */
export interface Withdrawal {
  /** Whether it has happened. */
  readonly aborted: boolean;
  /** Calls `act` when it happens, not at once when it already has. */
  addEventListener(type: "abort", act: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", act: () => void): void;
}

/** A withdrawal and the two ends of it. */
export interface OwnWithdrawal {
  readonly withdrawal: Withdrawal;
  /** Makes it happen; further times change nothing. */
  readonly abort: (reason?: Error) => void;
  /** The same as an AbortSignal, for whoever needs one; made when it is asked for first. */
  readonly signal: () => AbortSignal;
}

/** Makes one that has not happened. */
export function createWithdrawal(): OwnWithdrawal {
  const acts: (() => void)[] = [];
  let controller: AbortController | undefined;
  let why: Error | undefined;
  const withdrawal = {
    aborted: false,
    addEventListener: (_type: "abort", act: () => void) => void acts.push(act),
    removeEventListener(_type: "abort", act: () => void) {
      const at = acts.indexOf(act);
      if (at !== -1) acts.splice(at, 1);
    },
  };
  return {
    withdrawal,
    abort(reason) {
      if (withdrawal.aborted) return;
      withdrawal.aborted = true;
      why = reason;
      controller?.abort(reason);
      for (const act of acts.splice(0)) act();
    },
    signal() {
      controller ??= new AbortController();
      if (withdrawal.aborted) controller.abort(why);
      return controller.signal;
    },
  };
}

import type { Withdrawal } from "../call/withdrawal.ts";

/**
 * Calls `act` as soon as one of the signals is aborted, at once when one already is. Unlike `AbortSignal.any` it leaves nothing behind on
 * a long-lived signal.
 * @returns takes the listeners away
 */
export function onAbort(signals: readonly (Withdrawal | undefined)[], act: () => void): () => void {
  for (const signal of signals) signal?.addEventListener("abort", act, { once: true });
  if (signals.some((signal) => signal?.aborted)) act();
  return () => {
    for (const signal of signals) signal?.removeEventListener("abort", act);
  };
}

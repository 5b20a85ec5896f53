/** A signal that follows several others, until it is released. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

/**
 * One signal that is aborted as soon as one of the given ones is. Unlike `AbortSignal.any` it leaves nothing behind on a long-lived
 * signal once it is released.
 */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) signal?.addEventListener("abort", abort, { once: true });
  if (signals.some((signal) => signal?.aborted)) abort();
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    },
  };
}

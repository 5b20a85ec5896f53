import type { DecisionLog } from "../audit/log.ts";

/** How a late log comes to be. */
export interface LateLogOptions {
  /** Opens the log; throws while that is not possible. */
  readonly open: () => DecisionLog;
  /** Told once, when the first attempt fails. */
  readonly report: (problem: unknown) => void;
}

/**
 * A decision log that need not be available yet: it is opened at once, and else before each decision until that works. While it is
 * not open every decision throws, so that every call is refused and the server stays up (design §10).
 */
export function openLateLog({ open, report }: LateLogOptions): DecisionLog {
  let log: DecisionLog | undefined;
  try {
    log = open();
  } catch (error) {
    report(error);
  }
  return {
    decision(record) {
      log ??= open();
      log.decision(record);
    },
    outcome(record) {
      log ??= open();
      log.outcome(record);
    },
    close: () => log?.close(),
  };
}

import type { DecisionLog, DecisionRecord, OutcomeRecord } from "../audit/log.ts";

/** The corridor's side of the decision log. */
export interface Recorder {
  /** Throws when the event is not in the file whole: then nothing may execute (law 10). */
  decision(record: DecisionRecord): void;
  /** Never throws: what has run has run. An outcome that cannot be written is kept, and written before any further decision. */
  outcome(record: OutcomeRecord): void;
  /** Takes what else is to be written when a call is over, which can wait for some milliseconds. Must not throw. */
  afterwards(write: () => void): void;
  /** Writes what is left, as far as it can be, and closes the log. */
  close(): void;
}

/** How long, and how many of them, what may wait waits: written together it costs less. */
const WAIT_MS = 5;
const MOST_WAITING = 64;

/**
 * Puts the rule "this and every later call is refused until it can be written" (design §10) around a log: no decision is recorded while
 * an earlier outcome is not.
 * @param report told of each event that could not be written
 * @param answersFirst true: an outcome is written right after the answer was handed on, and at the latest before the next decision
 */
export function createRecorder(log: DecisionLog, report: (problem: unknown) => void, answersFirst = false): Recorder {
  const owed: OutcomeRecord[] = [];
  const left: (() => void)[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  let waiting: NodeJS.Timeout | undefined;
  const settle = (): void => {
    for (let next = owed[0]; next !== undefined; next = owed[0]) {
      log.outcome(next);
      owed.shift();
    }
  };
  const trySettle = (): void => {
    try {
      settle();
    } catch (error) {
      report(error);
    }
  };
  const writeOwed = (): void => {
    scheduled = undefined;
    trySettle();
  };
  const writeLeft = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    for (const write of left.splice(0)) write();
  };
  return {
    decision(record) {
      settle();
      log.decision(record);
    },
    outcome(record) {
      owed.push(record);
      if (answersFirst) scheduled ??= setImmediate(writeOwed);
      else trySettle();
    },
    afterwards(write) {
      if (!answersFirst) return write();
      left.push(write);
      if (left.length >= MOST_WAITING) return writeLeft();
      waiting ??= setTimeout(writeLeft, WAIT_MS);
    },
    close() {
      clearImmediate(scheduled);
      writeOwed();
      writeLeft();
      log.close();
    },
  };
}

import { join } from "node:path";
import { makePrivateFolder } from "../files/private-folder.ts";
import { openAppendFile } from "./append-file.ts";
import { EMPTY_CHAIN, seal } from "./chain.ts";
import type { ChainHead, SealedEvent } from "./chain.ts";
import { auditError, isAuditError } from "./errors.ts";
import { decisionEvent, erasedEvent, outcomeEvent, timestampOf } from "./event.ts";
import type { EventFrame, UnsealedEvent } from "./event.ts";
import { fix } from "../call/fixed.ts";
import type { DecisionLog } from "./log.ts";
import { lastWholeEvent } from "./log-end.ts";
import { lockSession } from "./session-lock.ts";

/** What a decision log is opened with. */
export interface DecisionLogOptions {
  /** Absolute path of the state directory; made when it does not exist. */
  readonly stateDir: string;
  /** Names the file. */
  readonly sessionId: string;
  /** OPA's `labels`, on every event: at least `id` and `version`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Unix time in nanoseconds. */
  readonly now: () => bigint;
}

/** An outcome that follows its decision so soon finds the file where the decision found it. */
const TRUST_MS = 50;

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Path of a session's decision log.
 * @throws Error `audit.session_id_invalid` when the id cannot name a file
 */
export function decisionLogFile(stateDir: string, sessionId: string): string {
  if (!SESSION_ID.test(sessionId)) throw auditError("audit.session_id_invalid", `not a session id that can name a file: \`${sessionId}\``);
  return join(stateDir, "decisions", `${sessionId}.jsonl`);
}

/**
 * Opens the decision log of one session (design §10): `<state directory>/decisions/<session>.jsonl`, folders 0700, file 0600, one writer,
 * append only, each event chained to the one before it. A log that exists already, of a process that is gone, is continued.
 * @throws Error `audit.session_locked` when another process writes it, `audit.log_damaged` when it does not end in a whole event with a
 *   correct hash, `audit.unavailable` when it cannot be made
 */
export function openDecisionLog({ stateDir, sessionId, labels, now }: DecisionLogOptions): DecisionLog {
  const path = decisionLogFile(stateDir, sessionId);
  const unlock = orUnavailable(() => {
    makePrivateFolder(join(stateDir, "decisions"));
    makePrivateFolder(join(stateDir, "locks"));
    return lockSession(join(stateDir, "locks"), `${sessionId}.lock`);
  });
  let head: ChainHead = EMPTY_CHAIN;
  const file = orUnavailable(() => {
    try {
      const last = lastWholeEvent(path);
      if (last !== undefined) ({ head } = last);
      return openAppendFile(path, last?.end);
    } catch (error) {
      unlock();
      throw error;
    }
  });

  function append(unsealed: UnsealedEvent, trustMs?: number): boolean {
    const { sealed, failed } = orUnavailable(() => sealedOrErased(unsealed, head));
    file.append(sealed.line, trustMs);
    ({ head } = sealed);
    return failed;
  }

  const fixedLabels = fix({ ...labels });
  const frame = (): EventFrame => ({ labels: fixedLabels, timestamp: timestampOf(now()) });
  return {
    decision(record) {
      const failed = append(decisionEvent(record, frame()));
      // A refused call stays refused with its own text; only one that was to run must not.
      if (failed && record.verdict.admitted)
        throw auditError("audit.redaction_failed", "the event could not be redacted, the call is refused");
    },
    outcome(record) {
      append(outcomeEvent(record, frame()), TRUST_MS);
    },
    close() {
      file.close();
      unlock();
    },
  };
}

/** What has no canonical form is erased whole, like what cannot be redacted. */
function sealedOrErased(unsealed: UnsealedEvent, head: ChainHead): { sealed: SealedEvent; failed: boolean } {
  try {
    return { sealed: seal(unsealed.event, unsealed.regate, head), failed: unsealed.failed };
  } catch {
    const { event, regate, failed } = erasedEvent(unsealed, "the event has no canonical form");
    return { sealed: seal(event, regate, head), failed };
  }
}

function orUnavailable<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw isAuditError(error) ? error : auditError("audit.unavailable", "the decision log is not available", error);
  }
}

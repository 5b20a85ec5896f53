import type { OpenRequest } from "../govern/approval-filed.ts";
import type { Admission } from "./admission.ts";
import type { Core } from "./core.ts";
import type { CallRequest, ReportProgress } from "./corridor-types.ts";
import { admitInTurn, type Ask } from "./shared-admission.ts";
import { onAbort } from "./signals.ts";

/** Below the 60 s after which hosts give a call up that says nothing (trial M14). */
const SILENT_WAIT_MS = 45_000;
const LOOK_MS = 200;
/** How often the client is told that the call still waits. */
const PROGRESS_MS = 5_000;

/** How a wait ended: `moved` when there is something new, `late` when the time is up, `cancelled` when nobody wants an answer. */
type WaitEnd = "moved" | "late" | "cancelled";

/** How long a call waits for a decision; 0 when it does not. Inside a script nothing waits: it would hold the script's thread. */
export function approvalWaitMs(core: Core, request: CallRequest): number {
  if (request.from?.scripted === true) return 0;
  const waitMs = core.options.approvals?.waitMs ?? 0;
  return progressOf(core, request) === undefined ? Math.min(waitMs, SILENT_WAIT_MS) : waitMs;
}

/** A call whose request waits for a human. */
export interface WaitingCall {
  readonly request: CallRequest;
  readonly ask: Ask;
  readonly judged: Admission;
  readonly open: OpenRequest;
}

/**
 * Waits for a human's decision, if the server is told to, and judges the call again: a decision of its own on record.
 * @returns undefined when the call was cancelled meanwhile
 */
export async function approved(core: Core, { request, ask, judged, open }: WaitingCall): Promise<Admission | undefined> {
  if (approvalWaitMs(core, request) === 0) return judged;
  const end = await waitForDecision(core, request, open);
  if (end === "cancelled") return undefined;
  if (end === "late") return judged;
  return await admitInTurn(core, {
    ...ask,
    counts: false,
    request: (isStale) => ({ ...ask.request(isStale), waits: false, awaited: open }),
  });
}

/** Waits until a request was decided or has ended. Holds nothing up: other calls pass meanwhile. */
function waitForDecision(core: Core, request: CallRequest, open: OpenRequest): Promise<WaitEnd> {
  const waitMs = approvalWaitMs(core, request);
  const report = progressOf(core, request);
  const startedAt = performance.now();
  return new Promise((resolve) => {
    let toldAt = Number.NEGATIVE_INFINITY;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    let release: () => void = () => undefined;
    const end = (how: WaitEnd): void => {
      isOver = true;
      clearTimeout(timer);
      release();
      resolve(how);
    };
    const look = async (): Promise<void> => {
      const moved = await hasMoved(core, open);
      const waitedMs = performance.now() - startedAt;
      if (isOver) return;
      if (moved) return end("moved");
      if (waitedMs >= waitMs) return end("late");
      timer = setTimeout(() => void look(), LOOK_MS);
      if (report === undefined || waitedMs - toldAt < PROGRESS_MS) return;
      toldAt = waitedMs;
      report({
        progress: Math.round(waitedMs) / 1_000,
        total: waitMs / 1_000,
        message: `waiting for a human's decision on request ${open.id} (until ${open.expires_at})`,
      });
    };
    release = onAbort([request.signal, core.shutdown.signal], () => end("cancelled"));
    void look();
  });
}

/** The way to tell the client: the call's own, or that of the call from outside that hands it on. */
function progressOf(core: Core, { progress, from }: CallRequest): ReportProgress | undefined {
  return progress ?? (from === undefined ? undefined : core.progress.get(from.decisionId));
}

/** A store that cannot be read is something new: the gate says what it means. */
async function hasMoved({ options, report }: Core, open: OpenRequest): Promise<boolean> {
  try {
    return (await options.approvals?.desk.hasMoved(open)) !== false;
  } catch (error) {
    report(error);
    return true;
  }
}

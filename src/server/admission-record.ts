import type { LoggedSessionState } from "../audit/log.ts";
import type { JsonObject } from "../call/json.ts";
import type { MadeCall } from "../call/make-call.ts";
import { refuse } from "../gate/refuse.ts";
import type { Verdict } from "../gate/verdict.ts";
import type { StopInForce } from "../govern/active-stops.ts";
import type { SessionView } from "../session/session.ts";
import type { ApprovalFindings } from "./approvals.ts";
import type { Core } from "./core.ts";
import type { Grants } from "./grants.ts";

/** A call as it was judged, before that is on record. */
export interface Judged {
  readonly verdict: Verdict;
  readonly input: JsonObject;
  readonly session: SessionView;
  readonly grants: Grants;
  /** Asked only when the gate was. */
  readonly stop?: StopInForce | undefined;
  readonly metrics: Readonly<Record<string, number>>;
  readonly findings: ApprovalFindings;
}

/** Puts the decision on record; what is answered instead when it cannot be. */
export function record(core: Core, entry: { decisionId: string; made: MadeCall; judged: Judged; rearmed: boolean }): Verdict | undefined {
  const { decisionId, made, judged, rearmed } = entry;
  const { verdict, input, metrics } = judged;
  const { engine } = core.options;
  const before = stateOf(core);
  const after = rearmed ? { identity_confirmed: false, epoch: before.epoch + 1 } : before;
  try {
    const { parent, call } = made;
    core.recorder.decision({ decisionId, parent, stop: judged.stop, call, input, verdict, bundle: engine, before, after, metrics });
    return verdict.admitted && !recordInput(core, decisionId, made) ? UNRECORDED : undefined;
  } catch (error) {
    core.report(error);
    return UNRECORDED;
  }
}

const UNRECORDED: Verdict = Object.freeze({ admitted: false, refusal: refuse("admission", "audit.unavailable") });

/** Puts the input of an admitted call into the recording; the log tells when that failed and so nothing ran. */
function recordInput(core: Core, decisionId: string, { call }: MadeCall): boolean {
  try {
    core.options.recording?.input({ decisionId, tool: call.tool, arguments: call.arguments });
    return true;
  } catch (error) {
    core.report(error);
    core.recorder.outcome({ decisionId, tool: call.tool, status: "error", code: "audit.unavailable", durationMs: 0 });
    return false;
  }
}

function stateOf({ session }: Core): LoggedSessionState {
  return { identity_confirmed: session.identity.identityConfirmed, epoch: session.identity.epoch };
}

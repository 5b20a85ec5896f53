import type { JsonObject } from "../call/json.ts";
import type { MadeCall } from "../call/make-call.ts";
import type { GateQuestion } from "../gate/gate.ts";
import { judge } from "../gate/gate.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Verdict } from "../gate/verdict.ts";
import type { OpenRequest } from "../govern/approval-filed.ts";
import type { Decision } from "../policy/decision.ts";
import type { IdentityLook } from "../session/identity-watch.ts";
import type { Judged } from "./admission-record.ts";
import { approvalAnswer } from "./approvals.ts";
import type { ApprovalFindings, KnownStandings } from "./approvals.ts";
import type { Core } from "./core.ts";
import { grantsOf, takeUse } from "./grants.ts";
import type { Grants } from "./grants.ts";
import { localised } from "./localise.ts";
import { inputFor } from "./policy-input.ts";

/** How a call is judged. */
export interface AdmissionRequest {
  readonly made: MadeCall;
  readonly confirmation: GateQuestion["confirmation"];
  /** Why an answer that came with the call is no yes. */
  readonly answer?: RefusalCode | undefined;
  /** The request for approval that the call has waited for. */
  readonly awaited?: OpenRequest | undefined;
  /** True when the call waits for a human outside the session, if one has to decide. */
  readonly waits?: boolean;
  /** True when nothing would run: then nobody has to approve it. */
  readonly isIdle?: (() => boolean) | undefined;
  /** Whether the caller's own object still says what is judged; when it does not, no approval is used. */
  readonly isIntact?: (() => boolean) | undefined;
  /** Given when it is known already, as after a question to the human that did not end well: then the gate is not asked. */
  readonly verdict?: Verdict;
}

/** What the gate would say now: neither recorded nor counted, and without effect. */
export function preview(core: Core, request: AdmissionRequest): Verdict {
  return judgeCall(core, request, { look: core.session.watch.look() }).verdict;
}

/**
 * Judges a call and counts the use of the elevation that covers it, before anything is recorded or runs. When another process took the last
 * use meanwhile, the call is judged again without it.
 */
export function judgeCounted(core: Core, request: AdmissionRequest, moment: Moment): Judged {
  const judged = judgeCall(core, request, moment);
  const { call } = request.made;
  if (!judged.verdict.admitted || call.dryRun || takeUse(core, judged.grants)) return judged;
  return judgeCall(core, request, { ...moment, grants: { ...judged.grants, elevation: undefined } });
}

/** What a call is judged with beside the state of its session. */
interface Moment {
  readonly look: IdentityLook;
  readonly grants?: Grants;
  /** Absent when one only looks: then no approval is asked for. */
  readonly known?: KnownStandings;
}

function judgeCall(core: Core, request: AdmissionRequest, { look, grants: given, known }: Moment): Judged {
  const { call } = request.made;
  const started = performance.now();
  const session = core.session.view(call.tool, core.now().getTime(), look);
  const grants = given ?? grantsOf(core, call);
  const input = inputFor(core, request.made, { session, grants });
  const clock: Clock = {};
  const findings: ApprovalFindings = {};
  const approval = approvalAnswer(core, { call, session, grants, awaited: request.awaited, known }, findings);
  const { verdict, stop } =
    request.verdict === undefined ? askGate(core, { request, input, clock, approval }) : { verdict: request.verdict };
  const metrics = metricsOf(clock.askedMs, performance.now() - started);
  const asked = verdict.approval === undefined ? input : { ...input, approval: { ...verdict.approval } };
  return { verdict: localised(verdict, core.options.locale), input: asked, session, grants, stop, metrics, findings };
}

/** How long the policy took; absent when it was not asked. */
interface Clock {
  askedMs?: number;
}

interface GateAsk {
  readonly request: AdmissionRequest;
  readonly input: JsonObject;
  readonly clock: Clock;
  readonly approval: GateQuestion["approval"];
}

function askGate(core: Core, ask: GateAsk): Pick<Judged, "verdict" | "stop"> {
  const { allowlist, requireDryRun } = core.options;
  const { made, confirmation, answer, isIdle } = ask.request;
  try {
    const stop = core.options.authorities?.stops.reasonFor();
    const stopped = core.stopped || stop !== undefined;
    const { call, problem } = made;
    const question = { call, problem, input: ask.input, stopped, confirmation, answer, isIdle, approval: ask.approval };
    return { verdict: judge(question, { allowlist, requireDryRun, decide: timedDecide(core, ask.clock) }), stop };
  } catch (error) {
    core.report(error);
    return { verdict: { admitted: false, refusal: refuse("admission", "gate.internal") } };
  }
}

function timedDecide({ options }: Core, clock: Clock): ((input: JsonObject) => Decision) | undefined {
  const { engine } = options;
  if (engine === undefined) return undefined;
  return (input) => {
    const before = performance.now();
    const decision = engine.decide(input);
    clock.askedMs = (clock.askedMs ?? 0) + performance.now() - before;
    return decision;
  };
}

/** Nanoseconds under OPA's own metric name, and those of the whole gate under ours. */
function metricsOf(askedMs: number | undefined, gateMs: number): Readonly<Record<string, number>> {
  const gate = nanoseconds(gateMs);
  return askedMs === undefined
    ? { timer_regate_gate_ns: gate }
    : { timer_rego_query_eval_ns: nanoseconds(askedMs), timer_regate_gate_ns: gate };
}

function nanoseconds(ms: number): number {
  return Math.round(ms * 1_000_000);
}

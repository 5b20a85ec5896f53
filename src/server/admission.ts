import { randomUUID } from "node:crypto";
import type { JsonObject } from "../call/json.ts";
import type { MadeCall } from "../call/make-call.ts";
import type { GateQuestion } from "../gate/gate.ts";
import { judge } from "../gate/gate.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Refusal, Verdict } from "../gate/verdict.ts";
import type { Decision } from "../policy/decision.ts";
import type { IdentityLook } from "../session/identity-watch.ts";
import type { SessionView } from "../session/session.ts";
import type { OpenRequest } from "../govern/approval-filed.ts";
import type { ApprovalUse } from "../govern/approval-use.ts";
import { record } from "./admission-record.ts";
import type { Judged } from "./admission-record.ts";
import { approvalAnswer, askDesk, useApproval } from "./approvals.ts";
import type { ApprovalFindings, KnownStandings, WantedStanding } from "./approvals.ts";
import type { Core } from "./core.ts";
import { rearms } from "./effects.ts";
import type { EffectTicket } from "./effects.ts";
import { grantsOf, takeUse } from "./grants.ts";
import type { Grants } from "./grants.ts";
import type { HandlerEnd } from "./handler.ts";
import { localised } from "./localise.ts";
import { inputFor } from "./policy-input.ts";

/** One call that was judged, with its decision on record and its effect applied. */
export interface Admission {
  readonly decisionId: string;
  readonly verdict: Verdict;
  /** The session as it was judged. */
  readonly session: SessionView;
  /** Epoch of the identity state right after the effect. */
  readonly epoch: number;
  /** What humans have granted, as policy saw it. */
  readonly grants: Grants;
  /** Present when policy allowed the call. */
  readonly ticket?: EffectTicket;
  /** Present when the call runs on an approval. */
  readonly use?: ApprovalUse;
  /** What is answered in place of running the call, although it was admitted: its approval could not be used. */
  readonly barred?: HandlerEnd | undefined;
  /** The request that the call waits for. */
  readonly request?: OpenRequest;
}

/** How a call is judged. */
export interface AdmissionRequest {
  readonly made: MadeCall;
  readonly confirmation: GateQuestion["confirmation"];
  /** Why an answer that came with the call is no yes. */
  readonly answer?: RefusalCode | undefined;
  /** The request for approval that the call has waited for. */
  readonly awaited?: OpenRequest | undefined;
  /** True when nothing would run: then nobody has to approve it. */
  readonly isIdle?: (() => boolean) | undefined;
  /** Whether the caller's own object still says what is judged; when it does not, no approval is used. */
  readonly isIntact?: (() => boolean) | undefined;
  /** Given after a question to the human that did not end well: then the gate is not asked again. */
  readonly verdict?: Verdict;
}

/** How often the desk may be asked while one call is judged; policy that asks for ever other things gets no answer. */
const MAX_QUESTIONS = 4;

/**
 * Judges one call, records the decision and applies its effect, in one synchronous step, unless its approval has to be looked for and used.
 * To be taken in turn: the next call is judged only after that (design §5).
 */
export function admit(core: Core, request: AdmissionRequest): Admission | Promise<Admission> {
  const judged = judgeNow(core, request, new Map());
  const { wanted } = judged.findings;
  return wanted === undefined ? conclude(core, request, judged) : admitAsking(core, request, wanted);
}

/** Asks the desk until the call can be judged without asking, and uses the approval that an admitted call runs on. */
async function admitAsking(core: Core, request: AdmissionRequest, first: WantedStanding): Promise<Admission> {
  const known: KnownStandings = new Map();
  await askDesk(core, first, known);
  let judged = judgeNow(core, request, known);
  for (let asked = 1; judged.findings.wanted !== undefined && asked < MAX_QUESTIONS; asked += 1) {
    await askDesk(core, judged.findings.wanted, known);
    judged = judgeNow(core, request, known);
  }
  const admission = conclude(core, request, judged);
  const { use, verdict } = admission;
  if (!verdict.admitted || use === undefined || request.isIntact?.() === false) return admission;
  return { ...admission, barred: await useApproval(core, use, admission) };
}

function judgeNow(core: Core, request: AdmissionRequest, known: KnownStandings): Judged {
  const look = core.session.watch.look();
  core.session.watch.take(look);
  return judgeCounted(core, request, { look: { ...look, lapsed: false }, known });
}

function conclude(core: Core, request: AdmissionRequest, judged: Judged): Admission {
  const decisionId = randomUUID();
  const begins = request.verdict === undefined ? begun(judged.verdict) : undefined;
  const refused = record(core, { decisionId, made: request.made, judged, rearmed: rearms(begins) });
  if (refused !== undefined)
    return { decisionId, verdict: refused, session: judged.session, grants: judged.grants, epoch: core.session.identity.epoch };
  haltOn(core, decisionId, judged.verdict.decision);
  const ticket = begins === undefined ? undefined : core.effects.begin(begins);
  if (judged.verdict.admitted && isMutation(request.made, judged.verdict.decision)) core.session.watch.mutated();
  const { verdict, session, grants, findings } = judged;
  const admission = { decisionId, verdict, session, grants, epoch: core.session.identity.epoch };
  return { ...admission, ...(ticket === undefined ? {} : { ticket }), ...(verdict.admitted ? useOf(findings) : requestOf(findings)) };
}

/** The decision whose effect begins: an allowed call's, unless a human outside has not approved it. */
function begun(verdict: Verdict): Decision | undefined {
  if (verdict.decision?.allow !== true) return undefined;
  return verdict.admitted || !isUnapproved(verdict.refusal) ? verdict.decision : undefined;
}

function isUnapproved({ stage, code }: Refusal): boolean {
  return stage === "approval" || code === "store.unavailable";
}

function useOf({ use }: ApprovalFindings): { use?: ApprovalUse } {
  return use === undefined ? {} : { use };
}

function requestOf({ request }: ApprovalFindings): { request?: OpenRequest } {
  return request === undefined ? {} : { request };
}

/** A denial with `halt` stops the session (design §2); until a human resumes it, where that can be said. */
function haltOn(core: Core, decisionId: string, decision: Decision | undefined): void {
  if (decision?.halt !== true || decision.allow) return;
  const [reason] = decision.reasons;
  if (core.options.authorities === undefined) core.stopped = true;
  else core.options.authorities.stops.halt({ decisionId, code: reason?.code ?? "policy.denied", rule: reason?.rule ?? "" });
}

/** What uses up a confirmation, where that is limited: a call that may change something and says nothing about who is active. */
function isMutation({ call }: MadeCall, { effect }: Decision): boolean {
  return effect === "none" && !(call.facts.known && call.facts.read_only);
}

/** What the gate would say now: neither recorded nor counted, and without effect. */
export function preview(core: Core, request: AdmissionRequest): Verdict {
  return judgeCall(core, request, { look: core.session.watch.look() }).verdict;
}

/**
 * Judges a call and counts the use of the elevation that covers it, before anything is recorded or runs. When another process took the last
 * use meanwhile, the call is judged again without it.
 */
function judgeCounted(core: Core, request: AdmissionRequest, moment: Moment): Judged {
  const judged = judgeCall(core, request, moment);
  const { call } = request.made;
  if (!judged.verdict.admitted || call.dryRun || takeUse(core, judged.grants)) return judged;
  return judgeCall(core, request, { ...moment, grants: { ...judged.grants, elevation: undefined } });
}

interface Moment {
  readonly look: IdentityLook;
  readonly grants?: Grants;
  /** Absent when one only looks: then no approval is asked for. */
  readonly known?: KnownStandings;
}

function judgeCall(core: Core, request: AdmissionRequest, { look, grants: given, known }: Moment): Judged {
  const { call } = request.made;
  const started = process.hrtime.bigint();
  const session = core.session.view(call.tool, core.now().getTime(), look);
  const grants = given ?? grantsOf(core, call);
  const input = inputFor(core, request.made, { session, grants });
  const clock = { asked: 0n };
  const findings: ApprovalFindings = {};
  const approval = approvalAnswer(core, { call, session, grants, awaited: request.awaited, known }, findings);
  const { verdict, stop } =
    request.verdict === undefined ? askGate(core, { request, input, clock, approval }) : { verdict: request.verdict };
  const metrics = metricsOf(clock.asked, process.hrtime.bigint() - started);
  const asked = verdict.approval === undefined ? input : { ...input, approval: { ...verdict.approval } };
  return { verdict: localised(verdict, core.options.locale), input: asked, session, grants, stop, metrics, findings };
}

interface GateAsk {
  readonly request: AdmissionRequest;
  readonly input: JsonObject;
  readonly clock: { asked: bigint };
  readonly approval: GateQuestion["approval"];
}

function askGate(core: Core, ask: GateAsk): Pick<Judged, "verdict" | "stop"> {
  const { allowlist, requireDryRun } = core.options;
  const { made, confirmation, answer, isIdle } = ask.request;
  try {
    const stop = core.options.authorities?.stops.reasonFor();
    const stopped = core.stopped || stop !== undefined;
    const question = { ...made, input: ask.input, stopped, confirmation, answer, isIdle, approval: ask.approval };
    return { verdict: judge(question, { allowlist, requireDryRun, decide: timedDecide(core, ask.clock) }), stop };
  } catch (error) {
    core.report(error);
    return { verdict: { admitted: false, refusal: refuse("admission", "gate.internal") } };
  }
}

function timedDecide({ options }: Core, clock: { asked: bigint }): ((input: JsonObject) => Decision) | undefined {
  const { engine } = options;
  if (engine === undefined) return undefined;
  return (input) => {
    const before = process.hrtime.bigint();
    const decision = engine.decide(input);
    clock.asked += process.hrtime.bigint() - before;
    return decision;
  };
}

/** Nanoseconds under OPA's own metric name, and those of the whole gate under ours. */
function metricsOf(asked: bigint, gate: bigint): Readonly<Record<string, number>> {
  return { ...(asked === 0n ? {} : { timer_rego_query_eval_ns: Number(asked) }), timer_regate_gate_ns: Number(gate) };
}

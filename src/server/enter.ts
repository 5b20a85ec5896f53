import type { MadeCall } from "../call/make-call.ts";
import type { Confirmation } from "../gate/gate.ts";
import type { Admission } from "./admission.ts";
import { approvalWaitMs, approved } from "./approval-wait.ts";
import { callOf } from "./call-of.ts";
import type { Core } from "./core.ts";
import type { CallAnswer, CallRequest } from "./corridor-types.ts";
import { handlerRefusal } from "./handler.ts";
import type { AdmissionRequest } from "./judge-call.ts";
import { lazily } from "./lazily.ts";
import { pendingDecision, settlePending } from "./pending.ts";
import { perform } from "./perform.ts";
import { isUnchanged, prepare } from "./prepare.ts";
import type { Prepared } from "./prepare.ts";
import { refusalResult } from "./results.ts";
import { askWithAnswer, channelOf, handsOn, replyOf, type Reply, type RetryChannel } from "./retry.ts";
import { admitInTurn, type Ask } from "./shared-admission.ts";
import type { Hold } from "./shared-holds.ts";

/**
 * Takes one call through the gate and to its handler. Nothing before the first `await` may yield, unless the call has to wait for its turn:
 * that is what keeps the calls in order.
 */
export async function enter(core: Core, request: CallRequest): Promise<CallAnswer> {
  const made = callOf(core, request);
  const prepared = lazily(() => prepare(core.options.registry, request, made.call));
  const channel = channelOf(core, request);
  const isIntact = (): boolean => request.handler === undefined || isUnchanged(request, made.call);
  const ask: Ask = { made, counts: true, request: askOf(core, { request, made, prepared, channel, isIntact }) };
  const entered = admitInTurn(core, ask);
  const judged = entered instanceof Promise ? await entered : entered;
  const first = judged.request === undefined ? judged : await approved(core, { request, ask, judged, open: judged.request });
  if (first === undefined) return cancelledAnswer(core, made, judged);
  const decision = pendingDecision(first);
  if (decision === undefined) return proceed(core, { request, made, admission: first, prepared });
  if (channel !== undefined) return { kind: "result", result: askWithAnswer(core, channel, { made, first }) };
  try {
    const settled = await settlePending(core, { made, first, decision, signal: request.signal, isIntact });
    if (settled === undefined) return cancelledAnswer(core, made, first);
    return await proceed(core, { request, made, admission: settled, prepared });
  } finally {
    first.ticket?.ended();
    if (first.hold !== undefined) await first.hold.answered();
  }
}

interface AskedCall {
  readonly request: CallRequest;
  readonly made: MadeCall;
  readonly prepared: () => Prepared;
  readonly channel: RetryChannel | undefined;
  readonly isIntact: () => boolean;
}

/** What the gate is asked about a call. An answer that came with it is read in its turn, and used up; it is stale when the state moves on. */
function askOf(core: Core, { request, made, prepared, channel, isIntact }: AskedCall): Ask["request"] {
  const read = lazily(() => ({
    reply: channel?.state === undefined || handsOn(prepared()) ? undefined : replyOf(core, channel, made),
  }));
  let isLate = false;
  return (isStale): AdmissionRequest => {
    const { reply } = read();
    isLate ||= isStale && reply?.accepted === true;
    const isAgreed = !isLate && reply?.accepted === true;
    return {
      made,
      answer: isLate ? "confirm.stale" : codeOf(reply),
      confirmation: () => (isAgreed ? "settled" : confirmationOf(core, request, prepared())),
      isIdle: () => prepared().kind !== "run",
      isIntact,
      waits: approvalWaitMs(core, request) > 0,
    };
  };
}

function codeOf(reply: Reply | undefined): AdmissionRequest["answer"] {
  return reply?.accepted === false ? reply.code : undefined;
}

interface JudgedCall {
  readonly request: CallRequest;
  readonly made: MadeCall;
  readonly admission: Admission;
  readonly prepared: () => Prepared;
}

function proceed(core: Core, { request, made, admission, prepared }: JudgedCall): Promise<CallAnswer> | CallAnswer {
  const { verdict, decisionId, ticket, hold } = admission;
  if (verdict.admitted) {
    const answer = perform(core, { request, call: made.call, admission, decision: verdict.decision, prepared: prepared() });
    return hold === undefined ? answer : answeredToAll(answer, hold);
  }
  core.session.usage.denied();
  ticket?.ended();
  const answer: CallAnswer = { kind: "result", result: refusalResult(verdict.refusal, decisionId) };
  return core.shared === undefined ? answer : toldToAll(core, admission).then(() => answer);
}

/** That a call is over is known to all fronts before it is answered. */
async function answeredToAll(answer: Promise<CallAnswer>, hold: Hold): Promise<CallAnswer> {
  try {
    return await answer;
  } finally {
    await hold.answered();
  }
}

/** A refusal counts among all fronts before it is answered. */
async function toldToAll({ shared }: Core, { counted, hold }: Admission): Promise<void> {
  await Promise.all([counted === true ? undefined : shared?.countDenied(), hold?.answered()]);
}

/** The call was withdrawn while the human was asked: the question is on record, nothing has run. */
function cancelledAnswer(core: Core, { call }: MadeCall, { decisionId }: Admission): CallAnswer {
  core.recorder.outcome({ decisionId, tool: call.tool, status: "cancelled", code: "call.cancelled", durationMs: 0 });
  return { kind: "result", result: handlerRefusal(decisionId, "call.cancelled") };
}

/** Inside a script nobody is asked: the wait would hold its thread, and its author could not tell the human what is going on. */
export function confirmationOf(core: Core, request: CallRequest, prepared: Prepared): Confirmation {
  if (prepared.kind !== "run") return "settled";
  if (request.from?.scripted === true) return "none";
  if (!core.session.canElicit()) return "none";
  const hasChannel = channelOf(core, request) === undefined ? core.confirm !== undefined : !handsOn(prepared);
  return hasChannel ? "ask" : "none";
}

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { MadeCall } from "../call/make-call.ts";
import type { Confirmation } from "../gate/gate.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Verdict } from "../gate/verdict.ts";
import { createSession } from "../session/live-session.ts";
import type { SessionEntry } from "../session/registry.ts";
import { admit, preview } from "./admission.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { approved } from "./approval-wait.ts";
import { callOf } from "./call-of.ts";
import { CONFIRM_TIMEOUT_MS, createConfirmer } from "./confirm.ts";
import type { Core, CorridorOptions } from "./core.ts";
import type { CallAnswer, CallRequest, Corridor } from "./corridor-types.ts";
import { createEffects } from "./effects.ts";
import { handlerRefusal } from "./handler.ts";
import { lazily } from "./lazily.ts";
import { listTools } from "./listing.ts";
import { messageGate, type MessageGate } from "./message-gate.ts";
import { pendingDecision, settlePending } from "./pending.ts";
import { lookAhead } from "./look-ahead.ts";
import type { Look } from "./look-ahead.ts";
import { perform } from "./perform.ts";
import { isUnchanged, prepare } from "./prepare.ts";
import type { Prepared } from "./prepare.ts";
import { createRecorder } from "./recorder.ts";
import { refusalResult } from "./results.ts";
import { askWithAnswer, channelOf, handsOn, replyOf } from "./retry.ts";
import type { Reply } from "./retry.ts";
import { createRunning } from "./running.ts";
import { createSealedQuestions } from "./sealed-questions.ts";
import { createStopWatch } from "./stop-watch.ts";
import { andThen, createTurns } from "./turns.ts";

/** A corridor that can also look ahead. */
export interface OpenCorridor extends Corridor, MessageGate {
  /** What the gate would say to a call now; neither recorded nor counted, and without effect. */
  decide(request: CallRequest): Verdict;
  /** What each stage of the gate would say to a call now; neither recorded nor counted, and without effect. */
  look(request: CallRequest): Look;
  /** Says who the session belongs to from now on (device login). */
  identify(user: string, principals: readonly string[]): void;
}

/** How long closing waits for handlers that were told to stop: all is over within 2 s (design §3). */
const CLOSE_GRACE_MS = 1_500;

/**
 * Opens the corridor of one session: the one function that every call passes, whatever path it comes from (design §1). Admission is
 * synchronous inside `call`, so that calls are gated, logged and re-armed strictly in the order of the calls to `call` (design §5).
 */
export function createCorridor(options: CorridorOptions): OpenCorridor {
  const core = createCore(options);
  const open = new Set<Promise<unknown>>();
  const unregister = options.sessions?.register(entryOf(core));
  const unpublish = options.publish?.(() => core.session.view("", core.now().getTime()));
  let closing: Promise<void> | undefined;
  return {
    call(request) {
      const answer = answerCall(core, request);
      open.add(answer);
      void answer.finally(() => open.delete(answer));
      return answer;
    },
    decide: (request) => decide(core, request),
    look: (request) => lookAhead(core, callOf(core, request)),
    identify(user, principals) {
      core.session.identify(user, principals);
      options.sessions?.identify(options.claim.sessionId, { user, principals });
    },
    ...messageGate(core),
    listTools: () => listTools(core),
    setClient: (facts) => core.session.setClient(facts),
    close: () =>
      (closing ??= close(core, open).finally(() => {
        unregister?.();
        unpublish?.();
      })),
  };
}

function createCore(options: CorridorOptions): Core {
  const { confirm, confirmTimeoutMs, log } = options;
  const { now = () => new Date(), report = () => undefined } = options;
  const clock = (): number => now().getTime();
  const session = createSession({ ...options, now: clock, startedAt: clock() });
  const shutdown = new AbortController();
  setMaxListeners(0, shutdown.signal);
  return {
    options,
    session,
    recorder: createRecorder(log, report),
    effects: createEffects(session.identity, session.watch),
    confirm: confirm === undefined ? undefined : createConfirmer(confirm, confirmTimeoutMs),
    questions: createSealedQuestions({ lifetimeMs: confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS }),
    retries: new Map(),
    progress: new Map(),
    now,
    report,
    running: createRunning(),
    turns: createTurns(),
    stopWatch: createStopWatch(options.authorities?.stops),
    shutdown,
    stopped: false,
  };
}

async function answerCall(core: Core, request: CallRequest): Promise<CallAnswer> {
  try {
    if (core.shutdown.signal.aborted) return refused("gate.closed");
    return await enter(core, request);
  } catch (error) {
    core.report(error);
    return refused("gate.internal");
  }
}

/** Nothing before the first `await` may yield, unless the call has to wait for its turn: that is what keeps the calls in order. */
async function enter(core: Core, request: CallRequest): Promise<CallAnswer> {
  const made = callOf(core, request);
  const prepared = lazily(() => prepare(core.options.registry, request, made.call));
  const channel = channelOf(core, request);
  const asked = (reply?: Reply): AdmissionRequest => askedOf(core, { request, made, prepared, reply });
  const entered = core.turns.take(() => {
    const reply = channel?.state === undefined || handsOn(prepared()) ? undefined : replyOf(core, channel, made);
    return andThen(admit(core, asked(reply)), (admission) => counted(core, { made, admission, reply }));
  });
  const { admission: judged, reply } = entered instanceof Promise ? await entered : entered;
  const open = judged.request;
  const first = open === undefined ? judged : await approved(core, { request, asked: asked(reply), judged, open });
  if (first === undefined) return cancelledAnswer(core, made, judged);
  const decision = pendingDecision(first);
  if (decision === undefined) return proceed(core, { request, made, admission: first, prepared });
  if (channel !== undefined) return { kind: "result", result: askWithAnswer(core, channel, { made, first }) };
  try {
    const settled = await settlePending(core, { made, first, decision, signal: request.signal, isIntact: asked().isIntact });
    if (settled === undefined) return cancelledAnswer(core, made, first);
    return await proceed(core, { request, made, admission: settled, prepared });
  } finally {
    first.ticket?.ended();
  }
}

interface EnteredCall {
  readonly request: CallRequest;
  readonly made: MadeCall;
  readonly prepared: () => Prepared;
  readonly reply: Reply | undefined;
}

/** What the gate is asked about a call. */
function askedOf(core: Core, { request, made, prepared, reply }: EnteredCall): AdmissionRequest {
  return {
    made,
    answer: reply?.accepted === false ? reply.code : undefined,
    confirmation: () => (reply?.accepted === true ? "settled" : confirmationOf(core, request, prepared())),
    isIdle: () => prepared().kind !== "run",
    isIntact: () => request.handler === undefined || isUnchanged(request, made.call),
  };
}

interface JudgedNow {
  readonly made: MadeCall;
  readonly admission: Admission;
  readonly reply: Reply | undefined;
}

function counted(core: Core, judged: JudgedNow): JudgedNow {
  core.session.usage.judged(judged.made.call.tool, core.now().getTime());
  return judged;
}

interface JudgedCall {
  readonly request: CallRequest;
  readonly made: MadeCall;
  readonly admission: Admission;
  readonly prepared: () => Prepared;
}

function proceed(core: Core, { request, made, admission, prepared }: JudgedCall): Promise<CallAnswer> | CallAnswer {
  const { verdict, decisionId, ticket } = admission;
  if (verdict.admitted) return perform(core, { request, call: made.call, admission, decision: verdict.decision, prepared: prepared() });
  core.session.usage.denied();
  ticket?.ended();
  return { kind: "result", result: refusalResult(verdict.refusal, decisionId) };
}

/** The call was withdrawn while the human was asked: the question is on record, nothing has run. */
function cancelledAnswer(core: Core, { call }: MadeCall, { decisionId }: Admission): CallAnswer {
  core.recorder.outcome({ decisionId, tool: call.tool, status: "cancelled", code: "call.cancelled", durationMs: 0 });
  return { kind: "result", result: handlerRefusal(decisionId, "call.cancelled") };
}

/** Inside a script nobody is asked: the wait would hold its thread, and its author could not tell the human what is going on. */
function confirmationOf(core: Core, request: CallRequest, prepared: Prepared): Confirmation {
  if (prepared.kind !== "run") return "settled";
  if (request.from?.scripted === true) return "none";
  if (!core.session.canElicit()) return "none";
  const hasChannel = channelOf(core, request) === undefined ? core.confirm !== undefined : !handsOn(prepared);
  return hasChannel ? "ask" : "none";
}

function decide(core: Core, request: CallRequest): Verdict {
  try {
    const made = callOf(core, request);
    return preview(core, { made, confirmation: () => confirmationOf(core, request, prepare(core.options.registry, request, made.call)) });
  } catch (error) {
    core.report(error);
    return { admitted: false, refusal: refuse("admission", "gate.internal") };
  }
}

/** A refusal outside any decision: nothing was judged, so nothing could be recorded. */
function refused(code: RefusalCode): CallAnswer {
  return { kind: "result", result: refusalResult(refuse("admission", code), randomUUID()) };
}

async function close(core: Core, open: ReadonlySet<Promise<unknown>>): Promise<void> {
  core.shutdown.abort();
  await Promise.all([...open, core.running.idle(CLOSE_GRACE_MS)]);
  core.recorder.close();
  core.options.recording?.close();
}

function entryOf({ options, now }: Core): SessionEntry {
  const { claim, user, groups } = options;
  return { id: claim.sessionId, agent_id: claim.agentId, user, principals: groups, created: now().toISOString() };
}

import { fix } from "../call/fixed.ts";
import { quietly } from "../call/quietly.ts";
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Verdict } from "../gate/verdict.ts";
import { createSession, profileSourceOf } from "../session/live-session.ts";
import type { SessionEntry } from "../session/registry.ts";
import { createSharedMirror } from "../session/shared-mirror.ts";
import { callOf } from "./call-of.ts";
import { CONFIRM_TIMEOUT_MS, createConfirmer } from "./confirm.ts";
import type { Core, CorridorOptions } from "./core.ts";
import type { CallAnswer, CallRequest, Corridor } from "./corridor-types.ts";
import { createEffects } from "./effects.ts";
import { createEndings } from "./endings.ts";
import { confirmationOf, enter } from "./enter.ts";
import { preview } from "./judge-call.ts";
import { listTools } from "./listing.ts";
import { messageGate, type MessageGate } from "./message-gate.ts";
import { lookAhead } from "./look-ahead.ts";
import type { Look } from "./look-ahead.ts";
import { prepare } from "./prepare.ts";
import { createRecorder } from "./recorder.ts";
import { refusalResult } from "./results.ts";
import { createRunning } from "./running.ts";
import { createSealedQuestions } from "./sealed-questions.ts";
import { createSharedFront, type SharedFront, type SharedFrontOptions } from "./shared-front.ts";
import { createTurns } from "./turns.ts";

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
 * Opens the corridor of one session: the one function that every call passes, whatever path it comes from (design §1). Calls are
 * gated, logged and re-armed strictly in the order of the calls to `call` (design §5), inside it where no store has to be asked.
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
  const { now = () => new Date() } = options;
  const report = quietly(options.report ?? (() => undefined));
  const clock = (): number => now().getTime();
  const shutdown = new AbortController();
  setMaxListeners(0, shutdown.signal);
  const shared = sharedFrontOf(options, { startedAt: clock(), end: shutdown.signal, report });
  const session = createSession({ ...options, mirror: shared?.mirror, now: clock, startedAt: clock() });
  return {
    options,
    session,
    shared,
    recorder: createRecorder(log, report, options.answersFirst),
    effects: createEffects(session.identity, session.watch),
    confirm: confirm === undefined ? undefined : createConfirmer(confirm, confirmTimeoutMs),
    questions: createSealedQuestions({ lifetimeMs: confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS }),
    retries: new Map(),
    progress: new Map(),
    environment: fix({ sandbox: options.sandbox }),
    now,
    report,
    running: createRunning(),
    turns: createTurns(),
    endings: createEndings(shutdown.signal, options.authorities?.stops),
    shutdown,
    stopped: false,
  };
}

/** This front's side of a state that fronts share; none where it has its own. */
function sharedFrontOf(
  { shared, identityRules: rules = {}, ...options }: CorridorOptions,
  around: Pick<SharedFrontOptions, "end" | "report"> & { readonly startedAt: number },
): SharedFront | undefined {
  if (shared === undefined) return undefined;
  const mirror = createSharedMirror({ source: profileSourceOf(options), report: around.report, startedAt: around.startedAt });
  return createSharedFront({ ...shared, ...around, mirror, rules });
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
  core.shared?.close();
  core.recorder.close();
  core.options.recording?.close();
}

function entryOf({ options, now }: Core): SessionEntry {
  const { claim, user, groups } = options;
  return { id: claim.sessionId, agent_id: claim.agentId, user, principals: groups, created: now().toISOString() };
}

import { isoTime } from "../call/iso-time.ts";
import { randomUUID } from "node:crypto";
import type { JsonObject } from "../call/json.ts";
import type { ToolCall, ToolFacts } from "../call/tool-call.ts";
import { refusalOf } from "../gate/policy.ts";
import { refuse } from "../gate/refuse.ts";
import type { Refusal, Verdict } from "../gate/verdict.ts";
import { buildMessageInput } from "../policy/build-input.ts";
import type { Decision } from "../policy/decision.ts";
import type { Entrypoint } from "../policy/engine.ts";
import type { Core } from "./core.ts";
import type { SessionView } from "../session/session.ts";
import { isShown } from "./listing.ts";

/** A message that is no call: a request in either direction, or a notification of the client. */
export interface MessageRequest {
  readonly method: string;
  readonly from: "client" | "upstream";
  readonly params: Readonly<JsonObject>;
  /** The tool whose call it belongs to, or what is known of the server. */
  readonly facts: ToolFacts;
  /** A client's answer that passes the gate as well: its roots. */
  readonly result?: Readonly<JsonObject>;
}

/** A result on its way back to the client. */
export interface ResultRequest {
  readonly method: string;
  readonly facts: ToolFacts;
  readonly result: Readonly<JsonObject>;
  /** Decision that let the request pass. */
  readonly parent: string;
  readonly call?: ToolCall;
  /** The session as the call was judged; looked at anew unless given. */
  readonly session?: SessionView;
  readonly params?: Readonly<JsonObject>;
}

/** What the gate says about a message. */
export type MessageVerdict =
  | { readonly allowed: true; readonly decisionId: string }
  | { readonly allowed: false; readonly decisionId: string; readonly refusal: Refusal };

/** What the gate says about a result; `redact`: JSON pointers of what is to be left out. */
export type ResultVerdict =
  | { readonly allowed: true; readonly redact: readonly string[] }
  | { readonly allowed: false; readonly decisionId: string; readonly refusal: Refusal };

/** The gate of everything that is no call. */
export interface MessageGate {
  /** Whether a tool of this name is shown to the agent: entitlement and `gate/listing`. */
  isShown(tool: string): boolean;
  /** Judges and records a message that is no call: at once, or in its turn where fronts share the session's state. */
  message(request: MessageRequest): MessageVerdict | Promise<MessageVerdict>;
  /** Judges a result on its way back, likewise. */
  result(request: ResultRequest): ResultVerdict | Promise<ResultVerdict>;
}

/** Opens it for one session. */
export function messageGate(core: Core): MessageGate {
  return {
    isShown: (tool) => isShown(core, tool),
    message: (request) => withState(core, request.facts.name, (fault) => judgeMessage(core, request, fault)),
    result: (request) =>
      judgesResults(core) ? withState(core, request.facts.name, (fault) => judgeResult(core, request, fault)) : UNJUDGED,
  };
}

const UNJUDGED: ResultVerdict = { allowed: true, redact: [] };

/** A bundle without that entrypoint leaves results as they are. */
function judgesResults({ options }: Core): boolean {
  return options.engine?.has("gate/result") === true;
}

/**
 * Judges with the session's state, which is read in the message's turn where fronts share it.
 * @param tool whose calls are counted
 * @param judge given the refusal when the state cannot be had
 */
function withState<Judged>(core: Core, tool: string, judge: (fault?: Refusal) => Judged): Judged | Promise<Judged> {
  const { shared } = core;
  if (shared === undefined) return judge();
  const known = shared.faults();
  return core.turns.take(async () => {
    const isKnown = shared.faults() === known && (await shared.refresh(tool));
    try {
      return isKnown ? judge() : judge(refuse("admission", core.shutdown.signal.aborted ? "gate.closed" : "store.unavailable"));
    } catch (error) {
      core.report(error);
      return judge(refuse("admission", "gate.internal"));
    } finally {
      shared.mirror.unload();
    }
  });
}

/** Judges a message through `gate/message` and records the decision; a bundle without that entrypoint lets none pass. */
function judgeMessage(core: Core, request: MessageRequest, fault?: Refusal): MessageVerdict {
  const decisionId = randomUUID();
  const input = inputOf(core, request);
  const verdict = fault === undefined ? verdictOf(core, input, "gate/message") : refused(fault);
  const refusal = record(core, { decisionId, input, verdict, path: "gate/message" });
  return refusal === undefined ? { allowed: true, decisionId } : { allowed: false, decisionId, refusal };
}

/** Judges a result through `gate/result`. What is refused or redacted is recorded, without the result itself. */
function judgeResult(core: Core, request: ResultRequest, fault?: Refusal): ResultVerdict {
  const input = inputOf(core, request);
  const verdict = fault === undefined ? verdictOf(core, input, "gate/result") : refused(fault);
  const redact = verdict.decision?.redact ?? [];
  if (verdict.admitted && redact.length === 0) return { allowed: true, redact };
  const decisionId = randomUUID();
  const { result: _result, ...logged } = input;
  const refusal = record(core, { decisionId, parent: request.parent, input: logged, verdict, path: "gate/result" });
  return refusal === undefined ? { allowed: true, redact } : { allowed: false, decisionId, refusal };
}

function inputOf(core: Core, request: MessageRequest | ResultRequest): JsonObject {
  const { environment, options } = core;
  const now = core.now().getTime();
  const { method, facts, params } = request;
  const isMessage = "from" in request;
  const given = isMessage || core.shared !== undefined ? undefined : request.session;
  return buildMessageInput({
    method,
    facts,
    params,
    from: isMessage ? request.from : undefined,
    result: request.result,
    call: isMessage ? undefined : request.call,
    time: isoTime(now),
    session: given ?? core.session.view(facts.name, now),
    environment,
    context: options.context,
  });
}

function verdictOf(core: Core, input: JsonObject, entrypoint: Entrypoint): Verdict {
  const { engine } = core.options;
  if (core.shutdown.signal.aborted) return refused(refuse("admission", "gate.closed"));
  if (core.stopped) return refused(refuse("admission", "gate.stopped"));
  if (engine === undefined) return refused(refuse("policy", "agent.engine_unbound"));
  if (!engine.has(entrypoint)) return refused(refuse("policy", "policy.default_deny"));
  const decision = engine.decide(input, entrypoint);
  const refusal = refusalOf(decision) ?? unmet(decision);
  return refusal === undefined ? { admitted: true, decision } : { admitted: false, refusal, decision };
}

/** Nobody is asked about a message. */
function unmet({ confirm, approval }: Decision): Refusal | undefined {
  if (approval !== undefined) return refuse("approval", "approval.unavailable");
  if (confirm === "block") return refuse("confirm", "confirm.blocked");
  return confirm === "elicit" ? refuse("confirm", "confirm.no_channel") : undefined;
}

function refused(refusal: Refusal): Verdict {
  return { admitted: false, refusal };
}

interface Entry {
  readonly decisionId: string;
  readonly parent?: string;
  readonly input: JsonObject;
  readonly verdict: Verdict;
  readonly path: "gate/message" | "gate/result";
}

/** Puts the decision on record; gives the refusal, if it is one or cannot be recorded. */
function record(core: Core, entry: Entry): Refusal | undefined {
  const { engine } = core.options;
  const { identity } = core.session;
  const state = { identity_confirmed: identity.identityConfirmed, epoch: identity.epoch };
  try {
    core.recorder.decision({ ...entry, bundle: engine, before: state, after: state, metrics: {} });
  } catch (error) {
    core.report(error);
    return refuse("admission", "audit.unavailable");
  }
  return entry.verdict.admitted ? undefined : entry.verdict.refusal;
}

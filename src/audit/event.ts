import { fix } from "../call/fixed.ts";
import { isoTime } from "../call/iso-time.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { isAuditError } from "./errors.ts";
import type { DecisionRecord, LoggedSessionState, OutcomeRecord } from "./log.ts";
import { pointerOf } from "./pointer.ts";
import { redactEvent, redactJson, redactText } from "./redact.ts";
import type { Erasures, EventParts } from "./redact.ts";

/** Entrypoint of every recorded decision, as OPA's `path` names it. */
const PATH = "gate/decision";
/** Place of an outcome's facts in its event. */
const FACTS = ["custom", "regate", "outcome", "facts"];

/** What every event of a log carries. */
export interface EventFrame {
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339 UTC with nanoseconds. */
  readonly timestamp: string;
}

/** An event before it is chained: OPA's fields, and ours under `custom.regate`. `failed` tells that redaction failed. */
export interface UnsealedEvent {
  readonly event: JsonObject;
  readonly regate: JsonObject;
  readonly failed: boolean;
}

/** Makes the event of a decision (design §10), redacted. When redaction fails, input and result are erased whole and `error` says so. */
export function decisionEvent(record: DecisionRecord, frame: EventFrame): UnsealedEvent {
  const { bundle, parent, stop, verdict, input } = record;
  const { decision } = verdict;
  const regate: JsonObject = {
    admitted: verdict.admitted,
    bundle: bundle?.digest ?? null,
    code: verdict.admitted ? null : verdict.refusal.code,
    event: "decision",
  };
  if (parent !== undefined) regate["parent_decision_id"] = parent;
  regate["session"] = sessionOf(record);
  regate["stage"] = verdict.admitted ? "handler" : verdict.refusal.stage;
  if (stop !== undefined) regate["stop"] = { id: stop.id, reason: redactText(stop.reason) };
  const event: JsonObject = bundle === undefined ? {} : { bundles: bundlesOf(bundle) };
  event["decision_id"] = record.decisionId;
  event["labels"] = frame.labels;
  event["metrics"] = plain(record.metrics);
  event["path"] = record.path ?? PATH;
  event["timestamp"] = frame.timestamp;
  const parts: EventParts = decision === undefined ? { input } : { input, result: plain(decision) };
  try {
    const { input: shown, result, erased, masked } = redactEvent(parts);
    event["input"] = shown;
    if (result !== undefined) event["result"] = result;
    return { event: withErasures(event, { erased, masked }), regate, failed: false };
  } catch (error) {
    return erasedEvent({ event: { ...event, ...plain(parts) }, regate, failed: false }, messageOf(error));
  }
}

/** `erased` and `masked` stand in an event only when something was. */
function withErasures(event: JsonObject, { erased, masked }: Erasures): JsonObject {
  if (erased.length > 0) event["erased"] = [...erased];
  if (masked.length > 0) event["masked"] = [...masked];
  return event;
}

/** The same object for the same bundle: it stands in every event. */
function bundlesOf({ name, digest }: { readonly name: string; readonly digest: string }): JsonObject {
  if (lastBundles.name !== name || lastBundles.digest !== digest)
    lastBundles = { name, digest, bundles: fix({ [name]: { revision: digest } }) };
  return lastBundles.bundles;
}

let lastBundles: { readonly name: string; readonly digest: string; readonly bundles: JsonObject } = { name: "", digest: "", bundles: {} };

/** The same object for the same state: it seldom changes from call to call. */
function sessionOf({ before, after }: DecisionRecord): JsonObject {
  if (!isSame(lastSession.before, before) || !isSame(lastSession.after, after))
    lastSession = { before, after, session: fix({ after: { ...after }, before: { ...before } }) };
  return lastSession.session;
}

function isSame(one: LoggedSessionState | undefined, other: LoggedSessionState): boolean {
  return one !== undefined && one.identity_confirmed === other.identity_confirmed && one.epoch === other.epoch;
}

let lastSession: { readonly before?: LoggedSessionState; readonly after?: LoggedSessionState; readonly session: JsonObject } = {
  session: {},
};

/** Makes the event of an outcome: the decision's id, no input. */
export function outcomeEvent(record: OutcomeRecord, frame: EventFrame): UnsealedEvent {
  const { decisionId, tool, status, code, durationMs, facts } = record;
  const event = common(decisionId, frame);
  const outcome: JsonObject = { tool: redactText(tool), status, duration_ms: Math.round(durationMs * 1000) / 1000 };
  if (code !== undefined) outcome["code"] = code;
  const regateOf = (some: JsonObject): JsonObject => ({ event: "outcome", outcome: { ...outcome, ...some } });
  if (facts === undefined) return { event, regate: regateOf({}), failed: false };
  try {
    const { value, erased, masked } = redactJson(facts, FACTS);
    return { event: withErasures(event, { erased, masked }), regate: regateOf({ facts: value }), failed: false };
  } catch (error) {
    return erasedEvent({ event, regate: regateOf({ facts }), failed: false }, messageOf(error));
  }
}

/** The same event with everything erased that callers and policies fill, and the reason in OPA's field `error`. */
export function erasedEvent({ event, regate }: UnsealedEvent, message: string): UnsealedEvent {
  const { input, result, masked: _masked, ...others } = event;
  const { outcome, ...ours } = regate;
  const { facts, ...kept } = isJsonObject(outcome) ? outcome : {};
  const whole = [
    input === undefined ? [] : "/input",
    result === undefined ? [] : "/result",
    facts === undefined ? [] : pointerOf(FACTS),
  ].flat();
  const error = { code: "audit.redaction_failed", message };
  return {
    event: { ...others, erased: whole, error },
    regate: { ...ours, ...(outcome === undefined ? {} : { outcome: kept }) },
    failed: true,
  };
}

/** Writes Unix nanoseconds as RFC 3339 UTC with nine fraction digits, as OPA does. */
export function timestampOf(nanoseconds: bigint): string {
  if (nanoseconds === last.nanoseconds) return last.text;
  const text = isoTime(Number(nanoseconds / 1_000_000n));
  last = { nanoseconds, text: `${text.slice(0, -1)}${String(nanoseconds % 1_000_000n).padStart(6, "0")}Z` };
  return last.text;
}

/** A decision and the outcome of the call before it are often of the same moment. */
let last = { nanoseconds: -1n, text: "" };

function common(decisionId: string, { labels, timestamp }: EventFrame): JsonObject {
  return { decision_id: decisionId, labels, path: PATH, timestamp };
}

function messageOf(error: unknown): string {
  return isAuditError(error) ? error.message : "the event could not be redacted";
}

/** Typed records are JSON objects with an interface that lacks an index signature. */
function plain(value: object): JsonObject {
  return value as JsonObject;
}

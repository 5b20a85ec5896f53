import { isoTime } from "../call/iso-time.ts";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { isAuditError } from "./errors.ts";
import type { DecisionRecord, OutcomeRecord } from "./log.ts";
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
  const { decision } = record.verdict;
  const parts: EventParts = { input: record.input, ...(decision === undefined ? {} : { result: plain(decision) }) };
  const session = { before: { ...record.before }, after: { ...record.after } };
  const parent = record.parent === undefined ? {} : { parent_decision_id: record.parent };
  const stop = record.stop === undefined ? {} : { stop: { id: record.stop.id, reason: redactText(record.stop.reason) } };
  const regate = { event: "decision", ...parent, ...stop, bundle: record.bundle?.digest ?? null, session, ...verdictOf(record) };
  const event = common(record.decisionId, frame);
  if (record.path !== undefined) event["path"] = record.path;
  if (record.bundle !== undefined) event["bundles"] = { [record.bundle.name]: { revision: record.bundle.digest } };
  event["metrics"] = { ...record.metrics };
  try {
    Object.assign(event, withoutEmptyLists(redactEvent(parts)));
    return { event, regate, failed: false };
  } catch (error) {
    return erasedEvent({ event: { ...event, ...plain(parts) }, regate, failed: false }, messageOf(error));
  }
}

/** Makes the event of an outcome: the decision's id, no input. */
export function outcomeEvent(record: OutcomeRecord, frame: EventFrame): UnsealedEvent {
  const { decisionId, tool, status, code, durationMs, facts } = record;
  const event = common(decisionId, frame);
  const outcome = {
    tool: redactText(tool),
    status,
    ...(code === undefined ? {} : { code }),
    duration_ms: Math.round(durationMs * 1000) / 1000,
  };
  const regateOf = (some: JsonObject): JsonObject => ({ event: "outcome", outcome: { ...outcome, ...some } });
  if (facts === undefined) return { event, regate: regateOf({}), failed: false };
  try {
    const { value, erased, masked } = redactJson(facts, FACTS);
    return { event: { ...event, ...withoutEmptyLists({ erased, masked }) }, regate: regateOf({ facts: value }), failed: false };
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
  return { labels, decision_id: decisionId, path: PATH, timestamp };
}

function verdictOf({ verdict }: DecisionRecord): JsonObject {
  if (verdict.admitted) return { admitted: true, stage: "handler", code: null };
  return { admitted: false, stage: verdict.refusal.stage, code: verdict.refusal.code };
}

/** `erased` and `masked` stand in an event only when something was. */
function withoutEmptyLists({ erased, masked, ...redacted }: Erasures): JsonObject {
  const fields = plain(redacted);
  if (erased.length > 0) fields["erased"] = [...erased];
  if (masked.length > 0) fields["masked"] = [...masked];
  return fields;
}

function messageOf(error: unknown): string {
  return isAuditError(error) ? error.message : "the event could not be redacted";
}

/** Typed records are JSON objects with an interface that lacks an index signature. */
function plain(value: object): JsonObject {
  return value as JsonObject;
}

import { open } from "node:fs/promises";
import { isJsonObject } from "../call/json.ts";
import type { JsonObject } from "../call/json.ts";
import { linesFromEnd } from "../audit/lines-from-end.ts";
import type { LineAt } from "../audit/lines-from-end.ts";
import type { FilePlace } from "./decision-cursor.ts";

/** A decision as its log has it, with the outcome that stands further on. */
export interface RawDecision {
  readonly time: string;
  readonly line: string;
  readonly outcome: JsonObject | undefined;
}

/** The decisions of one session, the newest first. */
export interface DecisionSource {
  /** The next decision; undefined when there is none. Does not move. */
  head(): Promise<RawDecision | undefined>;
  /** Goes on to the one before. */
  drop(): void;
  /** Where reading has to go on later, without loss and without giving a decision twice. */
  place(): FilePlace;
  /** Lines read so far. */
  lines(): number;
  /** Lines that are no event, or too long to be one. */
  unreadable(): number;
  close(): Promise<void>;
}

const LONGEST_LINE = 16 * 1024 * 1024;
/** An outcome that is further from its decision than this is not read again for a later page. */
const OUTCOME_REACH = 1024 * 1024;

interface Waiting {
  readonly outcome: JsonObject;
  readonly end: number;
}

/**
 * Opens the log of one session.
 * @param from where an earlier page ended; its end unless given
 * @param notAfter decisions after this time are passed over: they came after an earlier page was read
 */
export async function openDecisionSource(
  path: string,
  { from, notAfter }: { readonly from?: FilePlace | undefined; readonly notAfter?: string | undefined },
): Promise<DecisionSource> {
  const file = await open(path, "r");
  const { size } = await file.stat();
  const lines = linesFromEnd(file, { longest: LONGEST_LINE, before: from === undefined ? undefined : Math.min(from.before, size) });
  const waiting = new Map<string, Waiting>();
  let below = from === undefined ? Number.MAX_SAFE_INTEGER : Math.min(from.below, size);
  let [read, unreadable, lineEnd] = [0, 0, from?.before ?? size];
  let current: (RawDecision & { readonly start: number }) | undefined;

  function take({ text, start }: LineAt): RawDecision | undefined {
    const end = lineEnd;
    lineEnd = start;
    const event = text === undefined ? undefined : eventIn(text);
    if (event === undefined) unreadable += start < below ? 1 : 0;
    if (text === undefined || event === undefined) return undefined;
    const outcome = event.regate["outcome"];
    if (isJsonObject(outcome)) waiting.set(event.id, { outcome, end });
    if (event.regate["event"] !== "decision" || start >= below) return undefined;
    if (notAfter !== undefined && from === undefined && event.time > notAfter) return undefined;
    return { time: event.time, line: text, outcome: waiting.get(event.id)?.outcome };
  }

  async function next(): Promise<void> {
    for (;;) {
      const step = await lines.next();
      if (step.done === true) return;
      read += 1;
      const { start } = step.value;
      const raw = take(step.value);
      if (raw === undefined) continue;
      current = { ...raw, start };
      return;
    }
  }

  return {
    async head() {
      if (current === undefined) await next();
      return current;
    },
    drop() {
      if (current === undefined) return;
      below = current.start;
      waiting.delete(idIn(current.line));
      current = undefined;
    },
    place() {
      const edge = Math.min(below, size);
      const ends = [...waiting.values()].map(({ end }) => end).filter((end) => end - edge <= OUTCOME_REACH);
      return { before: Math.max(edge, ...ends), below: edge };
    },
    lines: () => read,
    unreadable: () => unreadable,
    close: () => file.close(),
  };
}

interface Event {
  readonly id: string;
  readonly time: string;
  readonly regate: JsonObject;
}

function eventIn(line: string): Event | undefined {
  try {
    const event = JSON.parse(line) as unknown;
    if (!isJsonObject(event)) return undefined;
    const { decision_id: id, timestamp: time, custom } = event;
    const regate = isJsonObject(custom) ? custom["regate"] : undefined;
    return typeof id === "string" && typeof time === "string" && isJsonObject(regate) ? { id, time, regate } : undefined;
  } catch {
    return undefined;
  }
}

function idIn(line: string): string {
  return eventIn(line)?.id ?? "";
}

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { timestampOf } from "../audit/event.ts";
import { redactLine } from "../audit/redact-line.ts";
import { cursorText } from "./decision-cursor.ts";
import type { DecisionCursor, FilePlace } from "./decision-cursor.ts";
import { openDecisionSource } from "./decision-source.ts";
import type { DecisionSource, RawDecision } from "./decision-source.ts";
import { decisionView } from "./decision-view.ts";
import type { DecisionView } from "./decision-view.ts";

/** Which decisions are wanted; what is absent does not matter. */
export interface DecisionQuery {
  readonly session?: string | undefined;
  readonly tool?: string | undefined;
  readonly code?: string | undefined;
  readonly allowed?: boolean | undefined;
  /** Plain text that the redacted event holds, in any letter case. */
  readonly text?: string | undefined;
  /** RFC 3339 UTC, inclusive. */
  readonly since?: string | undefined;
  /** RFC 3339 UTC, inclusive. */
  readonly until?: string | undefined;
  readonly limit: number;
  readonly cursor?: DecisionCursor | undefined;
}

/** Decisions, the newest first, and where to go on; `next` is null when there are no older ones. */
export interface DecisionPage {
  readonly decisions: readonly DecisionView[];
  readonly next: string | null;
  /** Lines that were read for this page: a rare match may need several pages, some of them empty. */
  readonly scanned: number;
  /** Lines that are no event. */
  readonly unreadable: number;
}

/** Lines that one page reads at most. */
const MAX_LINES = 20_000;
const LOG_FILE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.jsonl$/;
const NANOSECONDS = 1_000_000_000n;

/** One log: opened when its turn comes. */
interface Candidate {
  readonly name: string;
  /** No decision in it is newer. */
  readonly newest: string;
  source?: DecisionSource;
}

/**
 * Reads a page of the decision log over all sessions, from the ends of their files, redacted once more on the way out (design §10). The
 * order is that of time, within a session that of its log.
 * @throws Error of the file system
 */
export async function readDecisions(stateDir: string, asked: DecisionQuery): Promise<DecisionPage> {
  const folder = join(stateDir, "decisions");
  const query = { ...asked, since: nanosecondTime(asked.since), until: nanosecondTime(asked.until) };
  const candidates = candidatesIn(folder, query);
  try {
    return await collect(candidates, folder, query);
  } finally {
    await Promise.all(candidates.flatMap(({ source }) => (source === undefined ? [] : [source.close()])));
  }
}

/** A time with nanoseconds, as the log writes it, so that times compare as text. */
function nanosecondTime(time: string | undefined): string | undefined {
  if (time === undefined) return undefined;
  const [, minute = "", second = ":00", fraction = ""] = /^(.{16})(:[0-9]{2})?(?:\.([0-9]+))?Z$/.exec(time) ?? [];
  return `${minute}${second}.${fraction.slice(0, 9).padEnd(9, "0")}Z`;
}

async function collect(candidates: readonly Candidate[], folder: string, query: DecisionQuery): Promise<DecisionPage> {
  const decisions: DecisionView[] = [];
  let last = query.cursor?.time ?? "9999";
  let done = false;
  const total = (count: (source: DecisionSource) => number): number =>
    candidates.reduce((sum, { source }) => sum + (source === undefined ? 0 : count(source)), 0);
  while (decisions.length < query.limit && total((source) => source.lines()) < MAX_LINES) {
    const found = await newestOf(candidates, folder, query.cursor);
    if (found === undefined || (query.since !== undefined && found.head.time < query.since)) {
      done = true;
      break;
    }
    found.source.drop();
    last = found.head.time < last ? found.head.time : last;
    const view = matching(found.head, query);
    if (view !== undefined) decisions.push(view);
  }
  const next = done ? null : cursorText({ time: last, files: placesOf(candidates, query.cursor, last) });
  return { decisions, next, scanned: total((source) => source.lines()), unreadable: total((source) => source.unreadable()) };
}

function candidatesIn(folder: string, { session, cursor }: DecisionQuery): readonly Candidate[] {
  return logNames(folder).flatMap((name) => {
    const id = name.slice(0, -".jsonl".length);
    if (session !== undefined && id !== session) return [];
    // A session that began after the page before is in it as a whole, if at all.
    if (cursor !== undefined && !cursor.files.has(id) && startOf(id) > cursor.time) return [];
    const stats = lstatSync(join(folder, name), { bigint: true, throwIfNoEntry: false });
    // The clock of the file system may lag behind.
    return stats?.isFile() === true ? [{ name: id, newest: timestampOf(stats.mtimeNs + NANOSECONDS) }] : [];
  });
}

function logNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => LOG_FILE.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** When a session began, as its id says; the beginning of time for an id that says nothing. */
function startOf(id: string): string {
  const [, digits] = /^mcp-([0-9]{19})$/.exec(id) ?? [];
  return digits === undefined ? "" : timestampOf(BigInt(digits));
}

interface Found {
  readonly head: RawDecision;
  readonly source: DecisionSource;
}

/** The newest decision of all logs; opens those that may have it. */
async function newestOf(candidates: readonly Candidate[], folder: string, cursor: DecisionCursor | undefined): Promise<Found | undefined> {
  let best: Found | undefined;
  for (const candidate of candidates.toSorted((a, b) => (a.newest < b.newest ? 1 : -1))) {
    if (candidate.source === undefined && best !== undefined && candidate.newest < best.head.time) continue;
    candidate.source ??= await openDecisionSource(join(folder, `${candidate.name}.jsonl`), {
      from: cursor?.files.get(candidate.name),
      notAfter: cursor?.time,
    });
    const head = await candidate.source.head();
    if (head !== undefined && (best === undefined || head.time > best.head.time)) best = { head, source: candidate.source };
  }
  return best;
}

/** The places of all logs that were read, but for those that everybody can tell to be read whole. */
function placesOf(candidates: readonly Candidate[], cursor: DecisionCursor | undefined, last: string): ReadonlyMap<string, FilePlace> {
  const places = new Map(cursor?.files);
  for (const { name, source } of candidates) if (source !== undefined) places.set(name, source.place());
  for (const name of places.keys()) if (startOf(name) > last) places.delete(name);
  return places;
}

function matching(raw: RawDecision, query: DecisionQuery): DecisionView | undefined {
  if (query.until !== undefined && raw.time > query.until) return undefined;
  if (query.text !== undefined && !holds(raw.line, query.text)) return undefined;
  const line = redactLine(raw.line);
  // Nobody may find out a secret by searching for its parts.
  if (query.text !== undefined && !holds(line, query.text)) return undefined;
  const view = decisionView(line, raw.outcome);
  if (view === undefined) return undefined;
  if (query.tool !== undefined && view.tool !== query.tool && view.command_key !== query.tool) return undefined;
  if (query.code !== undefined && view.code !== query.code && !view.reasons.some(({ code }) => code === query.code)) return undefined;
  return query.allowed === undefined || view.allowed === query.allowed ? view : undefined;
}

function holds(line: string, text: string): boolean {
  return line.toLowerCase().includes(text.toLowerCase());
}

import { randomBytes } from "node:crypto";
import { z } from "zod";
import { appendToChain, readChain } from "./chain-file.ts";
import type { ChainPlace, ChainState } from "./chain-file.ts";
import type { Signed } from "./elevations.ts";
import { governError } from "./govern-error.ts";
import { haltsOf } from "./halts.ts";
import type { Halt } from "./halts.ts";
import { PUBLIC_ID } from "./names.ts";
import { agentIdSchema, checked, reasonSchema, sessionIdSchema } from "./scope.ts";
import type { Caller } from "./scope.ts";
import type { ChainEntry } from "./signed-chain.ts";

const scopeSchema = z.union([
  z.strictObject({ session: sessionIdSchema }),
  z.strictObject({ agent: agentIdSchema }),
  z.strictObject({ all: z.literal(true) }),
]);

/** What is stopped or resumed: one session, all sessions of an agent, or everything. */
export type StopScope = z.infer<typeof scopeSchema>;

const stopBody = z.strictObject({
  kind: z.literal("stop"),
  id: z.string().regex(PUBLIC_ID),
  scope: scopeSchema,
  reason: reasonSchema,
  end_running: z.boolean(),
});
const resumeBody = z.strictObject({ kind: z.literal("resume"), scope: scopeSchema, reason: reasonSchema });

/** One stop in force. */
export interface Stop {
  readonly id: string;
  readonly scope: StopScope;
  readonly reason: string;
  /** Whether what runs is ended, too. */
  readonly end_running: boolean;
  /** RFC 3339 UTC. */
  readonly stopped_at: string;
  readonly stopped_by: string;
  /** Number of its entry in the chain. */
  readonly seq: number;
}

/** What is stopped now: by humans, and by policies that halted a session. */
export interface StopList {
  readonly stops: readonly Stop[];
  readonly halts: readonly Halt[];
  /** Halts whose record cannot be read: a server that opens such a session takes it as halted. */
  readonly unreadable: readonly { readonly session: string; readonly problem: string }[];
}

/** The chain of stops in a state directory. */
export const stopChain = (stateDir: string): ChainPlace => ({ stateDir, name: "stops" });

/**
 * Stops a session, an agent or everything: a signed entry of the chain, in force at the next gate entry and after restarts (design §8; trials U03).
 * @throws GovernError `govern.invalid`, `govern.chain_broken`, `govern.decision_forbidden`, `govern.store_busy`, `govern.store_unwritable`
 */
export function placeStop(
  stateDir: string,
  stop: { readonly scope: StopScope; readonly reason: string; readonly endRunning?: boolean },
  { key, now }: Signed,
): Stop {
  const id = randomBytes(16).toString("hex");
  const { scope, reason, endRunning = false } = stop;
  const body = checked(stopBody, { kind: "stop", id, scope, reason, end_running: endRunning }, "the stop");
  const entry = appendToChain(stopChain(stateDir), { body, time: now }, key);
  return stopIn(entry, body);
}

/**
 * Resumes what was stopped under the same scope; `all` resumes everything, sessions and agents and what policies halted, too.
 * @returns what it lifted; nothing when nothing was stopped, and that is on record as well
 * @throws GovernError as `placeStop` does
 */
export function liftStop(
  stateDir: string,
  lift: { readonly scope: StopScope; readonly reason: string },
  { key, now }: Signed,
): Omit<StopList, "unreadable"> {
  const body = checked(resumeBody, { kind: "resume", scope: lift.scope, reason: lift.reason }, "the resumption");
  const entry = appendToChain(stopChain(stateDir), { body, time: now }, key);
  const entries = entriesOf(readChain(stopChain(stateDir)));
  const before = entries.filter(({ seq }) => seq < entry.seq);
  // The entry stands: a file that is no halt keeps nobody from being told so.
  const halts = haltsOf(stateDir, () => undefined).filter((halt) => !isResumed(halt, before) && isResumed(halt, entries));
  return { stops: stopsIn(before).filter((stop) => lifts(body.scope, stop.scope)), halts };
}

/**
 * What is stopped now.
 * @throws GovernError `govern.chain_broken`: then everything is stopped
 */
export function listStops(stateDir: string): StopList {
  const entries = entriesOf(readChain(stopChain(stateDir)));
  const unreadable: StopList["unreadable"][number][] = [];
  const halts = haltsOf(stateDir, (problem, session) => {
    unreadable.push({ session, problem: problem instanceof Error ? problem.message : "it cannot be read" });
  });
  return { stops: stopsIn(entries), halts: halts.filter((halt) => !isResumed(halt, entries)), unreadable };
}

/** The stops that proven entries leave in force, in their order. */
export function stopsIn(entries: readonly ChainEntry[]): readonly Stop[] {
  let stops: Stop[] = [];
  for (const entry of entries) {
    const stop = stopBody.safeParse(entry.body);
    const resume = resumeBody.safeParse(entry.body);
    if (stop.success) stops.push(stopIn(entry, stop.data));
    if (resume.success) stops = stops.filter(({ scope }) => !lifts(resume.data.scope, scope));
  }
  return stops;
}

/** Whether a resumption that came after a halt lifts it: one of the session, or of everything. */
export function isResumed({ session, after_seq: after }: Halt, entries: readonly ChainEntry[]): boolean {
  return entries.some((entry) => {
    const resume = entry.seq > after ? resumeBody.safeParse(entry.body) : undefined;
    return (
      resume?.success === true && ("all" in resume.data.scope || ("session" in resume.data.scope && resume.data.scope.session === session))
    );
  });
}

/** Whether a scope holds for a caller. */
export function holdsFor(scope: StopScope, { sessionId, agentId }: Caller): boolean {
  if ("all" in scope) return true;
  return "session" in scope ? scope.session === sessionId : scope.agent === agentId;
}

function lifts(resumed: StopScope, stopped: StopScope): boolean {
  if ("all" in resumed) return true;
  if ("session" in resumed) return "session" in stopped && stopped.session === resumed.session;
  return "agent" in stopped && stopped.agent === resumed.agent;
}

function stopIn({ time, key, seq }: ChainEntry, { kind: _kind, ...stop }: z.infer<typeof stopBody>): Stop {
  return Object.freeze({ ...stop, stopped_at: time, stopped_by: key, seq });
}

function entriesOf(state: ChainState): readonly ChainEntry[] {
  if (state.kind === "broken")
    throw governError("govern.chain_broken", `the chain of stops does not hold, so everything is stopped: ${state.reason}`);
  return state.kind === "missing" ? [] : state.entries;
}

import { watchChain } from "./chain-file.ts";
import type { ChainState } from "./chain-file.ts";
import { fileHalt, readHalt } from "./halts.ts";
import type { Halt } from "./halts.ts";
import type { Caller } from "./scope.ts";
import { holdsFor, isResumed, stopChain, stopsIn } from "./stops.ts";

/** Why nothing of a session is admitted. */
export interface StopInForce {
  /** Id of a human's stop; `halt` for a policy's, `broken` when the chain of stops does not hold. */
  readonly id: string;
  readonly reason: string;
  readonly endsRunning: boolean;
}

/** Which decision halted a session. */
export interface HaltingDecision {
  readonly decisionId: string;
  readonly code: string;
  readonly rule: string;
}

/** The stops of one session, asked at every gate entry. */
export interface Stops {
  /** What stops the session now. */
  reasonFor(): StopInForce | undefined;
  /** Stops this session until a human resumes it, on record also for what comes after a restart. */
  halt(by: HaltingDecision): void;
}

/** What the stops of a session are looked up with. */
export interface StopsOptions {
  readonly stateDir: string;
  readonly caller: Caller;
  readonly now: () => Date;
  /** Told once for each reason why the chain does not hold, and of what could not be filed. */
  readonly report: (problem: string) => void;
}

/** Watches the stops of one session. A chain that does not hold stops it; one that is missing stops nothing (design §8). */
export function openStops({ stateDir, caller, now, report }: StopsOptions): Stops {
  const chain = watchChain(stopChain(stateDir));
  let halt: Halt | undefined;
  let last: { readonly state: unknown; readonly stop: StopInForce | undefined } | undefined;
  let reported = "";
  const say = (problem: string): void => {
    if (problem !== reported) report(problem);
    reported = problem;
  };
  try {
    halt = readHalt(stateDir, caller.sessionId);
  } catch (error) {
    say(messageOf(error));
    halt = haltOf(caller, { by: { decisionId: "", code: "unreadable", rule: "" }, at: now(), after: endOf(chain.state()) });
  }

  const look = (): StopInForce | undefined => {
    const state = chain.state();
    if (last?.state === state) return last.stop;
    if (state.kind === "broken") say(`everything is stopped, since the chain of stops does not hold: ${state.reason}`);
    else reported = "";
    last = { state, stop: stopOf(state, { caller, halt }) };
    return last.stop;
  };
  return {
    reasonFor: look,
    halt(by) {
      halt = haltOf(caller, { by, at: now(), after: endOf(chain.state()) });
      last = undefined;
      try {
        fileHalt(stateDir, halt);
      } catch (error) {
        say(messageOf(error));
      }
    },
  };
}

function stopOf(state: ChainState, { caller, halt }: { caller: Caller; halt: Halt | undefined }): StopInForce | undefined {
  if (state.kind === "broken") return { id: "broken", reason: state.reason, endsRunning: false };
  const entries = state.kind === "ok" ? state.entries : [];
  const stops = stopsIn(entries).filter(({ scope }) => holdsFor(scope, caller));
  const [stop] = stops;
  if (stop !== undefined) return { id: stop.id, reason: stop.reason, endsRunning: stops.some(({ end_running: ends }) => ends) };
  if (halt === undefined || isResumed(halt, entries)) return undefined;
  return { id: "halt", reason: `the policy halted this session: ${halt.code}`, endsRunning: false };
}

function endOf(state: ChainState): number {
  return state.kind === "ok" ? state.end.seq : 0;
}

function haltOf({ sessionId, agentId }: Caller, { by, at, after }: { by: HaltingDecision; at: Date; after: number }): Halt {
  const { decisionId, code, rule } = by;
  return {
    v: 1,
    session: sessionId,
    agent: agentId,
    halted_at: at.toISOString(),
    decision_id: decisionId,
    code: code.slice(0, 256),
    rule: rule.slice(0, 256),
    after_seq: after,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "the record of a halt cannot be used";
}

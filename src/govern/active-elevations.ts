import { watchChain } from "./chain-file.ts";
import { countUses, takeUse } from "./elevation-uses.ts";
import { elevationChain, elevationsIn, isEnded } from "./elevations.ts";
import type { Elevation } from "./elevations.ts";
import type { Caller } from "./scope.ts";

/** What policy sees of an elevation, and the id by which a use is counted (design §2, `input.elevation`). */
export interface ActiveElevation {
  readonly id: string;
  /** Whether its uses are counted. */
  readonly isCounted: boolean;
  readonly shown: { readonly role: string; readonly reason: string; readonly tools: string[]; readonly expires_at: string };
}

/** The elevations of one session, asked on every call. */
export interface Elevations {
  /** The latest grant that is in force for a tool; none while the chain is missing or does not hold. */
  active(tool: string): ActiveElevation | undefined;
  /** Counts one use before the call runs; false when none is left. */
  use(id: string): boolean;
}

/** What the elevations of a session are looked up with. */
export interface ElevationsOptions {
  readonly stateDir: string;
  readonly caller: Caller;
  readonly now: () => Date;
  /** Told once for each reason why the chain does not hold. */
  readonly report: (problem: string) => void;
}

/**
 * Watches the elevations of one session. A chain that is missing or broken gives none, and what this process has used stays used, even
 * if somebody takes the records of uses away.
 */
export function openElevations({ stateDir, caller, now, report }: ElevationsOptions): Elevations {
  const chain = watchChain(elevationChain(stateDir));
  const own = new Map<string, number>();
  let last: { readonly state: unknown; readonly grants: readonly Elevation[] } | undefined;
  let reported = "";

  const grants = (): readonly Elevation[] => {
    const state = chain.state();
    if (last?.state === state) return last.grants;
    const found = state.kind === "ok" ? elevationsIn(state.entries).filter((grant) => isFor(grant, caller)) : [];
    if (state.kind === "broken" && state.reason !== reported) report(`elevations are not applied: ${state.reason}`);
    reported = state.kind === "broken" ? state.reason : "";
    last = { state, grants: found.toReversed() };
    return last.grants;
  };
  const isLeft = ({ id, uses }: Elevation): boolean => {
    try {
      return uses === undefined || ((own.get(id) ?? 0) < uses && countUses(stateDir, id) < uses);
    } catch (error) {
      report(`an elevation is not applied: ${error instanceof Error ? error.message : "its uses cannot be read"}`);
      return false;
    }
  };

  return {
    active(tool) {
      const found = grants().find((grant) => grant.tools.includes(tool) && !isEnded(grant, now()) && isLeft(grant));
      if (found === undefined) return undefined;
      const { id, role, reason, tools, expires_at, uses } = found;
      return { id, isCounted: uses !== undefined, shown: { role, reason, tools: [...tools], expires_at } };
    },
    use(id) {
      const grant = grants().find((candidate) => candidate.id === id);
      if (grant === undefined || isEnded(grant, now())) return false;
      if (grant.uses === undefined) return true;
      if (!isLeft(grant) || !takeUse(stateDir, id, { most: grant.uses, session: caller.sessionId, now: now() })) return false;
      own.set(id, (own.get(id) ?? 0) + 1);
      return true;
    },
  };
}

function isFor({ session, agent }: Elevation, { sessionId, agentId }: Caller): boolean {
  return (session === undefined || session === sessionId) && (agent === undefined || agent === agentId);
}

import { type Confinement, sandboxed, unconfined } from "./confinement.ts";
import { bwrapPath } from "./programs.ts";
import { workdirProblem, type SandboxOptions } from "./sandbox.ts";
import { probeSandbox } from "./sandbox-probe.ts";

/** How commands are to be confined. */
export interface ConfinementOptions extends Omit<SandboxOptions, "bwrap"> {
  /** `none`: without a sandbox, by the operator's own will. */
  readonly mode: "auto" | "none";
  /** How many commands may run at the same time. */
  readonly atOnce: number;
}

/**
 * Tries the sandbox once and says how all commands of this server are confined from then on. Never throws: what keeps the sandbox from
 * working is the reason for having none.
 */
export async function openConfinement({ mode, atOnce, ...options }: ConfinementOptions): Promise<Confinement> {
  const without = (reason: string): Confinement => unconfined({ limits: options.limits, atOnce, reason });
  if (mode === "none") return without("switched off");
  const problem = workdirProblem(options);
  if (problem !== undefined) return without(problem);
  const bwrap = bwrapPath();
  if (bwrap === undefined) return without("bubblewrap (`bwrap`) is not installed");
  const failure = await probeSandbox(bwrap);
  return failure === undefined ? sandboxed({ ...options, bwrap }, atOnce) : without(failure);
}

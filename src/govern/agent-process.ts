import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processStart } from "../audit/session-lock.ts";
import { AGENT_CHILD_VARIABLE } from "../call/agent-child.ts";
import { governError } from "./govern-error.ts";

let servesAgent = false;

/**
 * Declares that this process serves an agent or was started by one that does, for good: nothing can be decided in it any more, however it is reached (seed 003: "registering
 * these tools also forbids every four-eyes decision in the process").
 */
export function declareAgentProcess(): void {
  servesAgent = true;
}

/**
 * Refuses to go on where an agent could be the one who decides: in its process, in what that process started, and below it.
 * The sandbox is the boundary, since it shows commands neither keys nor state; this holds where there is none, as far as the
 * kernel knows the parents of a process.
 * @throws GovernError `govern.decision_forbidden`
 */
export function forbidInAgentProcess(stateDir: string): void {
  if (!servesAgent && !isBelowAgent(stateDir)) return;
  throw governError(
    "govern.decision_forbidden",
    "an agent's process and what it starts decide nothing: a human does it in a shell of their own",
  );
}

/**
 * Whether a process above this one holds the lock of a session of this state directory, or was started as a child of an agent, whatever state
 * directory that has: a copy of one has no locks.
 */
function isBelowAgent(stateDir: string): boolean {
  const agents = sessionHolders(stateDir);
  for (let pid = process.pid; pid > 1; pid = parentOf(pid)) {
    if (agents.get(pid) === processStart(pid) || isAgentChild(pid)) return true;
  }
  return false;
}

/** Whether a process was given the variable that marks an agent's children; it cannot take it out of what the kernel keeps. */
function isAgentChild(pid: number): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${AGENT_CHILD_VARIABLE}=`);
  } catch {
    return false;
  }
}

/** Process ids with their start: a number may have gone to another process since. */
function sessionHolders(stateDir: string): ReadonlyMap<number, string> {
  const folder = join(stateDir, "locks");
  try {
    return new Map(
      readdirSync(folder)
        .filter((name) => name.endsWith(".lock"))
        .flatMap((name) => holderIn(join(folder, name))),
    );
  } catch {
    return new Map();
  }
}

function holderIn(path: string): readonly (readonly [number, string])[] {
  try {
    const { pid, started } = JSON.parse(readFileSync(path, "utf8")) as { pid?: unknown; started?: unknown };
    return typeof pid === "number" && typeof started === "string" ? [[pid, started]] : [];
  } catch {
    return [];
  }
}

/** Field 4 of /proc/<pid>/stat; 0 where the system does not say. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) || 0;
  } catch {
    return 0;
  }
}

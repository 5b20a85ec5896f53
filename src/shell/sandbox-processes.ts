import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Sends SIGTERM to the command inside a sandbox, which has a session of its own there: to bubblewrap itself it would be a kill. The
 * first process of the sandbox belongs to that group too, and as the first one it does not mind.
 * @param pid process id of bubblewrap
 * @returns whether there was a command to send it to
 */
export function terminateInside(pid: number): boolean {
  const command = childrenOf(childrenOf(pid)[0])[0];
  const group = command === undefined ? undefined : groupOf(command);
  if (group === undefined || group === pid) return false;
  try {
    process.kill(-group, "SIGTERM");
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether more than a number of processes are in the sandbox of a bubblewrap. A kernel limits the processes of every user but root, for
 * whom this stands in; most of the time one look at the number of all processes is enough.
 */
export function hasMoreProcesses(pid: number, limit: number): boolean {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.length > limit && countInside(pid, all) > limit;
}

/** 0 when there is no process yet, or no more. */
function countInside(pid: number, all: readonly string[]): number {
  const inside = childrenOf(pid)[0];
  const space = inside === undefined ? undefined : spaceOf(inside);
  if (space === undefined) return 0;
  return all.filter((name) => spaceOf(Number(name)) === space).length;
}

function childrenOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The process group of a process (proc(5), `stat`, the third field after the name in brackets). */
function groupOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8");
    const group = Number(fields.slice(fields.lastIndexOf(")") + 2).split(" ")[2]);
    return group > 1 ? group : undefined;
  } catch {
    return undefined;
  }
}

function spaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

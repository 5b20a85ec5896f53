import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, readlinkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { auditError } from "./errors.ts";

/** Who holds a lock: enough to tell a living holder from one that is gone. */
interface Holder {
  readonly pid: number;
  /** Start time of the process in the kernel's clock ticks; `""` where the system does not say. */
  readonly started: string;
  readonly host: string;
  /** The process-id namespace; `""` where the system does not say. */
  readonly namespace: string;
  readonly nonce: string;
}

/** What a nonce may be: it becomes part of a file name. */
const NONCE = /^[0-9a-f-]{36}$/;

/**
 * Takes the lock of a session: one writer for each log (trial E02). The lock is a file that is created exclusively and names its holder;
 * that of a process which is gone is taken over.
 * @param folder existing folder of the locks
 * @param name file name of the lock
 * @returns a function that gives the lock back
 * @throws Error `audit.session_locked` when a living process, or one that cannot be judged from here, holds it
 */
export function lockSession(folder: string, name: string): () => void {
  const path = join(folder, name);
  const holder = thisProcess();
  const own = join(folder, `.${name}.${holder.nonce}`);
  try {
    writeFileSync(own, JSON.stringify(holder), { mode: 0o600, flag: "wx" });
    if (!linked(own, path)) takeOver(own, path);
  } finally {
    removeQuietly(own);
  }
  return () => {
    if (readHolder(path)?.nonce === holder.nonce) removeQuietly(path);
  };
}

/**
 * Replaces the lock of a process that is gone, by one rename, so that the lock is never absent. For each holder that is gone only one process ever gets
 * the claim to its place; it judges the lock again when it has it. A claimant that is gone is replaced in the same way, so that no crash leaves a lock
 * that nobody can take.
 */
function takeOver(own: string, path: string): void {
  const gone = readHolder(path);
  if (gone === undefined || isAlive(gone)) throw locked(path);
  const claims = claim(own, path, gone);
  // A holder's nonce never comes back: whoever claims a place that was taken meanwhile sees another one.
  const isStill = readHolder(path)?.nonce === gone.nonce;
  if (isStill) renameSync(own, path);
  for (const name of claims) removeQuietly(name);
  if (!isStill) throw locked(path);
}

/** Claims the place of a holder that is gone, or that of the last one who claimed it and is gone. @returns the claims, one's own last */
function claim(own: string, path: string, gone: Holder): readonly string[] {
  const claims: string[] = [];
  for (let before = gone; ;) {
    const name = `${path}.turn.${before.nonce}`;
    if (claims.includes(name)) throw locked(path);
    claims.push(name);
    if (linked(own, name)) return claims;
    const claimant = readHolder(name);
    if (claimant === undefined || isAlive(claimant)) throw locked(path);
    before = claimant;
  }
}

function locked(path: string): Error {
  return auditError("audit.session_locked", `the decision log of this session is in use: \`${path}\``);
}

/** Creates `path` as another name of `own`, atomically; false when it is there already. */
function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function thisProcess(): Holder {
  return { pid: process.pid, started: processStart(process.pid), host: hostname(), namespace: namespaceOf("self"), nonce: randomUUID() };
}

/** A holder on another machine or in another container cannot be judged, and an unreadable lock neither: both count as alive. */
function isAlive(holder: Holder | undefined): boolean {
  if (holder === undefined || holder.host !== hostname() || holder.namespace !== namespaceOf("self")) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
  return processStart(holder.pid) === holder.started;
}

function readHolder(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, "utf8")) as Holder;
    const isWhole = Number.isSafeInteger(holder.pid) && holder.pid > 0 && NONCE.test(holder.nonce);
    return isWhole ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Start of a process in the kernel's clock ticks, `""` where the system does not say: field 22 of /proc/<pid>/stat, behind a name that may hold anything. */
export function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return "";
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already gone: it was renamed or given back.
  }
}

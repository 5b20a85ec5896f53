import { spawn, type ChildProcess } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { constants as os } from "node:os";
import { delimiter, resolve } from "node:path";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { StdioEntry } from "./entry.ts";
import { upstreamEnvironment } from "./environment.ts";

/**
 * Makes the command line that is started in place of a server's own, in a sandbox. What it starts takes the server's stdin, stdout and
 * stderr at descriptors 3, 4 and 5, says the server's process id at 6, and ends with it.
 * @throws Error when this server cannot be confined: then it is not started
 */
export type Confine = (command: {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}) => { readonly file: string; readonly args: readonly string[] };

/** A server that was started; it leads a process group of its own. */
export interface ServerProcess {
  /** The server's process id, which is its group's. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Its stderr, and what its sandbox says. */
  readonly errors: readonly Readable[];
  /** Calls back with how it ended, as prose; at once, or later, when that was before. */
  readonly onExit: (ended: (how: string) => void) => void;
  /** Calls back when it has ended and nothing holds its streams any more. */
  readonly onClose: (closed: () => void) => void;
  /** Kills what was started: the server, or its sandbox, which ends with it. */
  kill(): void;
}

/**
 * Starts a server: argv as given, no shell, its own process group, an exact environment.
 * @throws Error when the command cannot be started
 */
export async function startServer(
  entry: StdioEntry,
  own: Readonly<Record<string, string | undefined>>,
  confine: Confine | undefined,
): Promise<ServerProcess> {
  const env = upstreamEnvironment(own, entry.env);
  return confine === undefined || entry.sandbox === false ? await startPlain(entry, env) : await startConfined(entry, env, confine);
}

const OPTIONS = { detached: true, shell: false, windowsHide: true } as const;

async function startPlain({ command, args, cwd }: StdioEntry, env: Record<string, string>): Promise<ServerProcess> {
  const child = spawn(command, [...args], { ...OPTIONS, ...(cwd === undefined ? {} : { cwd }), env, stdio: ["pipe", "pipe", "pipe"] });
  const ends = endsOf(child, endOf);
  await started(child);
  const { stdin, stdout, stderr, pid } = child;
  if (pid === undefined) throw new Error("the process has no id");
  return { pid, stdin, stdout, errors: [stderr], ...ends };
}

async function startConfined({ command, args, cwd }: StdioEntry, env: Record<string, string>, confine: Confine): Promise<ServerProcess> {
  const folder = resolve(cwd ?? ".");
  findProgram(command, folder, env["PATH"]);
  const { file, args: given } = confine({ argv: [command, ...args], cwd: folder, env });
  const stdio = ["ignore", "ignore", "pipe", "pipe", "pipe", "pipe", "pipe"] as const;
  const child = spawn(file, [...given], { ...OPTIONS, env, stdio: [...stdio] });
  const ends = endsOf(child, endInside);
  await started(child);
  const [, , complaints, stdin, stdout, stderr, announced] = child.stdio as unknown as [
    null,
    null,
    Readable,
    Writable & Readable,
    ...Readable[],
  ];
  if (!complaints || !stdout || !stderr || !announced) throw new Error("the process has no pipes");
  for (const stream of [complaints, stdin, stdout, stderr, announced]) stream.on("error", () => undefined);
  // Nothing comes from the server's stdin but that it was closed.
  stdin.resume();
  for (const stream of [stdout, stderr]) stream.on("readable", kept);
  const pid = await announcedPid(child, announced, complaints);
  for (const stream of [stdout, stderr]) stream.removeListener("readable", kept);
  return { pid, stdin, stdout, errors: [stderr, complaints], ...ends };
}

/** With a listener for `readable` what a server said before it ended is not thrown away while nobody reads yet. */
function kept(): void {
  // Read later.
}

/** Waits until the server itself is there; what the sandbox complains about until then is why it is not. */
async function announcedPid(child: ChildProcess, announced: Readable, complaints: Readable): Promise<number> {
  let [said, complaint] = ["", ""];
  announced.setEncoding("utf8").on("data", (text: string) => (said += text));
  const listen = (chunk: Buffer): void => void (complaint += chunk.toString("utf8").slice(0, 1_000));
  complaints.on("data", listen);
  await once(announced, "close");
  complaints.removeListener("data", listen);
  const pid = /^(\d+)\n$/.exec(said)?.[1];
  if (pid !== undefined) return Number(pid);
  child.kill("SIGKILL");
  throw new Error(complaint.trim() === "" ? "its sandbox cannot be made" : `its sandbox cannot be made: ${complaint.trim()}`);
}

/** Listens from the start: a server may be gone before anybody else does. */
function endsOf(child: ChildProcess, told: typeof endOf): Pick<ServerProcess, "onExit" | "onClose" | "kill"> {
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, "close");
  return {
    onExit: (ended) => void exited.then(([code, signal]) => ended(told(code, signal))).catch(() => undefined),
    onClose: (ended) => void closed.then(() => ended()).catch(() => undefined),
    kill: () => void child.kill("SIGKILL"),
  };
}

async function started(child: ChildProcess): Promise<void> {
  // Anything that fails later is told by `exit` and `close`.
  child.on("error", () => undefined);
  if (child.pid !== undefined) return;
  const [error] = (await once(child, "error")) as [Error];
  throw error;
}

/** Fails as a plain start of a command would that is not there or cannot be executed. */
function findProgram(command: string, cwd: string, path: string | undefined): void {
  if (!isFolder(cwd)) throw new Error(`spawn ${command} ENOENT`);
  if (!command.includes("/") && path === undefined) return;
  const places = command.includes("/") ? [""] : (path ?? "").split(delimiter);
  const files = places.map((place) => resolve(cwd, place, command)).filter(isFile);
  if (files.length === 0) throw new Error(`spawn ${command} ENOENT`);
  if (!files.some(isExecutable)) throw new Error(`spawn ${command} EACCES`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `exited with ${code ?? 0}` : `ended by ${signal}`;
}

/** A sandbox ends with 128 and the number of the signal that ended the server. */
function endInside(code: number | null, signal: NodeJS.Signals | null): string {
  const name = Object.entries(os.signals).find(([, number]) => number + 128 === code)?.[0];
  return endOf(code, signal ?? (name as NodeJS.Signals | undefined) ?? null);
}

import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandEnvironment } from "./command-environment.ts";
import type { RunResult } from "./launch.ts";
import { runCommand } from "./run.ts";
import { COMMAND_LIMITS } from "./sandbox-entry.ts";
import { sandboxLauncher, type SandboxOptions } from "./sandbox.ts";

/** Where something can be planted that the private temporary folder does not hide by itself. */
const PLACES = ["/var/tmp", "/dev/shm"];
const TIMEOUT_MS = 5_000;
const KEY = "planted-key\n";

/** Each line is one promise; the word that it prints names what was broken. `$1` and so on are set in front of it. */
const SCRIPT = `[ -e "$key" ] && echo key-visible
{ read -r line < "$key"; } 2>/dev/null && echo key-readable
[ -e "$sock" ] && echo socket-visible
{ exec 9<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null && echo network-reachable
{ : > "$outside/made"; } 2>/dev/null && echo outside-writable
{ : > .envrc; } 2>/dev/null && echo guarded-file-writable
{ : > .git/hooks/pre-commit; } 2>/dev/null && echo hook-writable
[ "$(readlink /proc/self/ns/pid)" = "$space" ] && echo processes-visible
echo done > probe-result`;

/**
 * Tries the sandbox on a planted home directory, key, socket, port and working directory: it must hide the first four and let the last be
 * written, its guarded files excepted (design §3, `input.environment.sandbox`).
 * @returns why it cannot be used, as prose; undefined when every promise was kept
 */
export async function probeSandbox(bwrap: string): Promise<string | undefined> {
  let planted: Planted | undefined;
  try {
    planted = await plant();
    const result = await tryOut(bwrap, planted);
    return problemOf(result, planted);
  } catch (error) {
    return reasonOf(error);
  } finally {
    planted?.remove();
  }
}

interface Planted {
  readonly home: string;
  readonly work: string;
  readonly outside: string;
  readonly socket: string;
  readonly port: number;
  remove(): void;
}

async function plant(): Promise<Planted> {
  const root = newFolder();
  const [home, work, outside, run] = ["home", "work", "outside", "run"].map((name) => join(root, name)) as [string, string, string, string];
  const servers = [createServer(), createServer()] as const;
  const remove = (): void => {
    for (const server of servers) server.close();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    for (const folder of [home, work, outside, run, join(work, ".git"), join(work, ".git", "hooks")]) mkdirSync(folder);
    writeFileSync(join(home, "key"), KEY);
    const socket = join(run, "socket");
    await Promise.all([listening(servers[0], socket), listening(servers[1], { port: 0, host: "127.0.0.1" })]);
    const address = servers[1].address();
    if (address === null || typeof address === "string") throw new Error("no port was given");
    return { home, work, outside, socket, port: address.port, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function newFolder(): string {
  for (const place of PLACES) {
    try {
      return mkdtempSync(join(realpathSync(place), "regate-probe-"));
    } catch {
      // Tried at the next place.
    }
  }
  return mkdtempSync(join(realpathSync(tmpdir()), "regate-probe-"));
}

function listening(server: Server, where: string | { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(where, () => resolve());
    server.unref();
  });
}

function tryOut(bwrap: string, { home, work, outside, socket, port }: Planted): Promise<RunResult> {
  const facts = { key: join(home, "key"), sock: socket, port: String(port), outside, space: readlinkSync("/proc/self/ns/pid") };
  const assignments = Object.entries(facts).map(([name, value]) => `${name}='${value}'`);
  const command = `${assignments.join(" ")}\n${SCRIPT}`;
  const options: SandboxOptions = { bwrap, workdir: work, home, shown: [], hidden: [], settings: [], kept: [], limits: COMMAND_LIMITS };
  const env = { ...commandEnvironment({}), HOME: home };
  const launcher = sandboxLauncher(options, { network: false, writable: true });
  return runCommand({ command, expected: command, cwd: work, env, timeoutMs: TIMEOUT_MS, launcher });
}

function problemOf(result: RunResult, { work }: Planted): string | undefined {
  const broken = result.stdout.trim().split("\n").filter(Boolean);
  if (broken.length > 0) return `bubblewrap does not keep its promises here (${broken.join(", ")})`;
  if (result.timed_out) return "bubblewrap did not end in time";
  return isWritten(join(work, "probe-result")) ? undefined : "the working directory cannot be written in the sandbox";
}

function isWritten(path: string): boolean {
  try {
    return readFileSync(path, "utf8") === "done\n";
  } catch {
    return false;
  }
}

/** What the launcher or bubblewrap complained about, on one line. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error && messages.length < 3; at = at.cause) messages.push(at.message);
  return messages.join(": ").replace(/\s+/g, " ").trim().slice(0, 300);
}

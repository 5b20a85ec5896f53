import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./client.ts";

/** A JSON-RPC answer as it came. */
export interface RawAnswer {
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A server process that is driven with raw bytes. */
export interface RawServer {
  readonly child: ChildProcess;
  readonly stateDir: string;
  readonly workdir: string;
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** Writes one message as a line. */
  send(message: object): Promise<void>;
  /** Sends a request and waits for the answer with its id. */
  ask(message: { readonly id: unknown } & Record<string, unknown>): Promise<RawAnswer>;
  /** Waits until so many lines have come, and gives all of them. */
  lines(count: number): Promise<RawAnswer[]>;
  /** Everything that came on stdout so far. */
  output(): string;
  stderr(): string;
  /** Ends stdin and gives exit code and the time until then, when everything that the server wrote was read. */
  finish(): Promise<{ readonly code: number | null; readonly ms: number }>;
}

/** Starts `regate serve` with flags; it ends with the test. */
export function startRaw(...flags: string[]): RawServer {
  const stateDir = temporaryFolder("regate-state-");
  const workdir = temporaryFolder("regate-work-");
  const args = ["bin/regate.js", "serve", "--state-dir", stateDir, "--workdir", workdir, ...flags];
  const child = spawn(process.execPath, args, { env: { PATH: process.env["PATH"] ?? "", HOME: workdir }, stdio: "pipe" });
  const exited = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    child.stdout.resume();
    await exited;
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.on("error", () => {});

  const answers = (): RawAnswer[] => parsed(stdout);
  let closed = false;
  child.once("close", () => (closed = true));
  const waitFor = async <T>(get: () => T | undefined): Promise<T> => {
    for (;;) {
      const found = get();
      if (found !== undefined) return found;
      if (closed) throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}: ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const write = async (bytes: string | Uint8Array): Promise<void> => {
    if (!child.stdin.write(bytes)) await Promise.race([once(child.stdin, "drain"), exited]);
  };
  const send = (message: object): Promise<void> => write(`${JSON.stringify(message)}\n`);

  return {
    child,
    stateDir,
    workdir,
    write,
    send,
    async ask(message) {
      await send(message);
      return await waitFor(() => answers().find(({ id }) => id === message.id));
    },
    lines: (count) => waitFor(() => (answers().length >= count ? answers() : undefined)),
    output: () => stdout,
    stderr: () => stderr,
    async finish() {
      const start = performance.now();
      child.stdin.end();
      const [code] = (await exited) as [number | null];
      return { code, ms: performance.now() - start };
    },
  };
}

function parsed(stdout: string): RawAnswer[] {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as RawAnswer);
}

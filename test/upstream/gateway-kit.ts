import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";

// Real processes on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

/** A JSON-RPC message as tests look at it. */
export interface Line extends Record<string, unknown> {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown> & {
    readonly content?: { readonly text: string }[];
    readonly isError?: boolean;
    readonly _meta?: Record<string, { readonly code?: string; readonly decision_id?: string; readonly retryable?: boolean }>;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** A gateway process with logging upstreams. */
export interface GatewayProcess {
  readonly stateDir: string;
  readonly send: (message: object | string) => void;
  readonly ask: (message: Record<string, unknown>) => Promise<Line>;
  /** Waits until a message that fits has come. */
  readonly until: (fits: (line: Line) => boolean) => Promise<Line>;
  readonly lines: () => Line[];
  readonly raw: () => string;
  readonly stderr: () => string;
  /** Messages that an upstream got, by name of its log. */
  readonly got: (name?: string) => Line[];
  readonly bytes: (name?: string) => string;
  readonly events: () => Record<string, unknown>[];
  readonly hello: (capabilities?: object) => Promise<Line>;
  readonly call: (name: string, args?: object, more?: object) => Promise<Line>;
  /** Ends stdin; gives the exit code when everything that it wrote has been read. */
  readonly finish: () => Promise<{ readonly code: number | null }>;
  readonly pid: number;
}

export const FIXTURE = join(import.meta.dirname, "fixture-server.mjs");

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "regate-gateway-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }));
  return path;
}

/** How a gateway is started: one server with options of the fixture, or several. */
export interface Started {
  readonly bundle?: string;
  readonly stateDir?: string;
  readonly fixture?: object;
  readonly servers?: Record<string, object>;
  readonly flags?: readonly string[];
  readonly env?: Record<string, string>;
}

/** A server of a configuration: the fixture with a log of its own. */
export function fixtureEntry(log: string, options: object = {}): { command: string; args: string[] } {
  return { command: process.execPath, args: [FIXTURE, log, JSON.stringify(options)] };
}

/** The fixture as a server that has little time for `hang`, and as much as any other for the rest. */
export function impatient(stateDir: string, tool = "hang"): object {
  return { ...fixtureEntry(join(stateDir, "one.log")), regate: { tools: { [tool]: { timeout_ms: 300 } } } };
}

export function startGateway({
  bundle = "agent-session",
  fixture = {},
  servers,
  flags = [],
  env = {},
  ...given
}: Started = {}): GatewayProcess {
  const stateDir = given.stateDir ?? folder();
  const logOf = (name: string): string => join(stateDir, `${name}.log`);
  const config = join(stateDir, "mcp.json");
  if (servers !== undefined) {
    const all = Object.entries(servers).map(([id, entry]) => [
      id,
      "command" in entry || "url" in entry ? entry : fixtureEntry(logOf(id), entry),
    ]);
    writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(all) }));
  }
  const form = servers === undefined ? ["--", process.execPath, FIXTURE, logOf("upstream"), JSON.stringify(fixture)] : ["--config", config];
  const args = ["bin/regate.js", "proxy", "--bundle", bundle, "--state-dir", join(stateDir, "state"), ...flags, ...form];
  const child = spawn(process.execPath, args, { env: { PATH: process.env["PATH"] ?? "", HOME: stateDir, ...env }, stdio: "pipe" });
  const exited = once(child, "exit");
  // Only then everything that it wrote has been read.
  let isClosed = false;
  const closed = once(child, "close").then(([code]) => {
    isClosed = true;
    return code as number | null;
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdin.on("error", () => undefined);
  const parsed = (text: string): Line[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const seen: Line[] = [];
  let taken = 0;
  /** Each line is parsed once: some tests wait while megabytes come. */
  const lines = (): readonly Line[] => {
    const end = stdout.lastIndexOf("\n") + 1;
    seen.push(...parsed(stdout.slice(taken, end)));
    taken = Math.max(taken, end);
    return seen;
  };
  const until = async (fits: (line: Line) => boolean): Promise<Line> => {
    for (;;) {
      const found = lines().find(fits);
      if (found !== undefined) return found;
      if (isClosed) throw new Error(`the gateway ended with ${child.exitCode}: ${stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const send = (message: object | string): void =>
    void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (message: Record<string, unknown>): Promise<Line> => {
    send(message);
    return until((line) => line.id === message["id"] && line.method === undefined);
  };
  let lastId = 1_000;
  const bytes = (name = "upstream"): string => (existsSync(logOf(name)) ? readFileSync(logOf(name), "utf8") : "");
  return {
    stateDir,
    send,
    ask,
    until,
    lines: () => [...lines()],
    raw: () => stdout,
    stderr: () => stderr,
    bytes,
    got: (name) => parsed(bytes(name)),
    events: () => eventsIn(join(stateDir, "state")),
    pid: child.pid ?? 0,
    async hello(capabilities = {}) {
      const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "kit", version: "1" } };
      const answer = await ask({ id: "hello", method: "initialize", params });
      send({ method: "notifications/initialized" });
      return answer;
    },
    call(name, args, more = {}) {
      lastId += 1;
      return ask({ id: lastId, method: "tools/call", params: { name, ...(args === undefined ? {} : { arguments: args }), ...more } });
    },
    async finish() {
      child.stdin.end();
      return { code: await closed };
    },
  };
}

/** A line that is being written is no event yet. */
function eventsIn(stateDir: string): Record<string, unknown>[] {
  const folderPath = join(stateDir, "decisions");
  if (!existsSync(folderPath)) return [];
  return readdirSorted(folderPath).flatMap((name) =>
    readFileSync(join(folderPath, name), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
}

function readdirSorted(path: string): string[] {
  return readdirSync(path).toSorted((a, b) => (a < b ? -1 : 1));
}

/** Code of a refusal, `ok` for a result. */
export function codeOf({ result, error }: Line): string | number {
  return error?.code ?? result?._meta?.["regate/decision"]?.code ?? (result?.isError === true ? "error" : "ok");
}

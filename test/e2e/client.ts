import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, type ElicitRequestFormParams, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";

/** What a call answered, in the parts that tests look at. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly code: string | undefined;
  readonly structured: Record<string, unknown> | undefined;
  readonly meta: Record<string, unknown>;
}

/** A real client on a real server process, with a state directory of its own; both end with the test. */
export interface Session {
  readonly client: Client;
  readonly stateDir: string;
  readonly pid: number;
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
  /** Events of the decision log so far. */
  events(): Record<string, any>[];
  stderr(): string;
}

/** A fresh directory that is removed when the test ends. */
export function temporaryFolder(prefix = "regate-test-"): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Reads all events of the one session in a state directory; a line that is being written is not one yet. */
export function eventsIn(stateDir: string): Record<string, any>[] {
  const folder = join(stateDir, "decisions");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1))
    .map((line) => JSON.parse(line) as Record<string, any>);
}

/** A human behind a client that can show forms. */
export type Human = (asked: ElicitRequestFormParams, signal: AbortSignal) => ElicitResult | Promise<ElicitResult>;

/** Starts `regate serve` with flags and environment and connects the SDK's client to it; with a human, the client can show forms. */
export async function connect(flags: readonly string[] = [], env: Record<string, string> = {}, human?: Human): Promise<Session> {
  const at = flags.indexOf("--state-dir");
  const stateDir = at === -1 ? temporaryFolder("regate-state-") : (flags[at + 1] ?? "");
  const workdir = flags.includes("--workdir") ? [] : ["--workdir", temporaryFolder("regate-work-")];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ["bin/regate.js", "serve", ...(at === -1 ? ["--state-dir", stateDir] : []), ...workdir, ...flags],
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: "regate-tests", version: "1.0.0" }, { capabilities: human === undefined ? {} : { elicitation: {} } });
  if (human !== undefined)
    client.setRequestHandler(ElicitRequestSchema, (request, { signal }) => human(request.params as ElicitRequestFormParams, signal));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    stateDir,
    pid: transport.pid ?? 0,
    events: () => eventsIn(stateDir),
    stderr: () => stderr,
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      const blocks = result.content as { type: string; text?: string }[];
      const meta = (result._meta ?? {}) as Record<string, unknown>;
      const decision = meta["regate/decision"] as { code?: string } | undefined;
      return {
        text: blocks.map((block) => block.text ?? "").join(""),
        isError: result.isError === true,
        code: decision?.code,
        structured: result.structuredContent as Record<string, unknown> | undefined,
        meta,
      };
    },
  };
}

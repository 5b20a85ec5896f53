import { spawn, type ChildProcess } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { durableToolParentFingerprint, writeSession } from "../../dist/index.js";
import type { GivenIdentity } from "../../dist/index.js";
import type { TestClient } from "../delegate/redis-kit.ts";
import { eventsIn } from "./client.ts";
import { PROGRAM } from "./run.ts";

/** Numbers that satisfy the horizon; on no machine a lease or a call ends by itself. */
export const HORIZON: Readonly<Record<string, string>> = {
  "turn-checkpoint-ttl": "20",
  "execution-lease": "5",
  "claim-min-idle": "60",
  "claim-sweep": "1",
  "max-deliveries": "3",
  "max-exec": "30",
  "proof-ttl": "400",
};

/** Flags of the horizon, some of them changed. */
export function horizonFlags(change: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries({ ...HORIZON, ...change }).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Folders and key of one set of processes that work together. */
export interface Place {
  readonly folder: string;
  readonly workdir: string;
  readonly keyFile: string;
  readonly key: string;
  /** Lines of a file that commands append to: how often they ran. */
  runs(marker: string): number;
  remove(): void;
}

export function makePlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "regate-worker-"));
  const workdir = join(folder, "work");
  const keyFile = join(folder, "proof.key");
  const key = "5f".repeat(32);
  mkdirSync(workdir);
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  return {
    folder,
    workdir,
    keyFile,
    key,
    runs(marker) {
      const file = join(workdir, marker);
      return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** One worker process. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly stateDir: string;
  stderr(): string;
  events(): Record<string, any>[];
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `regate worker` and waits until it says so. */
export async function startWorkerProcess(
  place: Place,
  url: string,
  options: { flags?: readonly string[]; env?: Record<string, string>; horizon?: Readonly<Record<string, string>> } = {},
): Promise<WorkerProcess> {
  const stateDir = mkdtempSync(join(place.folder, "state-"));
  const words = ["worker", "--redis", url, "--proof-key-file", place.keyFile, "--state-dir", stateDir, "--workdir", place.workdir];
  const bundle = options.flags?.includes("--bundle") === true ? [] : ["--bundle", "agent-session"];
  const flags = [...horizonFlags(options.horizon), ...bundle, "--sandbox", "none", ...(options.flags ?? [])];
  const env = { PATH: process.env["PATH"] ?? "", HOME: place.folder, ...options.env };
  const child = spawn(process.execPath, [PROGRAM, ...words, ...flags], { env, stdio: ["ignore", "ignore", "pipe"] });
  const gone = once(child, "close");
  let stderr = "";
  const started = new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes("with bundle")) resolve();
    });
    child.once("close", (code) => reject(new Error(`the worker ended with ${code}: ${stderr}`)));
  });
  await started;
  return {
    child,
    stateDir,
    stderr: () => stderr,
    events: () => eventsIn(stateDir),
    async end(signal = "SIGTERM") {
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}

/** A call as a producer sends it; every part can be another one. */
export interface SentCall {
  operation_id: string;
  correlation_id: string;
  trace_id: string;
  tool_name: string;
  tool_args: Record<string, unknown>;
  context: Record<string, unknown>;
  require_existing: boolean;
  reply_to: string;
}

/** A producer that is none of Regate's code, but for the two functions that both sides share. */
export function makeProducer(client: TestClient, key: string) {
  const lane = `sg:tools:reply:test-${randomUUID()}`;
  const identity = { user_id: "erika", platform: "discord" };
  const macOf = (fingerprint: string, withKey = key): string => createHmac("sha256", withKey).update(fingerprint).digest("hex");
  const call = (command: string, change: Partial<SentCall> = {}): SentCall => ({
    operation_id: randomUUID(),
    correlation_id: randomUUID(),
    trace_id: randomUUID(),
    tool_name: "run_shell",
    tool_args: { command },
    context: { path: "direct", workdir: "/srv" },
    require_existing: false,
    reply_to: lane,
    ...change,
  });
  const fingerprintOf = (sent: SentCall, who: GivenIdentity = identity): string =>
    durableToolParentFingerprint({
      operation_id: sent.operation_id,
      trace_id: sent.trace_id,
      tool_name: sent.tool_name,
      tool_args: sent.tool_args,
      context: sent.context,
      identity: who,
    });
  const add = (message: object | string | Buffer): Promise<string> => {
    const data = typeof message === "object" && !Buffer.isBuffer(message) ? JSON.stringify(message) : message;
    return client.sendCommand(["XADD", "sg:stream:tools", "*", "data", data]);
  };
  const prove = async (sent: SentCall, who: GivenIdentity = identity): Promise<string> => {
    const proof = macOf(fingerprintOf(sent, who));
    await client.set(`sg:tools:proof:${sent.operation_id}`, proof, { EX: 60 });
    return proof;
  };
  const replies = async (): Promise<Record<string, any>[]> => {
    const entries = (await client.xRange(lane, "-", "+")) as { message: Record<string, string> }[];
    return entries.map(({ message }) => JSON.parse(message["data"] ?? "") as Record<string, any>);
  };
  return {
    lane,
    identity,
    call,
    fingerprintOf,
    macOf,
    add,
    prove,
    replies,
    /** Writes record and proof, and sends. */
    async send(sent: SentCall, extra: object = {}, who: GivenIdentity = identity): Promise<string> {
      await writeSession(client, sent.trace_id, who, { ttl: 60, strict: true });
      return await add({ v: 1, ...sent, proof: await prove(sent, who), ...extra });
    },
    /** The one reply to a correlation, when it has come. */
    async reply(correlationId: string, waitMs = 40_000): Promise<Record<string, any>> {
      const until = Date.now() + waitMs;
      for (;;) {
        const found = (await replies()).find((reply) => reply["correlation_id"] === correlationId);
        if (found !== undefined) return found;
        if (Date.now() > until) throw new Error("no reply");
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
    /** Entries of the stream that are left. */
    left: () => client.xLen("sg:stream:tools"),
    /** Dead letters so far. */
    async letters(): Promise<Record<string, string>[]> {
      return ((await client.xRange("sg:stream:dlq", "-", "+")) as { message: Record<string, string> }[]).map(({ message }) => message);
    },
  };
}

/** Such a producer. */
export type Producer = ReturnType<typeof makeProducer>;

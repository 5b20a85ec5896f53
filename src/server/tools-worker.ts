import type { JsonObject } from "../call/json.ts";
import { openConnection } from "../redis/connection.ts";
import { errorBody } from "../delegate/delegated-call.ts";
import type { DelegatedCall, DelegatedEnd } from "../delegate/delegated-call.ts";
import type { HorizonConfig } from "../delegate/horizon.ts";
import { keysOf } from "../delegate/keys.ts";
import { redisCalls } from "../delegate/redis-calls.ts";
import { redisSessions } from "../delegate/session-store.ts";
import { startWorker } from "../delegate/worker.ts";
import type { RunningWorker } from "../delegate/worker.ts";
import type { Claim } from "../session/session.ts";
import { SessionIdentityState } from "../session/identity-state.ts";
import { osUser } from "../session/os-user.ts";
import type { Tool } from "../tools/tool.ts";
import { openClientSession, openParts } from "./assemble.ts";
import type { CallToolResult, Corridor } from "./corridor-types.ts";
import { openHealth, type Watched } from "./health.ts";
import { refusalCodeOf } from "./results.ts";
import type { SharedOptions } from "./server-options.ts";
import { stdioSharers } from "./sharing.ts";
import { within } from "../wire/within.ts";

/** How a worker is connected. */
export interface WorkerLink {
  readonly url: string;
  readonly prefix: string;
  readonly proofKey: string;
  readonly horizon: HorizonConfig;
  readonly workerName: string;
  readonly callsAtOnce: number;
  readonly healthPort?: number;
}

/** What a worker process is made of. */
export interface ToolsWorkerOptions extends SharedOptions {
  readonly delegate: WorkerLink;
}

/** A worker process that runs. */
export interface RunningToolsWorker {
  readonly claim: Claim;
  /** Resolves when a stop has ended it: running calls were settled, as far as they had time. */
  readonly ended: Promise<void>;
}

/** Beyond the time that a running call has: for storing and publishing its result. */
const SETTLE_MS = 2_500;

/** Tools that a worker offers: what fronts delegate, and what scripts need that says nothing about other subjects. */
const OFFERED: ReadonlySet<string> = new Set(["run_shell", "eval_starlark", "cloud_query", "list_sessions"]);

/**
 * Starts a worker (design §9): every claimed call passes the whole corridor with `path: "delegated"` and the identity of its session record
 * as `subject`. The process claim is the worker's own.
 * @throws when the health port cannot be listened on; nothing was claimed then
 */
export async function startToolsWorker(options: ToolsWorkerOptions): Promise<RunningToolsWorker> {
  const { delegate, note, stop } = options;
  let watched: Watched | undefined;
  const health = delegate.healthPort === undefined ? undefined : await openHealth(delegate.healthPort, () => watched);
  const limitMs = delegate.horizon.maxExec * 1_000;
  const parts = openParts({ ...options, identity: unconfirmable(), arrangeTools: (tools) => offered(tools, limitMs) });
  const { claim, corridor } = openClientSession(parts, { ...osUser(), sharers: stdioSharers("serve") });
  const keys = keysOf(delegate.prefix);
  const [commands, holding] = [openConnection(delegate.url), openConnection(delegate.url)];
  const calls = redisCalls(keys, commands.send, holding.send);
  const worker = startWorker({
    keys,
    calls,
    sessions: redisSessions(commands.send),
    proofKey: delegate.proofKey,
    horizon: delegate.horizon,
    name: delegate.workerName,
    atOnce: delegate.callsAtOnce,
    isRepeatable(tool) {
      const facts = parts.factsOf(tool);
      return facts.known && facts.read_only && !facts.destructive && !facts.live_write;
    },
    execute: (call) => execute(corridor, call),
    note,
  });
  watched = { worker, calls };
  const end = async (): Promise<void> => {
    await drained(worker, () => holding.close(), limitMs + SETTLE_MS);
    await corridor.close();
    commands.close();
    await Promise.all([parts.starlark.close(), health?.close()]);
  };
  return { claim, ended: aborted(stop).then(end) };
}

async function drained(worker: RunningWorker, stopReading: () => void, limitMs: number): Promise<void> {
  const done = worker.drain();
  stopReading();
  await within(limitMs, done);
}

async function aborted(stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  await new Promise<void>((resolve) => {
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * One worker serves many subjects: what one of them reads confirms nothing for the others, so nothing is ever confirmed here. What the
 * front's agent has read comes with the call.
 */
function unconfirmable(): SessionIdentityState {
  return Object.assign(new SessionIdentityState(), { recordIdentityRead: () => undefined });
}

/** No call may run longer than the horizon reckons with. */
function offered(tools: readonly Tool[], limitMs: number): readonly Tool[] {
  return tools
    .filter(({ name }) => OFFERED.has(name))
    .map((tool) => Object.assign({}, tool, { timeoutMs: Math.min(tool.timeoutMs, limitMs) }));
}

async function execute(corridor: Corridor, { tool, args, identity, claimed, session }: DelegatedCall): Promise<DelegatedEnd> {
  const { user_aliases: aliases, ...ids } = identity;
  const subject: JsonObject = { ...ids, ...(aliases === undefined ? {} : { user_aliases: [...aliases] }) };
  const envelope = Object.keys(claimed).length === 0 ? {} : { envelope: { ...claimed } };
  const delegated = { subject, ...envelope, ...(session === undefined ? {} : { session }) };
  const answer = await corridor.call({ tool, arguments: args, path: "delegated", delegated });
  if (answer.kind === "unknown_tool") return { status: "error", ...errorBody("unknown_tool") };
  return endOf(answer.result);
}

function endOf(result: CallToolResult): DelegatedEnd {
  if (result.isError !== true) return { status: "ok", result };
  const text = result.content.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("\n");
  return { status: "error", result, error: { code: refusalCodeOf(result) ?? "call.failed", message: text } };
}

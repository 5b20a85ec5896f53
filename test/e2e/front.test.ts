import { createServer, connect as dial, type AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { durableToolParentFingerprint, readSession } from "../../dist/index.js";
import type { GivenIdentity } from "../../dist/index.js";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { connect } from "./client.ts";
import type { Session } from "./client.ts";
import { horizonFlags, makePlace, startWorkerProcess } from "./worker-kit.ts";
import type { Place, SentCall } from "./worker-kit.ts";

const S = "sg:stream:tools";
const SHORT = {
  "turn-checkpoint-ttl": "1",
  "execution-lease": "1",
  "claim-min-idle": "1",
  "claim-sweep": "1",
  "max-deliveries": "1",
  "max-exec": "1",
  "proof-ttl": "6",
};

let server: RedisServer;
let client: TestClient;
let place: Place;

beforeAll(async () => {
  if (!haveRedis) return;
  server = await startRedis();
  client = await clientOf(server.url());
  place = makePlace();
});

afterAll(async () => {
  if (!haveRedis) return;
  client.destroy();
  await server.stop();
  place.remove();
});

function front(options: { url?: string; flags?: readonly string[]; horizon?: Readonly<Record<string, string>> } = {}): Promise<Session> {
  const { url = server.url(), flags = [], horizon } = options;
  const words = ["--tools-backend", url, "--proof-key-file", place.keyFile, ...horizonFlags(horizon)];
  return connect([...words, "--bundle", "agent-session", "--workdir", place.workdir, ...flags]);
}

/** The one message in the stream, taken out of it. */
async function takeMessage(): Promise<SentCall & { proof: string }> {
  for (;;) {
    const [entry] = (await client.xRange(S, "-", "+")) as { id: string; message: Record<string, string> }[];
    if (entry !== undefined) {
      await client.xDel(S, entry.id);
      return JSON.parse(entry.message["data"] ?? "") as SentCall & { proof: string };
    }
    await sleep(20);
  }
}

function fingerprintOf({ operation_id, trace_id, tool_name, tool_args, context }: SentCall, identity: GivenIdentity): string {
  return durableToolParentFingerprint({ operation_id, trace_id, tool_name, tool_args, context, identity });
}

describe.skipIf(!haveRedis)("a front", () => {
  it("[002-write] [002-fingerprint-transport] binds the identity, publishes the call as it came, and takes only the reply that is its own", async () => {
    const session = await front({ horizon: { "proof-ttl": "600" } });
    const args = { command: "echo 1", timeout_ms: 60_000 };
    const answer = session.call("run_shell", args);
    const sent = await takeMessage();
    expect(sent).toMatchObject({ v: 1, tool_name: "run_shell", tool_args: args, require_existing: false });
    expect(sent.reply_to).toMatch(/^sg:tools:reply:[A-Za-z0-9._-]{1,64}$/);
    const identity = await readSession(client, sent.trace_id, { strict: true });
    expect(identity).toMatchObject({ user_id: expect.any(String) as string, platform: "os" });
    expect(await client.ttl(`sg:tools:session:${sent.trace_id}`)).toBeGreaterThan(300);
    expect(await client.get(`sg:tools:proof:${sent.operation_id}`)).toBe(sent.proof);
    if (identity === null) throw new Error("no record");
    const { operation_id } = sent;
    const fingerprint = fingerprintOf(sent, identity);
    const structured = { exit_code: 0, signal: null, timed_out: false, truncated: false, stdout: "1\n", stderr: "", duration_ms: 1 };
    const right = {
      v: 1,
      operation_id,
      correlation_id: sent.correlation_id,
      fingerprint,
      status: "ok",
      result: { content: [{ type: "text", text: "mine" }], structuredContent: structured },
    };
    const wrong: unknown[] = [
      "not json",
      { ...right, fingerprint: "0".repeat(64), status: "error", error: { code: "x", message: "forged" } },
      { ...right, fingerprint: undefined, status: "error" },
      { ...right, correlation_id: "of-nobody" },
      { ...right, operation_id: "another" },
      { ...right, v: 2 },
      { ...right, status: "odd" },
      { ...right, status: "error", result: undefined, error: { code: "in_progress", message: "x" } },
    ];
    for (const reply of [...wrong, right, { ...right, status: "error" }]) {
      await client.xAdd(sent.reply_to, "*", { data: typeof reply === "string" ? reply : JSON.stringify(reply) });
    }
    expect(await answer).toMatchObject({ isError: false, text: "mine", structured });
    expect(await session.call("list_sessions")).toMatchObject({ isError: false });
  });

  it("what the tools service answers goes back as it is; what is no result, or no success, never looks like one", async () => {
    const session = await front();
    const text = [{ type: "text", text: "theirs" }];
    const rows: [object, object][] = [
      [
        { result: { content: [...text, { type: "text", text: "and more" }] } },
        { isError: false, text: "theirsand more", structured: undefined },
      ],
      [{ result: { content: text, structuredContent: { other: 1 } } }, { isError: false, text: "theirs", structured: { other: 1 } }],
      [{ result: { other: 1 } }, { isError: true, code: "delegate.indeterminate" }],
      [{ result: undefined }, { isError: true, code: "delegate.indeterminate" }],
      [
        { status: "error", error: { code: "proof_invalid", message: "x" } },
        { isError: true, code: "delegate.rejected" },
      ],
      [
        { status: "error", error: { code: "of_tomorrow", message: "x" } },
        { isError: true, code: "delegate.indeterminate" },
      ],
      [
        { status: "error", result: { content: text } },
        { isError: true, text: "theirs" },
      ],
      [
        { status: "indeterminate", result: { content: text } },
        { isError: true, code: "delegate.indeterminate" },
      ],
    ];
    for (const [change, says] of rows) {
      const answer = session.call("run_shell", { command: "true" });
      const sent = await takeMessage();
      const identity = await readSession(client, sent.trace_id, { strict: true });
      if (identity === null) throw new Error("no record");
      const { operation_id, correlation_id } = sent;
      const reply = { v: 1, operation_id, correlation_id, fingerprint: fingerprintOf(sent, identity), status: "ok", ...change };
      await client.xAdd(sent.reply_to, "*", { data: JSON.stringify(reply) });
      expect(await answer).toMatchObject(says);
    }
  });

  it("a full stream refuses the next call at once, and nothing is added", async () => {
    const session = await front({ flags: ["--queue-limit", "1"] });
    const first = session.call("run_shell", { command: "true" });
    await expect.poll(() => client.xLen(S)).toBe(1);
    expect(await session.call("run_shell", { command: "true" })).toMatchObject({
      isError: true,
      code: "delegate.busy",
      text: "delegate: the tools service is busy, nothing was executed",
    });
    expect(await client.xLen(S)).toBe(1);
    await session.client.close();
    await first.catch(() => undefined);
    await client.del(S);
  });

  it("no reply within the horizon is `indeterminate`", async () => {
    const session = await front({ horizon: SHORT });
    expect(await session.call("run_shell", { command: "true" })).toMatchObject({
      isError: true,
      code: "delegate.indeterminate",
      text: "delegate: the outcome is unknown, the call may have been executed",
    });
    await client.del(S);
  });

  it("what is too large for a message is refused, and nothing is sent", async () => {
    const session = await front();
    expect(await session.call("eval_starlark", { code: `x = "${"x".repeat(1_100_000)}"` })).toMatchObject({ code: "delegate.rejected" });
    expect(await client.xLen(S)).toBe(0);
  });

  it("SIGTERM ends a front that waits for the tools service, long before the horizon", async () => {
    const session = await front({ horizon: { "proof-ttl": "600" } });
    const answer = session.call("run_shell", { command: "true" }).catch(() => undefined);
    await expect.poll(() => client.xLen(S)).toBe(1);
    process.kill(session.pid, "SIGTERM");
    await expect.poll(() => isAlive(session.pid)).toBe(false);
    await answer;
    await client.del(S);
  });

  it("an unreachable store refuses dangerous calls; the rest of the server goes on", async () => {
    const session = await front({ url: "redis://127.0.0.1:1" });
    expect(await session.call("run_shell", { command: "true" })).toMatchObject({ isError: true, code: "delegate.unavailable" });
    expect(await session.call("list_sessions")).toMatchObject({ isError: false });
    expect(await session.call("run_shell", { command: "rm -r x", dry_run: true })).toMatchObject({ isError: false });
  });

  it("[002-service] [002-privileges] a refusal of the worker comes back with its own text and code", async () => {
    const worker = await startWorkerProcess(place, server.url(), { flags: ["--bundle", "tools-service"] });
    onTestFinished(async () => void (await worker.end("SIGKILL")));
    const session = await front();
    expect(await session.call("run_shell", { command: "rm -rf x" })).toMatchObject({
      isError: true,
      code: "policy.denied",
      text: "tool_subject: the subject lacks a privilege that this call needs",
    });
    expect(await session.call("run_shell", { command: "echo x >> once" })).toMatchObject({ isError: false });
    expect(place.runs("once")).toBe(1);
  });

  it("a publication whose answer is lost is repeated under the same id: one entry, one run, one answer (D05)", async () => {
    const proxy = await swallowing(server.port);
    const session = await front({ url: `redis://127.0.0.1:${proxy.port}` });
    const answer = session.call("run_shell", { command: "echo x >> swallowed" });
    await expect.poll(() => proxy.swallowed()).toBe(1);
    await expect.poll(() => client.xLen(S)).toBe(1);
    const worker = await startWorkerProcess(place, server.url());
    onTestFinished(async () => void (await worker.end("SIGKILL")));
    expect(await answer).toMatchObject({ isError: false });
    expect(place.runs("swallowed")).toBe(1);
    await expect.poll(() => client.xLen(S)).toBe(0);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A way to Redis that loses the answer to the first publication, with its connection. */
async function swallowing(port: number): Promise<{ port: number; swallowed: () => number }> {
  let swallowed = 0;
  const proxy = createServer((near) => {
    const far = dial(port, "127.0.0.1");
    let loses = false;
    near.on("data", (bytes: Buffer) => {
      if (swallowed === 0 && bytes.includes("XADD")) loses = true;
      far.write(bytes);
    });
    far.on("data", (bytes: Buffer) => {
      if (!loses) return void near.write(bytes);
      swallowed += 1;
      near.destroy();
      far.destroy();
      return undefined;
    });
    for (const socket of [near, far]) {
      socket.on("error", () => undefined);
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return { port: (proxy.address() as AddressInfo).port, swallowed: () => swallowed };
}

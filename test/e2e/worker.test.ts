import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeSession } from "../../dist/index.js";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { makePlace, makeProducer, startWorkerProcess } from "./worker-kit.ts";
import type { Place, Producer, WorkerProcess } from "./worker-kit.ts";

let server: RedisServer;
let client: TestClient;
let place: Place;
let producer: Producer;
let worker: WorkerProcess;

beforeAll(async () => {
  if (!haveRedis) return;
  server = await startRedis();
  client = await clientOf(server.url());
  place = makePlace();
  producer = makeProducer(client, place.key);
  worker = await startWorkerProcess(place, server.url());
});

afterAll(async () => {
  if (!haveRedis) return;
  await worker.end("SIGKILL");
  client.destroy();
  await server.stop();
  place.remove();
});

const append = (marker: string): string => `echo x >> ${marker}`;
const errorOf = (code: string) => ({ status: "error", error: { code, message: expect.any(String) as unknown } });

describe.skipIf(!haveRedis)("a worker", () => {
  it("[002-record] runs a call of a known trace once, with the identity of its record", async () => {
    const call = producer.call(append("plain"));
    await producer.send(call);
    const reply = await producer.reply(call.correlation_id);
    expect(reply).toMatchObject({
      v: 1,
      operation_id: call.operation_id,
      fingerprint: producer.fingerprintOf(call),
      status: "ok",
      result: { structuredContent: { exit_code: 0 } },
    });
    expect(place.runs("plain")).toBe(1);
    expect(await producer.left()).toBe(0);
    const ttl = await client.ttl(`sg:tools:ledger:${call.operation_id}`);
    expect(ttl).toBeGreaterThan(50);
    expect(await client.ttl(producer.lane)).toBeGreaterThan(50);
    expect(await client.xInfoConsumers("sg:stream:tools", "sg:tools")).toHaveLength(1);
  });

  it("[002-untrusted-envelope] [002-forged-real-trace] an envelope that claims an admin runs as the recorded identity", async () => {
    const call = producer.call(append("forged"));
    await producer.send(call, { user_id: "admin", platform: "discord", guild_id: "1", user_aliases: ["root"] });
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
    const decision = worker.events().findLast((event) => event["custom"].regate.event === "decision");
    expect(decision?.["input"]).toMatchObject({
      path: "delegated",
      subject: { user_id: "erika", platform: "discord" },
      envelope: { user_id: "admin", platform: "discord" },
    });
    const { envelope: _, ...rest } = (decision?.["input"] ?? {}) as Record<string, unknown>;
    expect(JSON.stringify(rest)).not.toContain("admin");
    await expect.poll(() => worker.stderr()).toMatch(/security: entry \d+-\d+ claims another identity/);
  });

  it("[002-unknown-trace] an unknown, empty, missing or expired trace is refused and nothing runs", async () => {
    const traces: unknown[] = [randomUUID(), "", undefined];
    for (const trace of traces) {
      const call = producer.call(append("unknown"));
      await producer.add({ v: 1, ...call, trace_id: trace, proof: await producer.prove(call) });
      expect(await producer.reply(call.correlation_id)).toMatchObject(errorOf("session_missing"));
    }
    const late = producer.call(append("unknown"));
    await writeSession(client, late.trace_id, producer.identity, { ttl: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await producer.add({ v: 1, ...late, proof: await producer.prove(late) });
    expect(await producer.reply(late.correlation_id)).toMatchObject(errorOf("session_missing"));
    expect(place.runs("unknown")).toBe(0);
    expect(await producer.left()).toBe(0);
  });

  it("a record that cannot be read is refused, whatever the proof", async () => {
    for (const record of ["{", '{"user_id":"erika","platform":"discord","admin":true}']) {
      const call = producer.call(append("unreadable"));
      await client.set(`sg:tools:session:${call.trace_id}`, record, { EX: 60 });
      await producer.add({ v: 1, ...call, proof: await producer.prove(call) });
      expect(await producer.reply(call.correlation_id)).toMatchObject(errorOf("session_invalid"));
    }
    expect(place.runs("unreadable")).toBe(0);
  });

  it("[002-proof] a missing, wrong, foreign, unpublished or expired proof is refused before the ledger", async () => {
    const proofs: ((call: ReturnType<Producer["call"]>) => Promise<unknown>)[] = [
      async (call) => (await producer.prove(call), undefined),
      async (call) => (await producer.prove(call), "f".repeat(64)),
      async (call) => {
        const proof = producer.macOf(producer.fingerprintOf(call), "another key");
        await client.set(`sg:tools:proof:${call.operation_id}`, proof, { EX: 60 });
        return proof;
      },
      (call) => producer.prove({ ...call, tool_args: { command: "echo other" } }),
      async (call) => producer.macOf(producer.fingerprintOf(call)),
      (call) => producer.prove(call, { user_id: "admin", platform: "discord" }),
    ];
    for (const make of proofs) {
      const call = producer.call(append("unproven"));
      await writeSession(client, call.trace_id, producer.identity, { ttl: 60 });
      await producer.add({ v: 1, ...call, proof: await make(call) });
      expect(await producer.reply(call.correlation_id)).toMatchObject({
        ...errorOf("proof_invalid"),
        fingerprint: producer.fingerprintOf(call),
      });
      expect(await client.exists(`sg:tools:ledger:${call.operation_id}`)).toBe(0);
    }
    expect(place.runs("unproven")).toBe(0);
  });

  it("a fingerprint that is named and is another one is refused", async () => {
    const call = producer.call(append("named"));
    await producer.send(call, { fingerprint: "0".repeat(64) });
    expect(await producer.reply(call.correlation_id)).toMatchObject(errorOf("fingerprint_mismatch"));
    expect(place.runs("named")).toBe(0);
  });

  it("[002-republish] a finished operation is published again on a fresh lane, byte for byte, and does not run again", async () => {
    const call = producer.call(append("again"));
    await producer.send(call);
    const first = await producer.reply(call.correlation_id);
    const fresh = makeProducer(client, place.key);
    for (const requireExisting of [false, true]) {
      const again = { ...call, correlation_id: randomUUID(), reply_to: fresh.lane, require_existing: requireExisting };
      await fresh.add({ v: 1, ...again, proof: await fresh.prove(again) });
      const reply = await fresh.reply(again.correlation_id);
      expect(JSON.stringify(reply["result"])).toBe(JSON.stringify(first["result"]));
      expect(reply["fingerprint"]).toBe(first["fingerprint"]);
    }
    expect(place.runs("again")).toBe(1);
  });

  it("[002-require-existing] stale new work is refused, not stored, and runs later without the flag", async () => {
    const call = producer.call(append("stale"), { require_existing: true });
    await producer.send(call);
    expect(await producer.reply(call.correlation_id)).toMatchObject(errorOf("stale_reject"));
    expect(place.runs("stale")).toBe(0);
    const now = { ...call, correlation_id: randomUUID(), require_existing: false };
    await producer.send(now);
    expect(await producer.reply(now.correlation_id)).toMatchObject({ status: "ok" });
    expect(place.runs("stale")).toBe(1);
  });

  it("the same operation with other arguments, tool, trace or identity is a conflict, and the stored entry stays", async () => {
    const call = producer.call(append("conflict"));
    await producer.send(call);
    const first = await producer.reply(call.correlation_id);
    const others = [
      { tool_args: { command: append("conflict2") } },
      { tool_name: "eval_starlark", tool_args: { code: "x = 1" } },
      { trace_id: randomUUID() },
      { context: {} },
    ];
    for (const other of others) {
      const changed = { ...call, ...other, correlation_id: randomUUID() };
      await producer.send(changed);
      expect(await producer.reply(changed.correlation_id)).toMatchObject(errorOf("operation_conflict"));
    }
    const again = { ...call, correlation_id: randomUUID() };
    await producer.send(again);
    expect(await producer.reply(again.correlation_id)).toMatchObject({ result: first["result"] as unknown });
    expect([place.runs("conflict"), place.runs("conflict2")]).toEqual([1, 0]);
  });

  it("a forged request with a finished operation's id and no record gets no cached result", async () => {
    const call = producer.call(append("fished"));
    await producer.send(call);
    await producer.reply(call.correlation_id);
    const forged = { ...call, correlation_id: randomUUID(), trace_id: randomUUID() };
    await producer.add({ v: 1, ...forged, proof: await producer.prove(forged) });
    expect(await producer.reply(forged.correlation_id)).toMatchObject(errorOf("session_missing"));
  });

  it("a reply lane outside the pattern gets nothing, and the entry is gone", async () => {
    const before = await client.keys("*");
    for (const lane of [
      "sg:stream:dlq",
      "sg:tools:session:x",
      "",
      "sg:tools:reply:",
      "sg:tools:reply:a\n",
      "sg:tools:reply:a/b",
      `sg:tools:reply:${"a".repeat(65)}`,
    ]) {
      const call = producer.call(append("lane"), { reply_to: lane });
      await producer.add({ v: 1, ...call, proof: "x" });
    }
    await expect.poll(() => producer.left()).toBe(0);
    expect(await client.keys("*")).toEqual(expect.arrayContaining(before));
    expect(await client.exists("sg:stream:dlq")).toBe(0);
    expect(place.runs("lane")).toBe(0);
  });

  it("messages that are not in order are answered where the lane can be read, else dead letters", async () => {
    const call = producer.call(append("odd"));
    const bad = [
      { v: 2, ...call },
      { v: 1, ...call, tool_args: [] },
      { v: 1, ...call, require_existing: "no" },
      { v: 1, ...call, tool_name: "" },
      { v: 1, ...call, tool_args: { command: "x".repeat(1_100_000) } },
      { v: 1, ...call, context: { reply_to: "x" } },
    ];
    await writeSession(client, call.trace_id, producer.identity, { ttl: 60 });
    for (const [index, message] of bad.entries()) {
      const correlation = `odd-${index}`;
      await producer.add({ ...message, correlation_id: correlation });
      expect(await producer.reply(correlation)).toMatchObject(errorOf("envelope_invalid"));
    }
    const ids = [await producer.add("{"), await producer.add("[]"), await producer.add(Buffer.from([0xff])), await producer.add({ v: 1 })];
    ids.push(await client.xAdd("sg:stream:tools", "*", { other: "x" }));
    await expect.poll(async () => (await producer.letters()).map((letter) => letter["original_msg_id"])).toEqual(ids);
    for (const letter of await producer.letters()) expect(letter).not.toHaveProperty("data");
    expect(await producer.left()).toBe(0);
    expect(place.runs("odd")).toBe(0);
  });

  it("a refusal of the corridor is terminal and holds the frozen text", async () => {
    const call = producer.call("", { tool_name: "no_such_tool", tool_args: {} });
    await producer.send(call);
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "error" });
    const args = producer.call("", { tool_args: { command: 7 } });
    await producer.send(args);
    const first = await producer.reply(args.correlation_id);
    expect(first).toMatchObject({ status: "error", error: { code: "call.arguments_invalid" }, result: { isError: true } });
    const again = { ...args, correlation_id: randomUUID() };
    await producer.send(again);
    expect(JSON.stringify((await producer.reply(again.correlation_id))["result"])).toBe(JSON.stringify(first["result"]));
  });

  it("of two entries of one operation the second is answered `in_progress` while the first runs, and it runs once", async () => {
    const call = producer.call(`${append("twice")}; until [ -e answered ]; do sleep 0.05; done`);
    await producer.send(call);
    const second = { ...call, correlation_id: randomUUID() };
    await expect.poll(() => place.runs("twice")).toBe(1);
    await producer.send(second);
    expect(await producer.reply(second.correlation_id)).toMatchObject(errorOf("in_progress"));
    writeFileSync(join(place.workdir, "answered"), "");
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
    expect(place.runs("twice")).toBe(1);
  });

  it("the same message twice in the stream runs once and both entries are removed (D05)", async () => {
    const call = producer.call(append("doubled"));
    await producer.send(call);
    await producer.send(call);
    await producer.reply(call.correlation_id);
    await expect.poll(() => producer.left()).toBe(0);
    expect(place.runs("doubled")).toBe(1);
  });

  it("a call that runs longer than the horizon reckons with is ended", async () => {
    expect(await worker.end()).toBe(0);
    worker = await startWorkerProcess(place, server.url(), { horizon: { "max-exec": "1" } });
    const call = producer.call("sleep 60");
    await producer.send(call);
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "error", error: { code: "call.timeout" } });
  });
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../src/redis/connection.ts";
import type { Connection } from "../../src/redis/connection.ts";
import { createFront } from "../../src/delegate/front.ts";
import type { FrontOptions } from "../../src/delegate/front.ts";
import { keysOf } from "../../src/delegate/keys.ts";
import { createMemoryCalls } from "../../src/delegate/memory-calls.ts";
import { createMemoryStore } from "../../src/delegate/memory-store.ts";
import { redisCalls } from "../../src/delegate/redis-calls.ts";
import { redisFront } from "../../src/delegate/redis-front.ts";
import { redisSessions } from "../../src/delegate/session-store.ts";
import type { CallStore, ClaimRequest, Finish, FrontStore, SessionStore } from "../../src/delegate/store.ts";
import { startWorker } from "../../src/delegate/worker.ts";
import { clientOf, haveRedis, startRedis } from "./redis-kit.ts";
import type { RedisServer, TestClient } from "./redis-kit.ts";

interface Stores {
  readonly front: FrontStore;
  readonly calls: CallStore;
  readonly sessions: SessionStore;
}

const claimOf = (change: Partial<ClaimRequest> = {}): ClaimRequest => ({
  worker: "w1",
  operationId: "op",
  fingerprint: "f1",
  token: "t1",
  entryId: "1-1",
  leaseMs: 60_000,
  ttl: 60,
  requireExisting: false,
  repeatable: false,
  exhausted: false,
  unknownBody: '{"error":{}}',
  ...change,
});

const finishOf = (change: Partial<Finish> = {}): Finish => ({
  operationId: "op",
  token: "t1",
  fingerprint: "f1",
  entryId: "1-1",
  status: "ok",
  body: '{"result":{}}',
  ttl: 60,
  reply: { lane: "sg:tools:reply:l", data: "reply", ttl: 60 },
  ...change,
});

const publication = (operationId: string, limit = 100) => ({ operationId, proof: "p", data: `{"n":"${operationId}"}`, ttl: 60, limit });

/** Publishes calls and hands them out to `w1`: the ids of their entries. */
async function handedOut({ front, calls }: Stores, ...operationIds: readonly string[]): Promise<readonly string[]> {
  await calls.prepare();
  for (const id of operationIds) await front.publish(publication(id));
  const entries = await calls.readNew("w1", { count: operationIds.length, waitMs: 100 });
  expect(entries).toHaveLength(operationIds.length);
  return entries.map(({ id }) => id);
}

/** What both stores promise. */
function contract(stores: () => Stores): void {
  it("the ledger: one claim, then its terminal result, and nothing for another fingerprint", async () => {
    const { calls } = stores();
    const [entryId = ""] = await handedOut(stores(), "op");
    expect(await calls.claim(claimOf({ entryId, requireExisting: true }))).toEqual({ kind: "stale" });
    expect(await calls.claim(claimOf({ entryId, exhausted: true }))).toEqual({ kind: "exhausted" });
    expect(await calls.claim(claimOf({ entryId }))).toEqual({ kind: "claimed" });
    expect(await calls.claim(claimOf({ token: "t2", entryId: "2-2" }))).toEqual({ kind: "in_progress" });
    expect(await calls.claim(claimOf({ entryId, token: "t2" }))).toEqual({ kind: "waiting" });
    expect(await calls.claim(claimOf({ entryId, fingerprint: "f2" }))).toEqual({ kind: "conflict" });
    expect(await calls.renew(claimOf({ entryId, token: "t2" }))).toBe(false);
    expect(await calls.renew(claimOf({ entryId }))).toBe(true);
    expect(await calls.finish(finishOf({ entryId, token: "t2" }))).toBe("lost");
    // The entry was lost; the result is kept all the same.
    expect(await calls.settle({ entryId })).toBe("settled");
    expect(await calls.finish(finishOf({ entryId }))).toBe("gone");
    // A repetition changes nothing of what is kept.
    expect(await calls.finish(finishOf({ entryId, body: "{}" }))).toBe("gone");
    expect(await calls.finish(finishOf({ token: "t2" }))).toBe("lost");
    for (const requireExisting of [true, false]) {
      expect(await calls.claim(claimOf({ token: "t3", requireExisting }))).toEqual({
        kind: "terminal",
        status: "ok",
        body: '{"result":{}}',
      });
    }
    expect(await calls.claim(claimOf({ fingerprint: "f2" }))).toEqual({ kind: "conflict" });
  });

  it("the ledger: a lease that ended leaves an unknown outcome for good, or a new claim where that is harmless", async () => {
    const { calls } = stores();
    for (const [operationId, repeatable] of [
      ["a", false],
      ["b", true],
    ] as const) {
      const [entryId = ""] = await handedOut(stores(), operationId);
      const request = claimOf({ operationId, repeatable, entryId });
      await calls.claim({ ...request, leaseMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, 10));
      const again = await calls.claim({ ...request, token: "t2" });
      expect(again).toEqual(repeatable ? { kind: "claimed" } : { kind: "terminal", status: "indeterminate", body: '{"error":{}}' });
      expect(await calls.finish(finishOf({ operationId, entryId }))).toBe("lost");
    }
  });

  it("two workers that claim at once: one has it", async () => {
    const { calls } = stores();
    const entries = await handedOut(stores(), ...Array.from({ length: 20 }, (_, index) => `o${index}`));
    const claims = await Promise.all(entries.map((entryId, index) => calls.claim(claimOf({ token: `t${index}`, entryId }))));
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === "in_progress")).toHaveLength(19);
  });

  it("a publication is added once, a full stream takes no more, and an entry is settled once", async () => {
    const { front, calls } = stores();
    await calls.prepare();
    await calls.prepare();
    expect(await front.publish(publication("o1"))).toBe("published");
    expect(await front.publish(publication("o1"))).toBe("known");
    expect(await front.publish({ ...publication("o1"), proof: "q" })).toBe("conflict");
    expect(await front.publish(publication("o2", 1))).toBe("busy");
    expect(await calls.proof("o1")).toBe("p");
    expect(await calls.proof("o2")).toBe(undefined);
    const [entry] = await calls.readNew("w1", { count: 5, waitMs: 100 });
    if (entry === undefined) throw new Error("no entry");
    expect(Buffer.from(entry.data ?? []).toString()).toBe('{"n":"o1"}');
    expect(await calls.readNew("w1", { count: 5, waitMs: 10 })).toEqual([]);
    expect(await calls.deliveries(entry.id)).toBe(1);
    expect(await calls.readOwn("w2", { after: "0", count: 5 })).toEqual([]);
    expect(await calls.readOwn("w1", { after: "0", count: 5 })).toHaveLength(1);
    expect((await calls.takeOver("w2", { from: "0-0", count: 5, idleMs: 60_000 })).entries).toEqual([]);
    expect((await calls.takeOver("w2", { from: "0-0", count: 5, idleMs: 0 })).entries).toHaveLength(1);
    expect(await calls.deliveries(entry.id)).toBe(3);
    expect(await calls.depths()).toEqual({ calls: 1, deadLetters: 0 });
    const lane = "sg:tools:reply:l";
    const settlement = { entryId: entry.id, reply: { lane, data: "reply", ttl: 60 }, letter: ["error", "x"] };
    expect(await calls.settle(settlement)).toBe("settled");
    expect(await calls.settle(settlement)).toBe("gone");
    const replies = await front.replies(lane, 100);
    expect(replies.map(({ data }) => Buffer.from(data ?? []).toString())).toEqual(["reply"]);
    await front.dropReplies(
      lane,
      replies.map(({ id }) => id),
    );
    expect(await front.replies(lane, 10)).toEqual([]);
    expect(await calls.depths()).toEqual({ calls: 0, deadLetters: 1 });
  });

  it("a claim and each renewal begin the idle time of their own entry anew, and of no other", async () => {
    const { calls } = stores();
    const [first = "", second = ""] = await handedOut(stores(), "o1", "o2");
    const owned = async (worker: string) => (await calls.readOwn(worker, { after: "0", count: 5 })).map(({ id }) => id);
    const held = claimOf({ worker: "w2", entryId: first });
    expect(await calls.claim(held)).toEqual({ kind: "claimed" });
    expect([await owned("w1"), await owned("w2")]).toEqual([[second], [first]]);
    expect(await calls.renew({ ...held, worker: "w3" })).toBe(true);
    expect([await owned("w2"), await owned("w3")]).toEqual([[], [first]]);
    // The next pending entry is not taken in place of one that is gone.
    await calls.settle({ entryId: first });
    expect(await calls.renew({ ...held, worker: "w4" })).toBe(true);
    expect([await owned("w1"), await owned("w4")]).toEqual([[second], []]);
  });

  it("a call whose entry was settled elsewhere meanwhile is not begun: it was answered", async () => {
    const { calls } = stores();
    const [entryId = ""] = await handedOut(stores(), "o1");
    // The first worker stands still; another one finds the entry handed out too often.
    await calls.takeOver("w2", { from: "0-0", count: 5, idleMs: 0 });
    expect(await calls.claim(claimOf({ worker: "w2", entryId, exhausted: true }))).toEqual({ kind: "exhausted" });
    const reply = { lane: "sg:tools:reply:l", data: "deliveries_exhausted", ttl: 60 };
    expect(await calls.settle({ entryId, reply, letter: ["error", "deliveries_exhausted"] })).toBe("settled");
    expect(await calls.claim(claimOf({ entryId }))).toEqual({ kind: "gone" });
    expect(await calls.claim(claimOf({ entryId: "2-2" }))).toEqual({ kind: "gone" });
    // Nothing stands in the ledger: a replay of the dead letter may begin it.
    expect(await calls.claim(claimOf({ entryId, requireExisting: true }))).toEqual({ kind: "stale" });
  });

  it("a result, its reply and the end of its entry are one step, and a repetition does it once", async () => {
    const { front, calls } = stores();
    const [entryId = ""] = await handedOut(stores(), "o1");
    await calls.claim(claimOf({ entryId }));
    expect(await calls.finish(finishOf({ entryId, token: "t2" }))).toBe("lost");
    expect(await calls.deliveries(entryId)).toBe(1);
    expect(await calls.finish(finishOf({ entryId }))).toBe("settled");
    expect(await calls.finish(finishOf({ entryId }))).toBe("gone");
    expect(await front.replies("sg:tools:reply:l", 100)).toHaveLength(1);
    expect(await calls.depths()).toEqual({ calls: 0, deadLetters: 0 });
  });

  it("[002-shared] front and worker together: calls are answered, with the horizon's one lifetime", async () => {
    const parts = { keys: keysOf(), sessions: stores().sessions, proofKey: "key" };
    const horizon = {
      turnCheckpointTtl: 20,
      executionLease: 5,
      claimMinIdle: 60,
      claimSweep: 1,
      maxDeliveries: 3,
      maxExec: 30,
      proofTtl: 400,
    };
    const seen: unknown[] = [];
    const worker = startWorker({
      ...parts,
      calls: stores().calls,
      horizon,
      name: `w-${randomUUID()}`,
      atOnce: 4,
      isRepeatable: () => false,
      execute: async (call) => (
        seen.push([call.tool, call.args, call.identity]),
        { status: "ok", result: { content: [], n: call.args["n"] ?? null } }
      ),
      note: () => undefined,
    });
    onTestFinished(() => worker.drain());
    const options: FrontOptions = { ...parts, store: stores().front, proofTtl: horizon.proofTtl, laneId: "front", limit: 100 };
    const front = createFront(options);
    const identity = { user_id: "u", platform: "p" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        front.call({ tool: "tool", args: { n }, identity, context: {}, signal: new AbortController().signal }),
      ),
    );
    expect(answers.map((answer) => (answer.kind === "reply" ? answer.reply.result?.["n"] : answer.why))).toEqual([...Array(20).keys()]);
    expect(seen).toHaveLength(20);
    // Another key: everything that this front sends is refused.
    const stranger = createFront({ ...options, proofKey: "another", laneId: "stranger" });
    const refused = await stranger.call({ tool: "tool", args: {}, identity, context: {}, signal: new AbortController().signal });
    expect(refused).toMatchObject({ kind: "reply", reply: { status: "error", error: { code: "proof_invalid" } } });
    front.close();
    stranger.close();
  });
}

describe("stores in memory", () => {
  let stores: Stores;
  beforeEach(() => {
    const { front, calls } = createMemoryCalls();
    stores = { front, calls, sessions: createMemoryStore() };
  });
  contract(() => stores);
});

describe.skipIf(!haveRedis)("stores in Redis", () => {
  let server: RedisServer;
  let client: TestClient;
  let connections: readonly [Connection, Connection, Connection];
  let stores: Stores;
  beforeAll(async () => {
    server = await startRedis();
    client = await clientOf(server.url());
    connections = [openConnection(server.url()), openConnection(server.url()), openConnection(server.url())];
    const [commands, reading, waiting] = connections;
    const keys = keysOf();
    stores = {
      front: redisFront(keys, commands.send, reading.send),
      calls: redisCalls(keys, commands.send, waiting.send),
      sessions: redisSessions(commands.send),
    };
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    client.destroy();
    await server.stop();
  });
  beforeEach(() => client.flushAll());
  contract(() => stores);
});

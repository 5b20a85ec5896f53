import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openConnection } from "../../src/redis/connection.ts";
import type { Connection } from "../../src/redis/connection.ts";
import { redisSessionState } from "../../src/redis/session-state.ts";
import { openSharedSessions } from "../../src/redis/shared-state.ts";
import { stateKeys } from "../../src/redis/state-keys.ts";
import type { SharedEntry, SharedSessionStore, SharedSettlement, SharedTerms } from "../../src/session/shared-store.ts";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";

const TERMS: SharedTerms = { lifetimeMs: 60_000, rules: {} };
const keys = stateKeys("t");
const NAMES = [keys.identity("s"), keys.switching("s"), keys.usage("s"), keys.recent("s"), keys.running("s")];

const entryOf = (change: Partial<SharedEntry> = {}): SharedEntry => ({
  token: randomUUID(),
  tool: "run_shell",
  as: "call",
  mark: "m1",
  label: null,
  ...change,
});

describe.skipIf(!haveRedis)("a session that fronts share, in Redis", () => {
  let server: RedisServer;
  let client: TestClient;
  const links: Connection[] = [];
  beforeAll(async () => {
    server = await startRedis();
    client = await clientOf(server.url());
  });
  afterAll(async () => {
    for (const link of links) link.close();
    await client.close();
    await server.stop();
  });
  beforeEach(async () => void (await client.flushAll()));

  /** One front: a connection of its own to the same session. */
  function front(terms: Partial<SharedTerms> = {}): SharedSessionStore {
    const link = openConnection(server.url());
    links.push(link);
    return redisSessionState(link.send, { keys, id: "s", terms: { ...TERMS, ...terms } });
  }

  /** Enters with a call, settles it, and says what came of it. */
  async function step(store: SharedSessionStore, change: Partial<SharedSettlement>, entry: Partial<SharedEntry> = {}) {
    const asked = entryOf(entry);
    const moment = await store.enter(asked);
    const settlement = { token: asked.token, stamp: moment.stamp, rearms: false, mutates: false, runs: true, denied: false, ...change };
    return { moment, token: asked.token, word: await store.settle(settlement) };
  }

  it("begins armed and with nothing counted; what one front confirms counts on the other", async () => {
    const [a, b] = [front(), front()];
    const first = await a.enter(entryOf());
    expect(first).toMatchObject({ confirmed: false, profile: null, quiet: true });
    expect(first.stamp.epoch).toBe(0);
    expect(first.usage).toEqual({ calls: 0, tool_calls: 0, calls_last_minute: 0, running: 0, denied: 0, elapsed_seconds: 0 });
    expect(await a.confirm(first.stamp, "Erik")).toBe(true);
    const second = await b.enter(entryOf());
    expect(second).toMatchObject({ confirmed: true, profile: "Erik", stamp: first.stamp });
    expect(second.usage).toMatchObject({ calls: 1, tool_calls: 1, calls_last_minute: 1, running: 1 });
    expect((await b.enter(entryOf({ tool: "other" }))).usage).toMatchObject({ calls: 2, tool_calls: 0 });
  });

  it("a switch on one front arms the other, and what was judged before it is judged again", async () => {
    const [a, b] = [front(), front()];
    const begun = await a.enter(entryOf());
    await a.confirm(begun.stamp, null);
    const judged = entryOf();
    const moment = await a.enter(judged);
    expect(moment.confirmed).toBe(true);
    const change = await step(b, { rearms: true });
    const settlement = { token: judged.token, stamp: moment.stamp, rearms: false, mutates: true, runs: true, denied: false };
    expect(await a.settle(settlement)).toBe("moved");
    expect(await a.confirm(moment.stamp, null)).toBe(false);
    expect(await a.enter(entryOf())).toMatchObject({ confirmed: false, quiet: false, stamp: { epoch: 1 } });
    await b.release(change.token, "m1");
    expect(await a.enter(entryOf())).toMatchObject({ quiet: true });
  });

  it("another mark of the active profile arms the gate, except while a switch runs, whose own change it is", async () => {
    const [a, b] = [front(), front()];
    const { stamp } = await a.enter(entryOf());
    await a.confirm(stamp, "Erik");
    expect(await b.enter(entryOf({ mark: "m2" }))).toMatchObject({ confirmed: false, stamp: { epoch: 1 } });
    expect(await a.enter(entryOf())).toMatchObject({ confirmed: false, stamp: { epoch: 2 } });
    const change = await step(a, { rearms: true });
    expect((await b.enter(entryOf({ mark: "m3" }))).stamp.epoch).toBe(3);
    await a.release(change.token, "m3");
    expect((await b.enter(entryOf({ mark: "m3" }))).stamp.epoch).toBe(3);
  });

  it.each([
    ["bound to the profile", { bindProfile: true }, { label: "Erika" }],
    ["too old", { maxAgeMs: 1 }, {}],
  ] as const)("a confirmation that is %s ends", async (_name, rules, entry) => {
    const [a, b] = [front({ rules }), front({ rules })];
    const { stamp } = await a.enter(entryOf({ label: "Erik" }));
    await a.confirm(stamp, "Erik");
    await client.hSet(keys.identity("s"), "at", "1");
    expect(await b.enter(entryOf({ label: "Erik", ...entry }))).toMatchObject({ confirmed: false, stamp: { epoch: 1 } });
  });

  it("a confirmation for so many mutations is for no more, however many are judged at once", async () => {
    const terms = { rules: { maxMutations: 3 } };
    const [a, b] = [front(terms), front(terms)];
    const { stamp } = await a.enter(entryOf());
    await a.confirm(stamp, null);
    const judged = await Promise.all(
      Array.from({ length: 8 }, async (_each, index) => {
        const [store, entry] = [index % 2 === 0 ? a : b, entryOf()];
        return { store, entry, moment: await store.enter(entry) };
      }),
    );
    expect(judged.every(({ moment }) => moment.confirmed)).toBe(true);
    const words = await Promise.all(
      judged.map(({ store, entry, moment }) =>
        store.settle({ token: entry.token, stamp: moment.stamp, rearms: false, mutates: true, runs: true, denied: false }),
      ),
    );
    expect(words.filter((word) => word === "settled")).toHaveLength(3);
    expect(await a.enter(entryOf())).toMatchObject({ confirmed: false });
  });

  it("of calls that come at once each sees those before it: no count is given twice", async () => {
    const [a, b] = [front(), front()];
    const moments = await Promise.all(Array.from({ length: 60 }, (_each, index) => (index % 2 === 0 ? a : b).enter(entryOf())));
    const numbers = (name: "calls" | "calls_last_minute" | "running") => moments.map(({ usage }) => usage[name]).toSorted((x, y) => x - y);
    const expected = Array.from({ length: 60 }, (_each, index) => index);
    expect([numbers("calls"), numbers("calls_last_minute"), numbers("running")]).toEqual([expected, expected, expected]);
  });

  it("calls of the last minute and calls that run leave by Redis's clock", async () => {
    const a = front();
    await a.enter(entryOf({ token: "old" }));
    await a.enter(entryOf({ token: "new" }));
    const now = Number((await client.sendCommand<string[]>(["TIME"]))[0]) * 1_000;
    await client.zAdd(keys.recent("s"), { value: "old", score: now - 60_001 });
    await client.zAdd(keys.running("s"), { value: "old", score: now - 1 });
    expect((await a.enter(entryOf())).usage).toMatchObject({ calls: 2, calls_last_minute: 1, running: 1 });
  });

  it("calls that are kept go on to run, those that are released do not", async () => {
    const a = front();
    await a.enter(entryOf({ token: "x" }));
    await client.zAdd(keys.running("s"), { value: "x", score: 1 });
    await a.keep([{ token: "x", running: true, switching: true }]);
    expect(await a.enter(entryOf({ token: "y" }))).toMatchObject({ quiet: false, usage: { running: 1 } });
    await a.release("x", "m1");
    await a.release("y", "m1");
    expect(await a.enter(entryOf())).toMatchObject({ quiet: true, usage: { running: 0 } });
  });

  it("a refusal is counted, and its call no longer runs", async () => {
    const [a, b] = [front(), front()];
    await step(a, { runs: false, denied: true });
    await b.countDenied();
    expect((await b.enter(entryOf())).usage).toMatchObject({ calls: 1, running: 0, denied: 2 });
  });

  it("ten thousand names have a counter each, all others share one", async () => {
    const a = front();
    await a.enter(entryOf({ tool: "first" }));
    await client.hSet(keys.usage("s"), "names", "10000");
    expect((await a.enter(entryOf({ tool: "late" }))).usage.tool_calls).toBe(0);
    expect((await a.enter(entryOf({ tool: "later" }))).usage.tool_calls).toBe(1);
    expect((await a.enter(entryOf({ tool: "first" }))).usage.tool_calls).toBe(1);
  });

  it("a state that was lost is another one: what was judged with the first has moved", async () => {
    const a = front();
    const entry = entryOf();
    const { stamp } = await a.enter(entry);
    await client.flushAll();
    expect(await a.settle({ token: entry.token, stamp, rearms: false, mutates: true, runs: true, denied: false })).toBe("moved");
    const again = await a.enter(entryOf());
    expect([again.stamp.epoch, again.stamp.generation === stamp.generation]).toEqual([0, false]);
  });

  it("whatever it leaves behind ends by itself", async () => {
    const a = front();
    const change = await step(a, { rearms: true });
    await step(a, { runs: false, denied: true });
    const { stamp } = await a.enter(entryOf());
    await a.confirm(stamp, "Erik");
    await a.keep([{ token: change.token, running: true, switching: true }]);
    const found = await client.keys("*");
    expect(found.toSorted()).toEqual(NAMES.toSorted());
    for (const name of found) expect(await client.pTTL(name)).toBeGreaterThan(0);
    expect(await client.pTTL(keys.identity("s"))).toBeLessThanOrEqual(60_000);
  });

  it("no name and no value tells whose session it is or what it called", async () => {
    const a = front();
    await a.enter(entryOf({ tool: "very_telling" }));
    const fields = await client.hGetAll(keys.usage("s"));
    expect(JSON.stringify(fields)).not.toContain("telling");
  });

  const garbage: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["a text in place of the state", () => client.set(keys.identity("s"), "x")],
    ["a state without a generation", () => client.hSet(keys.identity("s"), { epoch: "0", confirmed: "1" })],
    ["an epoch that is no number", () => client.hSet(keys.identity("s"), "epoch", "many")],
    ["an epoch with a sign", () => client.hSet(keys.identity("s"), "epoch", "-1")],
    ["a confirmation that is neither", () => client.hSet(keys.identity("s"), "confirmed", "yes")],
    ["a confirmation of nobody", () => client.hSet(keys.identity("s"), { confirmed: "1", at: "1", mutations: "0" })],
    ["a confirmation without a time", () => client.hSet(keys.identity("s"), { confirmed: "1", profile: "null", mutations: "0" })],
    ["a label that is none", () => client.hSet(keys.identity("s"), { confirmed: "1", profile: "[1]", at: "1", mutations: "0" })],
    ["a counter that is no number", () => client.hSet(keys.usage("s"), "calls", "1e3")],
    ["a counter of refusals that is no number", () => client.hSet(keys.usage("s"), "denied", "")],
    ["a text in place of the counters", () => client.set(keys.usage("s"), "x")],
    ["counters without a beginning", () => client.hDel(keys.usage("s"), "started")],
    ["a text in place of what runs", () => client.set(keys.running("s"), "x")],
    ["a text in place of the last minute", () => client.set(keys.recent("s"), "x")],
    ["a list in place of the switches", () => client.lPush(keys.switching("s"), "x")],
  ];
  it.each(garbage)("%s is an error, not a guess", async (_name, spoil) => {
    const a = front();
    await a.enter(entryOf());
    if (_name === "a state without a generation") await client.del(keys.identity("s"));
    await spoil();
    await expect(a.enter(entryOf())).rejects.toThrow(/^Redis refused a command|^the store gave an unexpected answer/);
  });

  it("in a cluster its steps need a prefix that is a hash tag", async () => {
    const cluster = await startRedis({ cluster: true });
    const other = await clientOf(cluster.url());
    await other.sendCommand(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    await expect.poll(() => other.sendCommand(["CLUSTER", "INFO"])).toContain("cluster_state:ok");
    const [tagged, plain] = ["{t}", "t"].map((prefix) => openSharedSessions({ url: cluster.url(), prefix }));
    await step(tagged?.session("s", TERMS) ?? expect.unreachable(), { rearms: true });
    await expect(plain?.session("s", TERMS).enter(entryOf())).rejects.toThrow("CROSSSLOT");
    for (const sessions of [tagged, plain]) sessions?.close();
    other.destroy();
    await cluster.stop();
  });

  it("is refused where Redis cannot be reached, and goes on when it can be again", async () => {
    const other = await startRedis();
    const shared = openSharedSessions({ url: other.url(), prefix: "t" });
    const store = shared.session("s", TERMS);
    await store.enter(entryOf());
    await other.kill();
    await expect(store.enter(entryOf())).rejects.toThrow("Redis");
    await other.start();
    expect((await store.enter(entryOf())).usage.calls).toBe(0);
    shared.close();
    await expect(store.enter(entryOf())).rejects.toThrow("closed");
    await other.stop();
  });
});

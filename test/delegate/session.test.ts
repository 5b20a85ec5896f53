import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DelegateError, ToolSessionConflict } from "../../src/delegate/delegate-error.ts";
import { createMemoryStore } from "../../src/delegate/memory-store.ts";
import { readSession, toolSessionFaults, writeSession } from "../../src/delegate/session.ts";
import { clientOf, freePort, haveRedis, startRedis } from "./redis-kit.ts";
import type { RedisServer, TestClient } from "./redis-kit.ts";

const ERIKA = { user_id: "1234567890123456789", platform: "discord", guild_id: "7", user_aliases: ["x", "y"] };
const ADMIN = { user_id: "1", platform: "discord" };
const quiet = { report: () => undefined };
const code = (wanted: string) => expect.objectContaining({ code: wanted });

type Store = Parameters<typeof writeSession>[0];

/** The same promises hold for both stores. */
function contract(storeOf: () => Store): void {
  it("[002-write] [002-read] a written identity is read back, frozen and in its normal form", async () => {
    await writeSession(storeOf(), "t1", { ...ERIKA, user_aliases: ["y", "x", "y"], channel_id: null });
    const read = await readSession(storeOf(), "t1");
    expect(read).toEqual(ERIKA);
    expect(Object.isFrozen(read) && Object.isFrozen(read?.user_aliases)).toBe(true);
  });

  it("[002-unknown-trace] an unknown, empty or odd trace has no identity", async () => {
    for (const trace of ["unknown", "", undefined, null, 7, {}, "\ud800"] as string[]) {
      for (const strict of [true, false]) expect(await readSession(storeOf(), trace, { strict })).toBe(null);
    }
  });

  it("[002-write-empty] an empty trace is a no-op in both modes", async () => {
    for (const strict of [true, false]) expect(await writeSession(storeOf(), "", ERIKA, { strict })).toBe(undefined);
    for (const trace of [7, {}, true, ["t"]] as unknown as string[]) {
      await expect(writeSession(storeOf(), trace, ERIKA)).rejects.toThrow(code("session_invalid"));
    }
  });

  it("[002-conflict] another identity is a conflict in both modes, and the record stays", async () => {
    await writeSession(storeOf(), "t1", ERIKA);
    const others = [
      ADMIN,
      { ...ERIKA, platform: "matrix" },
      { ...ERIKA, user_aliases: ["x"] },
      { ...ERIKA, user_aliases: ["x", "y", "z"] },
      { ...ERIKA, guild_id: null },
    ];
    for (const other of others) {
      for (const strict of [true, false]) {
        await expect(writeSession(storeOf(), "t1", other, { strict })).rejects.toThrow(ToolSessionConflict);
      }
    }
    expect(await readSession(storeOf(), "t1")).toEqual(ERIKA);
  });

  it("of 100 concurrent writers of two identities exactly one identity wins", async () => {
    const writes = Array.from({ length: 100 }, (_, index) =>
      writeSession(storeOf(), "race", index % 2 === 0 ? ERIKA : ADMIN, { strict: true }),
    );
    const ends = await Promise.allSettled(writes);
    const winner = await readSession(storeOf(), "race");
    const losers = ends.filter((end, index) => end.status === "rejected" && (winner?.user_id === "1") === (index % 2 === 0));
    expect(losers).toHaveLength(50);
    for (const end of ends) if (end.status === "rejected") expect(end.reason).toBeInstanceOf(ToolSessionConflict);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(50);
  });

  it("refuses bad identities and lifetimes in both modes", async () => {
    const identities = [
      { ...ERIKA, user_id: 7 },
      { ...ERIKA, user_id: "" },
      { ...ERIKA, platform: undefined },
      { ...ERIKA, role: "admin" },
      { ...ERIKA, guild_id: 7 },
      { ...ERIKA, user_aliases: "x" },
      { ...ERIKA, user_aliases: ["x", 7] },
      { ...ERIKA, user_id: "\ud800" },
      JSON.parse('{"user_id":"1","platform":"d","__proto__":{}}') as object,
      null,
      "x",
    ] as unknown as (typeof ERIKA)[];
    for (const strict of [true, false]) {
      for (const identity of identities) {
        await expect(writeSession(storeOf(), "bad", identity, { strict })).rejects.toThrow(code("session_invalid"));
      }
      for (const ttl of [0, -1, 1.5, NaN, Infinity, "300", null, true, 604_801] as number[]) {
        await expect(writeSession(storeOf(), "bad", ERIKA, { strict, ttl })).rejects.toThrow(code("session_invalid"));
      }
    }
    expect(await readSession(storeOf(), "bad")).toBe(null);
  });
}

describe("session records in memory", () => {
  let store = createMemoryStore();
  beforeEach(() => {
    store = createMemoryStore();
  });
  contract(() => store);

  it("a record ends with its lifetime, which only grows", async () => {
    let time = 0;
    const timed = createMemoryStore({ now: () => time });
    await writeSession(timed, "t", ERIKA, { ttl: 100 });
    await writeSession(timed, "t", ERIKA, { ttl: 10 });
    time = 50_000;
    expect(await readSession(timed, "t")).toEqual(ERIKA);
    await writeSession(timed, "t", ERIKA, { ttl: 100 });
    time = 149_999;
    expect(await readSession(timed, "t")).toEqual(ERIKA);
    time = 150_000;
    expect(await readSession(timed, "t", { strict: true })).toBe(null);
    await writeSession(timed, "t", ADMIN);
  });

  it("a full store fails like one that cannot be reached", async () => {
    const small = createMemoryStore({ maxRecords: 1 });
    await writeSession(small, "a", ERIKA);
    await expect(writeSession(small, "b", ERIKA, { strict: true })).rejects.toThrow(code("store_unavailable"));
    await writeSession(small, "b", ERIKA, quiet);
    expect(await readSession(small, "b")).toBe(null);
  });
});

describe.skipIf(!haveRedis)("session records in Redis", () => {
  let server: RedisServer;
  let client: TestClient;
  beforeAll(async () => {
    server = await startRedis();
    client = await clientOf(server.url());
  });
  afterAll(async () => {
    client.destroy();
    await server.stop();
  });
  beforeEach(() => client.flushAll());
  contract(() => client);

  it("[002-record] the record is canonical JSON under the key of its trace, with a lifetime of 300 s", async () => {
    await writeSession(client, "t1", { ...ERIKA, user_aliases: ["y", "x"], channel_id: null });
    expect(await client.get("sg:tools:session:t1")).toBe(
      '{"guild_id":"7","platform":"discord","user_aliases":["x","y"],"user_id":"1234567890123456789"}',
    );
    expect(await client.ttl("sg:tools:session:t1")).toBeGreaterThan(250);
    expect(await client.ttl("sg:tools:session:t1")).toBeLessThanOrEqual(300);
  });

  it("[002-conflict] the same identity never shortens the lifetime, another one does not touch it", async () => {
    await writeSession(client, "t", ERIKA, { ttl: 1_000 });
    await writeSession(client, "t", ERIKA, { ttl: 10 });
    expect(await client.ttl("sg:tools:session:t")).toBeGreaterThan(900);
    await writeSession(client, "t", ERIKA, { ttl: 2_000 });
    expect(await client.ttl("sg:tools:session:t")).toBeGreaterThan(1_900);
    await expect(writeSession(client, "t", ADMIN, { ttl: 5_000 })).rejects.toThrow(ToolSessionConflict);
    expect(await client.ttl("sg:tools:session:t")).toBeLessThanOrEqual(2_000);
    await client.persist("sg:tools:session:t");
    await writeSession(client, "t", ERIKA, { ttl: 5 });
    expect(await client.ttl("sg:tools:session:t")).toBe(-1);
  });

  it("[002-unknown-trace] a record that has expired is none", async () => {
    await writeSession(client, "t", ERIKA, { ttl: 1 });
    await expect.poll(() => readSession(client, "t")).toBe(null);
  });

  it("the same identity in other bytes is kept and lives on", async () => {
    await client.set("sg:tools:session:t", ' {"user_id":"1", "platform":"discord", "guild_id":null}', { EX: 5 });
    await writeSession(client, "t", ADMIN, { ttl: 500, strict: true });
    expect(await client.ttl("sg:tools:session:t")).toBeGreaterThan(400);
    expect(await readSession(client, "t", { strict: true })).toEqual(ADMIN);
  });

  const undecodable: readonly (readonly [string, string | Buffer])[] = [
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["UTF-8 only inside a string is broken", Buffer.from('{"platform":"d","user_id":"\xe2\x82"}', "latin1")],
    ["not JSON", "{"],
    ["two values", '{"user_id":"1","platform":"d"} {}'],
    ["a list", "[]"],
    ["a key twice", '{"user_id":"1","user_id":"1","platform":"d"}'],
    ["a further field", '{"user_id":"1","platform":"d","admin":true}'],
    ["a number as id", '{"user_id":1,"platform":"d"}'],
    ["a missing field", '{"user_id":"1"}'],
  ];

  it.each(undecodable)("a record that is %s is none, and is not written over", async (_name, bytes) => {
    await client.set("sg:tools:session:t", bytes);
    await expect(readSession(client, "t", { strict: true })).rejects.toThrow(code("session_invalid"));
    const before = { ...toolSessionFaults };
    expect(await readSession(client, "t", quiet)).toBe(null);
    await writeSession(client, "t", ERIKA, quiet);
    expect(toolSessionFaults).toEqual({ read: before.read + 1, write: before.write + 1 });
    const strict = writeSession(client, "t", ERIKA, { strict: true });
    await expect(strict).rejects.toThrow(code("session_invalid"));
    await expect(strict).rejects.not.toThrow(ToolSessionConflict);
    expect(await client.sendCommand(["GET", "sg:tools:session:t"], { typeMapping: { 36: Buffer } })).toEqual(Buffer.from(bytes));
  });

  it("a key of another type is a store error", async () => {
    await client.lPush("sg:tools:session:t", "x");
    for (const action of [readSession(client, "t", { strict: true }), writeSession(client, "t", ERIKA, { strict: true })]) {
      await expect(action).rejects.toBeInstanceOf(DelegateError);
    }
    expect(await readSession(client, "t", quiet)).toBe(null);
  });

  it("an outage is visible in strict mode, reported in the other, and not waited for until it ends", { timeout: 60_000 }, async () => {
    const closed = await clientOf(server.url());
    closed.destroy();
    const lost = await startRedis();
    const waiting = await clientOf(lost.url());
    await lost.stop();
    await freePort();
    for (const down of [closed, waiting]) {
      const reports: unknown[] = [];
      const report = (problem: unknown): void => void reports.push(problem);
      const [strictRead, strictWrite, read] = await Promise.all([
        readSession(down, "t", { strict: true }).catch((error: unknown) => error),
        writeSession(down, "t", ERIKA, { strict: true }).catch((error: unknown) => error),
        readSession(down, "t", { report }),
        writeSession(down, "t", ERIKA, { report }),
        expect(writeSession(down, "t", { ...ERIKA, user_id: "" })).rejects.toThrow(code("session_invalid")),
      ]);
      expect([strictRead, strictWrite]).toEqual([code("store_unavailable"), code("store_unavailable")]);
      expect(read).toBe(null);
      expect(reports).toHaveLength(2);
    }
    waiting.destroy();
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadLetters, replayDeadLetter } from "../../src/delegate/dead-letters.ts";
import { keysOf } from "../../src/delegate/keys.ts";
import { openConnection, type Connection } from "../../src/redis/connection.ts";
import type { Send } from "../../src/redis/send.ts";
import { clientOf, haveRedis, startRedis, type RedisServer, type TestClient } from "./redis-kit.ts";

describe.skipIf(!haveRedis)("dead letters", () => {
  const keys = keysOf();
  let server: RedisServer;
  let client: TestClient;
  let connection: Connection;
  beforeAll(async () => {
    server = await startRedis();
    client = await clientOf(server.url());
    connection = openConnection(server.url());
  });
  afterAll(async () => {
    connection.close();
    client.destroy();
    await server.stop();
  });

  it("are listed to the last one, oldest first, a bounded number at a time", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) ids.push(await client.xAdd(keys.deadLetters, "*", { operation_id: `o${n}`, data: "{}", error: "x" }));
    const pages: number[] = [];
    const send: Send = async (args) => {
      const reply = await connection.send(args);
      pages.push((reply as unknown[]).length);
      return reply;
    };
    const listed: string[] = [];
    for await (const { id } of deadLetters(keys, send)) listed.push(id);
    expect(listed).toEqual(ids);
    expect(Math.max(...pages)).toBe(16);
  });

  it("a letter is replayed once, also by operators who do it at the same moment", async () => {
    await client.flushAll();
    await client.set(keys.proof("o"), "p", { EX: 60 });
    const id = await client.xAdd(keys.deadLetters, "*", { operation_id: "o", data: "{}", error: "x" });
    const done = await Promise.all(Array.from({ length: 5 }, () => replayDeadLetter(keys, connection.send, id)));
    expect(done.map(({ kind }) => kind).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([...Array(4).fill("no_letter"), "replayed"]);
    expect(await client.xLen(keys.stream)).toBe(1);
  });
});

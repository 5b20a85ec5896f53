import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSharedSessions } from "../../src/redis/shared-state.ts";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { idOf, newStore, removeStores } from "../govern/approval-kit.ts";
import { openFronts, useOf } from "./approval-kit.ts";

const ID = "0".repeat(32);
const NAMES = "sg:state:approval";

describe.skipIf(!haveRedis)("users of shared state", () => {
  let server: RedisServer;
  const urlOf = (user: string): string => server.url(user, `change-me-${user}`);
  beforeAll(async () => {
    const file = join(newStore().keysDir, "..", "users.acl");
    writeFileSync(file, readFileSync("deploy/regate.acl", "utf8") + readFileSync("deploy/state.users", "utf8"));
    server = await startRedis({ aclFile: file });
  });
  afterAll(async () => {
    await server.stop();
    removeStores();
  });

  it("a front and an operator can do all that they have to", async () => {
    const { front } = openFronts(urlOf("state"), "sg");
    const [a, b, operator] = [front(), front(), front({ url: urlOf("approver") })];
    const id = idOf(await a.ask());
    expect((await operator.store.list()).map(({ record }) => record.id)).toEqual([id]);
    expect((await operator.decide(id)).state).toBe("approved");
    const use = useOf(await b.ask());
    expect(await use.begin()).toBeUndefined();
    expect(await operator.stateOf(id)).toBe("executing");
    await use.end("done");
    expect(await operator.stateOf(id)).toBe("done");
    expect(await a.ask()).toEqual({ kind: "used", id });
    let told = 0;
    const end = operator.store.watch(() => (told += 1));
    await expect.poll(() => told).toBe(1);
    end();
  });

  it("a front can keep the state of its sessions", async () => {
    const sessions = openSharedSessions({ url: urlOf("state"), prefix: "sg" });
    const store = sessions.session("s", { lifetimeMs: 60_000, rules: {} });
    const token = "t";
    const { stamp } = await store.enter({ token, tool: "work", as: "call", mark: "m", label: null });
    expect(await store.settle({ token, stamp, rearms: true, mutates: false, runs: true, denied: false })).toBe("settled");
    await store.keep([{ token, running: true, switching: true }]);
    await store.release(token, "m");
    const now = await store.enter({ token, tool: "read", as: "call", mark: "m", label: null });
    expect(await store.confirm(now.stamp, null)).toBe(true);
    await store.countDenied();
    sessions.close();
  });

  it.each([
    ["approver", ["SET", `${NAMES}:open:x`, ID]],
    ["approver", ["SET", `${NAMES}:front:${ID}`, "1"]],
    ["approver", ["ZADD", `${NAMES}:all`, "1", ID]],
    ["approver", ["DEL", `${NAMES}:request:${ID}`]],
    ["approver", ["HSET", "sg:state:identity:x", "epoch", "0"]],
    ["approver", ["HGETALL", "sg:state:identity:x"]],
    ["approver", ["EVAL", "return redis.call('HSET', 'sg:state:identity:x', 'epoch', '0')", "0"]],
    ["state", ["SET", "sg:tools:session:x", "{}"]],
    ["state", ["XADD", "sg:stream:tools", "*", "data", "x"]],
    ["state", ["FLUSHALL"]],
    ["state", ["CONFIG", "GET", "*"]],
    ["producer", ["HSET", `${NAMES}:request:${ID}`, "used", "{}"]],
    ["producer", ["SET", `${NAMES}:open:x`, ID]],
    ["worker", ["HSET", `${NAMES}:request:${ID}`, "used", "{}"]],
    ["worker", ["EVAL", `return redis.call('HDEL', '${NAMES}:request:${ID}', 'used')`, "0"]],
    ["observer", ["HGETALL", `${NAMES}:request:${ID}`]],
  ])("%s may not %j", async (user, command) => {
    const client: TestClient = await clientOf(urlOf(user));
    await expect(client.sendCommand([...command])).rejects.toThrow(/NOPERM|the user executing the script can't/i);
    client.destroy();
  });
});

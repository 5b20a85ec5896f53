import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { connect } from "./client.ts";
import { regate } from "./run.ts";
import { horizonFlags, makePlace, makeProducer, startWorkerProcess } from "./worker-kit.ts";
import type { Place, WorkerProcess } from "./worker-kit.ts";

const FILE = "deploy/regate.acl";
const USERS = ["producer", "worker", "observer"] as const;
type User = (typeof USERS)[number];

let server: RedisServer;
let place: Place;
let worker: WorkerProcess;
const clients = {} as Record<User, TestClient>;
const urlOf = (user: User): string => server.url(user, `change-me-${user}`);

beforeAll(async () => {
  if (!haveRedis) return;
  server = await startRedis({ aclFile: `${process.cwd()}/${FILE}` });
  place = makePlace();
  for (const user of USERS) clients[user] = await clientOf(urlOf(user));
  worker = await startWorkerProcess(place, urlOf("worker"), { flags: ["--bundle", "tools-service"] });
});

afterAll(async () => {
  if (!haveRedis) return;
  await worker.end("SIGKILL");
  for (const user of USERS) clients[user].destroy();
  await server.stop();
  place.remove();
});

const S = "sg:stream:tools";
const G = "sg:tools";
const RECORD = "sg:tools:session:t";

/** What each user is refused, whatever the arguments. */
const REFUSED: Readonly<Record<User | "all", readonly (readonly string[])[]>> = {
  all: [
    ["FLUSHALL"],
    ["FLUSHDB"],
    ["CONFIG", "SET", "maxmemory", "1"],
    ["CONFIG", "GET", "*"],
    ["ACL", "LIST"],
    ["ACL", "WHOAMI"],
    ["ACL", "SETUSER", "x"],
    ["DEBUG", "SLEEP", "0"],
    ["MONITOR"],
    ["SHUTDOWN"],
    ["REPLICAOF", "NO", "ONE"],
    ["CLIENT", "KILL", "ID", "1"],
    ["SWAPDB", "0", "1"],
    ["MIGRATE", "127.0.0.1", "1", "x", "0", "1"],
    ["KEYS", "*"],
    ["XTRIM", S, "MAXLEN", "0"],
    ["XSETID", S, "9-9"],
    ["XGROUP", "SETID", S, G, "$"],
    ["XGROUP", "DESTROY", S, G],
    ["XGROUP", "DELCONSUMER", S, G, "x"],
    ["DEL", S],
    ["RENAME", S, "sg:x"],
    ["COPY", S, "sg:x"],
    ["EXPIRE", S, "1"],
    ["DEL", RECORD],
  ],
  producer: [
    ["XRANGE", S, "-", "+"],
    ["XREAD", "STREAMS", S, "0"],
    ["XREADGROUP", "GROUP", G, "p", "STREAMS", S, ">"],
    ["XAUTOCLAIM", S, G, "p", "0", "0"],
    ["XCLAIM", S, G, "p", "0", "1-1"],
    ["XACK", S, G, "1-1"],
    ["XDEL", S, "1-1"],
    ["XGROUP", "CREATE", S, "g2", "0"],
    ["HSET", "sg:tools:ledger:o", "state", "terminal"],
    ["HGETALL", "sg:tools:ledger:o"],
    ["XADD", "sg:tools:reply:x", "*", "data", "forged"],
    ["XADD", "sg:stream:dlq", "*", "data", "x"],
    ["SET", "other", "x"],
    ["EVAL", "return redis.call('XRANGE', KEYS[1], '-', '+')", "1", S],
    ["EVAL", "return redis.call('XDEL', KEYS[1], '1-1')", "1", S],
    ["EVAL", "return redis.call('SET', 'sg:tools:ledger:o', 'x')", "0"],
  ],
  worker: [
    ["XADD", S, "*", "data", "forged"],
    ["SET", RECORD, "{}"],
    ["GETDEL", RECORD],
    ["GETEX", RECORD, "EX", "1"],
    ["EXPIRE", RECORD, "1"],
    ["PERSIST", RECORD],
    ["APPEND", RECORD, "x"],
    ["EVAL", "return redis.call('SET', KEYS[1], '{}')", "1", RECORD],
    ["EVAL", "return redis.call('EXPIRE', KEYS[1], 1)", "1", RECORD],
    ["EVAL", "return redis.call('XADD', KEYS[1], '*', 'data', 'x')", "1", S],
    ["EVAL", "return redis.call('RENAME', KEYS[1], KEYS[2])", "2", RECORD, "sg:x"],
    ["SET", "sg:tools:proof:o", "x"],
    ["XTRIM", S, "MINID", "9"],
    ["XCLAIM", S, G, "w", "0", "1-1", "LASTID", "9-9"],
    ["XCLAIM", S, G, "w", "0", "1-1", "FORCE", "RETRYCOUNT", "9"],
    ["EVAL", "return redis.call('XCLAIM', KEYS[1], 'sg:tools', 'w', 0, '1-1', 'LASTID', '9-9')", "1", S],
    ["XRANGE", "sg:tools:reply:x", "-", "+"],
  ],
  observer: [
    ["XADD", S, "*", "data", "x"],
    ["XRANGE", S, "-", "+"],
    ["XREADGROUP", "GROUP", G, "o", "STREAMS", S, ">"],
    ["XCLAIM", S, G, "o", "0", "1-1"],
    ["XAUTOCLAIM", S, G, "o", "0", "0"],
    ["XACK", S, G, "1-1"],
    ["XDEL", S, "1-1"],
    // Both show what is in calls.
    ["XINFO", "STREAM", S],
    ["XINFO", "STREAM", S, "FULL"],
    ["GET", RECORD],
    ["SET", RECORD, "x"],
    ["XADD", "sg:stream:dlq", "*", "data", "x"],
    ["EVAL", "return 1", "0"],
  ],
};

describe.skipIf(!haveRedis)("[002-acl] the users of the ACL file", () => {
  it("nobody is the default user, and nobody lacks a password", () => {
    const text = readFileSync(FILE, "utf8");
    expect(text).toMatch(/^user default off /m);
    expect(text).not.toContain("nopass");
    expect(text).not.toMatch(/\+@all|allkeys|allcommands/);
    expect(text.trim().split("\n")).toHaveLength(4);
  });

  it("what a script has written in several steps is there again when Redis has read its append-only file", async () => {
    const durable = await startRedis({ aclFile: `${process.cwd()}/${FILE}`, appendOnly: true });
    try {
      const url = durable.url("worker", "change-me-worker");
      const before = await clientOf(url);
      const script = "redis.call('HSET', KEYS[1], 'state', 'claimed') redis.call('EXPIRE', KEYS[1], '600') return 1";
      await before.sendCommand(["EVAL", script, "1", "sg:tools:ledger:o"]);
      before.destroy();
      await durable.kill();
      await durable.start();
      const after = await clientOf(url);
      expect(await after.hmGet("sg:tools:ledger:o", "state")).toEqual(["claimed"]);
      after.destroy();
    } finally {
      await durable.stop();
    }
  });

  it("front and worker do all of their work as producer and worker", async () => {
    const session = await connect(
      ["--tools-backend", urlOf("producer"), "--proof-key-file", place.keyFile, ...horizonFlags(), "--bundle", "agent-session"],
      { HOME: place.folder },
    );
    expect(await session.call("run_shell", { command: "echo done" })).toMatchObject({ structured: { stdout: "done\n" } });
    expect(await session.call("eval_starlark", { code: "x = 2" })).toMatchObject({ structured: { result: { x: 2 } } });
    expect(await session.call("list_sessions")).toMatchObject({ isError: false });
    expect(worker.stderr()).not.toContain("store fails");
    expect(await clients.observer.sendCommand(["XLEN", S])).toBe(0);
    expect(await clients.observer.sendCommand(["XINFO", "GROUPS", S])).toHaveLength(1);
    expect(await clients.observer.sendCommand(["XPENDING", S, G])).toBeDefined();
  });

  it("[002-untrusted-envelope] a forged XADD with an admin's identity runs with the recorded identity or not at all", async () => {
    const producer = makeProducer(clients.producer, place.key);
    const claims = { user_id: "root", platform: "os", guild_id: "1" };
    const live = producer.call("echo x >> forged-live");
    await producer.send(live, claims, { user_id: "nobody", platform: "discord" });
    expect(await producer.reply(live.correlation_id)).toMatchObject({ status: "error", error: { code: "policy.denied" } });
    const keyless = producer.call("echo x >> forged-live", { trace_id: live.trace_id });
    await producer.add({ v: 1, ...keyless, ...claims, proof: randomUUID().replaceAll("-", "").repeat(2) });
    expect(await producer.reply(keyless.correlation_id)).toMatchObject({ error: { code: "proof_invalid" } });
    const unknown = producer.call("echo x >> forged-live");
    await producer.add({ v: 1, ...unknown, ...claims, proof: await producer.prove(unknown, claims) });
    expect(await producer.reply(unknown.correlation_id)).toMatchObject({ error: { code: "session_missing" } });
    expect(place.runs("forged-live")).toBe(0);
  });

  it("an operator with the user of the documentation replays a dead letter, and can do nothing else to calls", async () => {
    const [line] = /^user operator .*$/m.exec(readFileSync("docs/scale.md", "utf8")) ?? [""];
    const aclFile = `${place.folder}/operator.acl`;
    writeFileSync(aclFile, `${readFileSync(FILE, "utf8")}${line.replace(">…", ">secret")}\n`);
    const own = await startRedis({ aclFile });
    onTestFinished(() => own.stop());
    const adder = await clientOf(own.url("worker", "change-me-worker"));
    const [producer, operator] = [await clientOf(own.url("producer", "change-me-producer")), await clientOf(own.url("operator", "secret"))];
    onTestFinished(() => [adder, producer, operator].forEach((each) => each.destroy()));
    await producer.set("sg:tools:proof:o", "p", { EX: 60 });
    const id = await adder.xAdd("sg:stream:dlq", "*", { operation_id: "o", data: "{}", error: "deliveries_exhausted" });
    const dlq = (...words: string[]) => regate(["worker", "dlq", ...words, "--redis", own.url("operator", "secret")]);
    expect(JSON.parse(dlq("list").stdout)).toMatchObject({ id, replayable: true });
    expect(dlq("replay", id)).toMatchObject({ status: 0, stderr: "" });
    expect(await producer.xLen(S)).toBe(1);
    for (const words of [
      ["XRANGE", S, "-", "+"],
      ["XDEL", S, "1-1"],
      ["SET", RECORD, "x"],
      ["HSET", "sg:tools:ledger:o", "a", "b"],
    ])
      await expect(operator.sendCommand(words)).rejects.toThrow(/NOPERM/);
  });

  const rows = USERS.flatMap((user) => [...REFUSED.all, ...REFUSED[user]].map((words) => [user, words.join(" "), words] as const));
  it.each(rows)("%s is refused %s", async (user, _shown, words) => {
    await expect(clients[user].sendCommand([...words])).rejects.toThrow(/NOPERM|user executing the script can|DEBUG command not allowed/);
  });
});

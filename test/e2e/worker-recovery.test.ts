import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientOf, freePort, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { regate } from "./run.ts";
import { HORIZON, horizonFlags, makePlace, makeProducer, startWorkerProcess } from "./worker-kit.ts";
import type { Place, Producer, WorkerProcess } from "./worker-kit.ts";

const S = "sg:stream:tools";
const G = "sg:tools";

let server: RedisServer;
let client: TestClient;
let place: Place;
let producer: Producer;
const workers: WorkerProcess[] = [];

async function start(options: Parameters<typeof startWorkerProcess>[2] = {}): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(place, server.url(), options);
  workers.push(worker);
  return worker;
}

beforeEach(async () => {
  if (!haveRedis) return;
  server = await startRedis({ appendOnly: true });
  client = await clientOf(server.url());
  place = makePlace();
  producer = makeProducer(client, place.key);
});

afterEach(async () => {
  if (!haveRedis) return;
  for (const worker of workers.splice(0)) await worker.end("SIGKILL");
  client.destroy();
  await server.stop();
  place.remove();
});

const append = (marker: string): string => `echo x >> ${marker}`;
/** What is abandoned is soon taken over; only for workers that keep no lease alive beside others. */
const HASTY = { "claim-min-idle": "2" };
/** Ends when the test says so. */
const wait = (marker: string): string => `until [ -e ${marker}-go ]; do sleep 0.05; done`;
const go = (marker: string): void => writeFileSync(join(place.workdir, `${marker}-go`), "");
/** Counts as abandoned by any measure. */
const IDLE_MS = "9999999";

describe.skipIf(!haveRedis)("recovery", () => {
  it("what was published before the first worker ever started is run: the group begins at 0 (D04)", async () => {
    const call = producer.call(append("early"));
    await producer.send(call);
    await start();
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
  });

  it("a worker that is killed after it read and started again under its name settles its own entries first (D04)", async () => {
    await client.sendCommand(["XGROUP", "CREATE", S, G, "0", "MKSTREAM"]);
    const call = producer.call(append("own"));
    await producer.send(call);
    await client.sendCommand(["XREADGROUP", "GROUP", G, "w1", "COUNT", "1", "STREAMS", S, ">"]);
    const horizon = { "claim-min-idle": "500", "proof-ttl": "2000" };
    await start({ flags: ["--worker-name", "w1"], horizon });
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
    expect(place.runs("own")).toBe(1);
  });

  it("[002-recovery] a worker that is killed in the middle leaves `indeterminate`, once and for all, and the call never runs again", async () => {
    const first = await start({ horizon: HASTY });
    const call = producer.call(`${append("killed")}; sleep 20`);
    await producer.send(call);
    await expect.poll(() => place.runs("killed")).toBe(1);
    await start({ horizon: HASTY });
    await first.end("SIGKILL");
    const reply = await producer.reply(call.correlation_id);
    expect(reply).toMatchObject({ status: "indeterminate", fingerprint: producer.fingerprintOf(call), error: { code: "indeterminate" } });
    const again = { ...call, correlation_id: randomUUID() };
    await producer.send(again);
    expect((await producer.reply(again.correlation_id))["error"]).toEqual(reply["error"]);
    expect(place.runs("killed")).toBe(1);
    expect((await producer.replies()).filter(({ correlation_id: id }) => id === call.correlation_id)).toHaveLength(1);
  });

  it("a worker that is killed in the middle and started again under its name waits for the lease to end, and answers once", async () => {
    const flags = ["--worker-name", "w1"];
    const first = await start({ flags, horizon: HASTY });
    const call = producer.call(`${append("same")}; sleep 20`);
    await producer.send(call);
    await expect.poll(() => place.runs("same")).toBe(1);
    await first.end("SIGKILL");
    await start({ flags, horizon: HASTY });
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "indeterminate", error: { code: "indeterminate" } });
    await expect.poll(() => producer.left()).toBe(0);
    expect(place.runs("same")).toBe(1);
    expect(await producer.replies()).toHaveLength(1);
  });

  it("a worker runs as many commands as calls: no claimed call waits for a place", async () => {
    await start({ flags: ["--calls-at-once", "12"] });
    // Each ends only when all have begun.
    const command = `${append("all")}; until [ "$(wc -l < all)" -ge 12 ]; do sleep 0.1; done`;
    const calls = Array.from({ length: 12 }, () => producer.call(command));
    for (const call of calls) await producer.send(call);
    for (const call of calls) expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
  });

  it("a long call keeps its lease and entry while others look for abandoned ones", async () => {
    // Renewed every third of it: even a worker that gets no turn for four seconds keeps it.
    const horizon = { "claim-min-idle": "6" };
    await start({ horizon });
    await start({ horizon });
    const call = producer.call(`${append("long")}; sleep 8`);
    await producer.send(call);
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
    expect(place.runs("long")).toBe(1);
  });

  it("an entry that was delivered `max-deliveries` times becomes a dead letter with an error reply; fewer times, it runs", async () => {
    await client.sendCommand(["XGROUP", "CREATE", S, G, "0", "MKSTREAM"]);
    const [poison, good] = [producer.call(append("poison")), producer.call(append("good"))];
    const poisonId = await producer.send(poison);
    const goodId = await producer.send(good);
    await client.sendCommand(["XREADGROUP", "GROUP", G, "dead", "COUNT", "2", "STREAMS", S, ">"]);
    await client.sendCommand(["XCLAIM", S, G, "dead", "0", poisonId, "IDLE", IDLE_MS, "RETRYCOUNT", "3", "JUSTID"]);
    await client.sendCommand(["XCLAIM", S, G, "dead", "0", goodId, "IDLE", IDLE_MS, "RETRYCOUNT", "1", "JUSTID"]);
    await start();
    expect(await producer.reply(good.correlation_id)).toMatchObject({ status: "ok" });
    expect(await producer.reply(poison.correlation_id)).toMatchObject({ status: "error", error: { code: "deliveries_exhausted" } });
    expect([place.runs("poison"), place.runs("good")]).toEqual([0, 1]);
    expect(await client.exists(`sg:tools:ledger:${poison.operation_id}`)).toBe(0);
    expect(await producer.letters()).toMatchObject([{ original_msg_id: poisonId, error: "deliveries_exhausted" }]);
    expect(await producer.left()).toBe(0);
  });

  it("a replay of a dead letter meets every check; what has run is shown and refused (D06)", async () => {
    await client.sendCommand(["XGROUP", "CREATE", S, G, "0", "MKSTREAM"]);
    const call = producer.call(append("replayed"));
    const id = await producer.send(call);
    await client.sendCommand(["XREADGROUP", "GROUP", G, "dead", "COUNT", "1", "STREAMS", S, ">"]);
    await client.sendCommand(["XCLAIM", S, G, "dead", "0", id, "IDLE", IDLE_MS, "RETRYCOUNT", "3", "JUSTID"]);
    await start();
    await producer.reply(call.correlation_id);
    const dlq = (...words: string[]) => regate(["worker", "dlq", ...words, "--redis", server.url()]);
    const [letter] = dlq("list").stdout.trim().split("\n");
    const shown = JSON.parse(letter ?? "") as { id: string };
    expect(shown).toMatchObject({ error: "deliveries_exhausted", operation_id: call.operation_id, replayable: true });
    expect(letter).not.toContain("echo");
    const copy = await client.sendCommand(["XRANGE", "sg:stream:dlq", "-", "+"]);
    expect(dlq("replay", shown.id)).toMatchObject({ status: 0 });
    await expect.poll(() => place.runs("replayed")).toBe(1);
    // The same letter again, after its effect: an answer that was lost must not run it twice.
    const fields = ((copy as unknown as [string, string[]][])[0] ?? ["", []])[1];
    await expect.poll(() => producer.left()).toBe(0);
    const second = await client.sendCommand<string>(["XADD", "sg:stream:dlq", "*", ...fields]);
    const refused = dlq("replay", second);
    expect([refused.status, refused.lines.length]).toEqual([1, 1]);
    expect(refused.stderr).toContain("the ledger has it as ok");
    await client.del(`sg:tools:proof:${call.operation_id}`);
    expect(dlq("replay", second).stderr).toContain("expired");
    expect(dlq("replay", "1-1").status).toBe(1);
    expect(dlq("replay", "x").status).toBe(2);
    expect(place.runs("replayed")).toBe(1);
  });

  it("a worker that loses Redis comes back: what is published after the restart is answered", async () => {
    await start();
    const running = producer.call(`${append("through")}; ${wait("through")}`);
    await producer.send(running);
    await expect.poll(() => place.runs("through")).toBe(1);
    await server.kill();
    go("through");
    await sleep(500);
    await server.start();
    await expect.poll(() => client.ping().catch(() => "")).toBe("PONG");
    const call = producer.call(append("after"));
    await producer.send(call);
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "ok" });
    expect(await producer.reply(running.correlation_id)).toMatchObject({ status: "ok" });
    expect([place.runs("through"), place.runs("after")]).toEqual([1, 1]);
  });

  it("SIGTERM: running calls end and are answered, what was not begun stays, the exit code is 0", async () => {
    const port = await freePort();
    const worker = await start({ flags: ["--calls-at-once", "1", "--health-port", String(port)] });
    const [running, waiting] = [producer.call(`${append("running")}; ${wait("running")}`), producer.call(append("waiting"))];
    await producer.send(running);
    await expect.poll(() => place.runs("running")).toBe(1);
    await producer.send(waiting);
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
    await expect.poll(isReady).toBe(200);
    const ended = worker.end();
    await expect.poll(isReady).toBe(503);
    go("running");
    expect(await producer.reply(running.correlation_id)).toMatchObject({ status: "ok" });
    expect(await ended).toBe(0);
    expect(place.runs("waiting")).toBe(0);
    await start();
    expect(await producer.reply(waiting.correlation_id)).toMatchObject({ status: "ok" });
  });

  it("an entry that is deleted while it is pending is acknowledged and counted", async () => {
    await client.sendCommand(["XGROUP", "CREATE", S, G, "0", "MKSTREAM"]);
    const id = await producer.send(producer.call(append("deleted")));
    await client.sendCommand(["XREADGROUP", "GROUP", G, "w1", "COUNT", "1", "STREAMS", S, ">"]);
    await client.xDel(S, id);
    const port = await freePort();
    await start({ flags: ["--worker-name", "w1", "--health-port", String(port)] });
    await expect.poll(async () => (await client.xPending(S, G)).pending).toBe(0);
    const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await expect.poll(async () => (await at("/metrics")).text()).toContain('regate_worker_entries_total{end="deleted_while_pending"} 1');
    await expect.poll(async () => (await at("/readyz")).status).toBe(200);
  });

  it("every setting of servers holds for workers", async () => {
    await start({ flags: ["--bundle", "agent-session"], env: { REGATE_AGENT_REQUIRE_DRY_RUN: "TRUE" } });
    const call = producer.call("rm -rf gone");
    await producer.send(call);
    expect(await producer.reply(call.correlation_id)).toMatchObject({
      status: "error",
      error: { code: "agent.dry_run_required", message: "agent: destructive action requires dry_run=true" },
      result: { isError: true, content: [{ type: "text", text: "agent: destructive action requires dry_run=true" }] },
    });
  });
});

describe("starting", () => {
  it("[002-horizon-invalid] a horizon that does not hold is exit code 2 with one line, for worker and front", () => {
    const folder = makePlace();
    try {
      const small = { "claim-min-idle": "2", "max-exec": "5" };
      const rows: [Record<string, string>, string][] = [
        [{ ...small, "proof-ttl": "25" }, "proofTtl is 25 and must be greater than 25"],
        [{ ...small, "proof-ttl": "24", "turn-checkpoint-ttl": "1" }, "proofTtl is 24 and must be greater than 24"],
        [{ "proof-ttl": "0" }, "--proof-ttl"],
        [{ "max-exec": "1.5" }, "--max-exec"],
        [{ "claim-sweep": "Infinity" }, "--claim-sweep"],
      ];
      for (const [change, says] of rows) {
        for (const side of [
          ["worker", "--redis"],
          ["serve", "--tools-backend"],
        ]) {
          const words = [...side, "redis://127.0.0.1:1", "--proof-key-file", folder.keyFile, "--state-dir", `${folder.folder}/none`];
          const run = regate([...words, ...horizonFlags(change)]);
          expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
          expect(run.stderr).toContain(says);
        }
      }
      for (const name of Object.keys(HORIZON)) {
        const { [name]: _, ...rest } = HORIZON;
        const flags = Object.entries(rest).flatMap(([flag, value]) => [`--${flag}`, value]);
        const run = regate(["worker", "--redis", "redis://127.0.0.1:1", "--proof-key-file", folder.keyFile, ...flags]);
        expect([run.status, run.lines.length]).toEqual([2, 1]);
        expect(run.stderr).toContain(`\`--${name}\` is missing`);
      }
    } finally {
      folder.remove();
    }
  }, 60_000);
});

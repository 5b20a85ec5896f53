import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { connect } from "./client.ts";
import { horizonFlags, makePlace, makeProducer, startWorkerProcess } from "./worker-kit.ts";
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
  worker = await startWorkerProcess(place, server.url(), { flags: ["--bundle", "default"] });
});

afterAll(async () => {
  if (!haveRedis) return;
  await worker.end("SIGKILL");
  client.destroy();
  await server.stop();
  place.remove();
});

const unconfirmed = { status: "error", error: { code: "identity.unconfirmed" }, result: { isError: true } };
const confirmed = { session: { confirmed_profile: null, epoch: 3 }, profile: null };

describe.skipIf(!haveRedis)("the identity gate in a worker", () => {
  it("goes by what the agent has read in the front's session, again after each switch", async () => {
    const words = ["--tools-backend", server.url(), "--proof-key-file", place.keyFile, ...horizonFlags()];
    const session = await connect([...words, "--workdir", place.workdir]);
    const run = () => session.call("run_shell", { command: "echo x >> gated" });
    expect(await run()).toMatchObject({ isError: true, code: "identity.unconfirmed" });
    await session.call("whoami");
    expect(await run()).toMatchObject({ isError: false });
    const decision = worker.events().findLast((event) => event["custom"].regate.event === "decision");
    expect(decision?.["input"]).toMatchObject({
      session: { identity_confirmed: true, confirmed_profile: null },
      profile: { active: null },
    });
    await session.call("config_profile_create", { label: "Erika" });
    expect(await run()).toMatchObject({ isError: true, code: "identity.unconfirmed" });
    await session.call("whoami");
    expect(await run()).toMatchObject({ isError: false });
    expect(worker.events().findLast((event) => event["custom"].regate.event === "decision")?.["input"]).toMatchObject({
      session: { identity_confirmed: true, confirmed_profile: "Erika" },
      profile: { active: "Erika" },
    });
    expect(place.runs("gated")).toBe(2);
  });

  it("refuses what says nothing of it, whoever asks, and keeps nothing from one call to the next", async () => {
    const proven = producer.call("echo x >> bare", { context: { ...confirmed, path: "direct" } });
    await producer.send(proven);
    expect(await producer.reply(proven.correlation_id)).toMatchObject({ status: "ok" });
    const bare = producer.call("echo x >> bare");
    await producer.send(bare);
    expect(await producer.reply(bare.correlation_id)).toMatchObject(unconfirmed);
    expect(place.runs("bare")).toBe(1);
  });

  it("a context that says so without a proof of its own is refused", async () => {
    const call = producer.call("echo x >> forged");
    await producer.send(call, { context: { ...call.context, ...confirmed } });
    expect(await producer.reply(call.correlation_id)).toMatchObject({ status: "error", error: { code: "proof_invalid" } });
    expect(place.runs("forged")).toBe(0);
  });

  const odd = [
    true,
    {},
    { ...confirmed.session, more: 1 },
    { confirmed_profile: 7, epoch: 1 },
    { confirmed_profile: null, epoch: -1 },
    null,
  ];
  it.each(odd.map((session) => [JSON.stringify(session), session] as const))(
    "`session` of another form is refused: %s",
    async (_shown, session) => {
      const call = producer.call("echo x >> odd", { context: { session } });
      await producer.send(call);
      expect(await producer.reply(call.correlation_id)).toMatchObject({
        status: "error",
        error: { code: "envelope_invalid" },
        fingerprint: producer.fingerprintOf(call),
      });
      expect(place.runs("odd")).toBe(0);
    },
  );
});

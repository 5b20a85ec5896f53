// The tools service with real processes: Redis with the users of deploy/regate.acl, a front, workers. Every step says what must happen and what did;
// exit code 0 only if all agree. Needs redis-server.
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "redis";
import { durableToolParentFingerprint, writeSession } from "../../dist/index.js";
import { openPlace } from "../../scripts/tools-service-kit.mjs";

const place = await openPlace({ aclFile: fileURLToPath(new URL("../../deploy/regate.acl", import.meta.url)) });
const service = { user: "worker", more: ["--bundle", "tools-service"] };
let right = 0;
let steps = 0;

function step(what, happened, must) {
  steps += 1;
  const ok = JSON.stringify(happened) === JSON.stringify(must);
  if (ok) right += 1;
  process.stdout.write(`${ok ? "ok   " : "WRONG"} ${what}: ${JSON.stringify(happened)}${ok ? "" : `, must be ${JSON.stringify(must)}`}\n`);
}

async function clientFor(user) {
  const client = createClient({ url: place.url(user), RESP: 2 });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

try {
  let worker = await place.worker("tools-1", service);
  const front = await place.front("front", { user: "producer", more: ["--bundle", "agent-session"] });
  const [producer, asWorker] = [await clientFor("producer"), await clientFor("worker")];
  const lane = "sg:tools:reply:demo";

  const call = (command, more = {}) => ({
    operation_id: randomUUID(),
    correlation_id: randomUUID(),
    trace_id: randomUUID(),
    tool_name: "run_shell",
    tool_args: { command },
    context: {},
    require_existing: false,
    reply_to: lane,
    ...more,
  });
  const send = async (sent, identity, claims = {}) => {
    const { operation_id, trace_id, tool_name, tool_args, context } = sent;
    const fingerprint = durableToolParentFingerprint({ operation_id, trace_id, tool_name, tool_args, context, identity });
    const proof = createHmac("sha256", place.key).update(fingerprint).digest("hex");
    await producer.set(`sg:tools:proof:${operation_id}`, proof, { EX: 90 });
    await producer.xAdd("sg:stream:tools", "*", { data: JSON.stringify({ v: 1, ...sent, proof, ...claims }) });
  };
  const reply = async ({ correlation_id: id }) => {
    for (;;) {
      const entries = await producer.xRange(lane, "-", "+");
      const found = entries.map(({ message }) => JSON.parse(message.data)).find((one) => one.correlation_id === id);
      if (found !== undefined) return found;
      await sleep(20);
    }
  };
  const shell = async (command) => {
    const result = await front.callTool({ name: "run_shell", arguments: { command } });
    return result.isError === true ? result._meta["regate/decision"].code : result.structuredContent.stdout.trim();
  };
  const erika = { user_id: "erika", platform: "discord" };
  const admin = { user_id: "root", platform: "os" };

  step("a call of the front runs in the worker", await shell("echo from the worker"), "from the worker");
  step("a destructive call needs a privilege that the subject lacks", await shell("rm -rf everything"), "policy.denied");

  const forged = call("echo x >> forged");
  await writeSession(producer, forged.trace_id, erika, { ttl: 90, strict: true });
  await send(forged, erika, admin);
  step("a message that claims an admin gets the recorded user's privileges", (await reply(forged)).error.code, "policy.denied");

  const unknown = call("echo x >> forged");
  await send(unknown, admin, admin);
  step("an unknown trace is refused", (await reply(unknown)).error.code, "session_missing");

  const stolen = call("echo x >> forged", { trace_id: forged.trace_id });
  await producer.xAdd("sg:stream:tools", "*", { data: JSON.stringify({ v: 1, ...stolen, proof: "0".repeat(64) }) });
  step("a live trace without a proof runs nothing", (await reply(stolen)).error.code, "proof_invalid");
  step("nothing forged has run", place.runs("forged"), 0);

  const conflict = await writeSession(producer, forged.trace_id, admin, { ttl: 90 }).catch((error) => error.name);
  step("a trace cannot be bound to somebody else", conflict, "ToolSessionConflict");

  const own = { user_id: "someone", platform: "os" };
  const once = call("echo x >> once");
  await writeSession(producer, once.trace_id, own, { ttl: 90, strict: true });
  await send(once, own);
  const first = await reply(once);
  const again = { ...once, correlation_id: randomUUID() };
  await send(again, own);
  const second = await reply(again);
  step("a finished call is published again, byte for byte", JSON.stringify(first.result) === JSON.stringify(second.result), true);
  step("and has run once", place.runs("once"), 1);

  const long = shell("echo x >> long; sleep 4");
  while (place.runs("long") === 0) await sleep(20);
  await worker.end("SIGKILL");
  worker = await place.worker("tools-2", service);
  step("a call whose worker was killed has an unknown outcome", await long, "delegate.indeterminate");
  step("and is not run again", place.runs("long"), 1);

  const minted = await asWorker.set("sg:tools:session:x", "{}").catch((error) => error.message.split(" ")[0]);
  step("a worker can write no session record", minted, "NOPERM");
  const added = await asWorker.xAdd("sg:stream:tools", "*", { data: "{}" }).catch((error) => error.message.split(" ")[0]);
  step("nor add calls", added, "NOPERM");

  await front.close();
  producer.destroy();
  asWorker.destroy();
} finally {
  await place.end();
}
process.stdout.write(`${right} of ${steps} steps are what they must be\n`);
process.exitCode = right === steps && steps > 0 ? 0 : 1;

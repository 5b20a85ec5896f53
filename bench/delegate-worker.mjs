// One worker process of the delegation benchmark: everything but the corridor, with a handler that does nothing.
import { openConnection } from "../dist/redis/connection.js";
import { keysOf } from "../dist/delegate/keys.js";
import { redisCalls } from "../dist/delegate/redis-calls.js";
import { redisSessions } from "../dist/delegate/session-store.js";
import { startWorker } from "../dist/delegate/worker.js";

const { url, proofKey, horizon, name, atOnce } = JSON.parse(process.argv[2]);
const keys = keysOf();
const [commands, holding] = [openConnection(url), openConnection(url)];
const worker = startWorker({
  keys,
  sessions: redisSessions(commands.send),
  calls: redisCalls(keys, commands.send, holding.send),
  proofKey,
  horizon,
  name,
  atOnce,
  isRepeatable: () => false,
  execute: async () => ({ status: "ok", result: { content: [] } }),
  note: (line) => process.stderr.write(`${line}\n`),
});
while (!worker.isReady()) await new Promise((resolve) => setTimeout(resolve, 10));
process.send("ready");

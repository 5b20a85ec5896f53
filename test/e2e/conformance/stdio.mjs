// The fixture over stdio.
import { createInterface } from "node:readline";
import { answer } from "./server.mjs";

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const asked = new Map();
const open = new Map();

const way = (signal) => ({
  signal,
  notify: (method, params) => send({ jsonrpc: "2.0", method, params }),
  ask: (method, params) =>
    new Promise((resolve, reject) => {
      const id = `fixture-${asked.size + 1}`;
      asked.set(id, { resolve, reject });
      send({ jsonrpc: "2.0", id, method, params });
    }),
});

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    const { resolve, reject } = asked.get(message.id) ?? { resolve: () => undefined, reject: () => undefined };
    if (message.error === undefined) resolve(message.result);
    else reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
  } else if (message.id !== undefined) {
    const controller = new AbortController();
    open.set(message.id, controller);
    void reply(message, controller.signal);
  } else if (message.method === "notifications/cancelled") {
    open.get(message.params?.requestId)?.abort();
  }
});
process.stdin.on("end", () => process.exit(0));

async function reply(message, signal) {
  const said = await answer(message, way(signal));
  open.delete(message.id);
  if (!signal.aborted) send(said);
}

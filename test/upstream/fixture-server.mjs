// A small MCP server that keeps every byte it gets. Usage: node fixture-server.mjs LOG [OPTIONS as JSON]
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";

const [log, optionsText = "{}"] = process.argv.slice(2);
const options = JSON.parse(optionsText);
// So long it reads nothing.
if (options.startMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, options.startMs);
const send = (message) => {
  const bytes = Buffer.from(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  // With `splitAfter` a line with that character comes in two pieces, cut after so many of its bytes.
  const at = options.splitAfter === undefined ? -1 : bytes.indexOf("😀");
  if (at === -1) process.stdout.write(bytes);
  else {
    process.stdout.write(bytes.subarray(0, at + options.splitAfter));
    setTimeout(() => process.stdout.write(bytes.subarray(at + options.splitAfter)), 30);
  }
};
const tool = (name, more = {}) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: "object", properties: { n: { type: "number" }, s: { type: "string" } } },
  ...more,
});
let tools = [
  ...[
    "echo",
    "slow",
    "hang",
    "crash",
    "fail",
    "progress",
    "ask",
    "big",
    "drift",
    "grow",
    "env",
    "whoami",
    "run_shell",
    "pid",
    "say",
    ...(options.more ?? []),
  ].map((name) => tool(name)),
  tool("wipe", { annotations: { destructiveHint: true } }),
  tool("look", { annotations: { readOnlyHint: true } }),
  ...(options.tools ?? []),
];
if (options.only) tools = options.only;
if (options.onlyFile) tools = JSON.parse(readFileSync(options.onlyFile, "utf8"));
if (options.description) tools[0].description = options.description;
if (options.descriptionFile && existsSync(options.descriptionFile)) tools[0].description = readFileSync(options.descriptionFile, "utf8");
let capabilities = {};
let asked = 0;
const waiting = new Map();
const withdrawn = new Map();
const result = (id, content, more = {}) =>
  send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify({ content: [{ type: "text", text: content }], ...more })}}`);
const CAPABILITIES = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} };

/** Ids and filters of open subscriptions. */
const listening = new Map();
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
/** Tells a change: to those who listen in the modern way, else to everybody. */
const changed = (method, params = {}) => {
  if (!options.modern || listening.size === 0) send({ jsonrpc: "2.0", method, ...(params.uri === undefined ? {} : { params }) });
  for (const id of listening.keys()) send({ jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION]: id } } });
};

const CALLS = {
  echo: (id, { params }, line) =>
    result(id, JSON.stringify(params.arguments ?? {}), { structuredContent: params.arguments ?? {}, raw: line }),
  // With `slowMs: "cancelled"` it answers when it is told that nobody waits any more.
  slow: (id) => {
    if (options.slowMs === "cancelled") withdrawn.set(id, () => result(id, "slow"));
    else setTimeout(() => result(id, "slow"), options.slowMs ?? 300);
  },
  hang: () => undefined,
  // With `child` something that it has started keeps its stdout open for a while.
  crash: (_id, { params }) => {
    if (params.arguments?.s === "child") spawn("sleep", ["2"], { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref();
    process.exit(3);
  },
  fail: (id) => send({ jsonrpc: "2.0", id, error: { code: -32050, message: "no", data: { why: 1 } } }),
  progress: (id, { params }) => {
    for (const progress of [1, 2, 3])
      send({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: params._meta?.progressToken, progress, total: 3 },
      });
    result(id, "done");
  },
  ask: (id, { params }) => {
    asked += 1;
    const own = `ask-${asked}`;
    waiting.set(own, (message) => result(id, JSON.stringify(message.result ?? message.error)));
    send({ jsonrpc: "2.0", id: own, method: params.arguments.s, params: { x: 1 } });
  },
  big: (id, { params }) => result(id, "x".repeat(params.arguments.n)),
  drift: (id) => {
    tools[0] = { ...tools[0], description: "now something else" };
    changed("notifications/tools/list_changed");
    result(id, "drifted");
  },
  grow: (id) => {
    tools.push(tool("late"));
    changed("notifications/tools/list_changed");
    result(id, "grown");
  },
  touch: (id, { params }) => {
    changed("notifications/resources/updated", { uri: params.arguments.s });
    result(id, "touched");
  },
  endListening: (id) => {
    for (const open of listening.keys())
      send({ jsonrpc: "2.0", id: open, result: { resultType: "complete", _meta: { [SUBSCRIPTION]: open } } });
    listening.clear();
    result(id, "ended");
  },
  pid: (id) => result(id, String(process.pid)),
  // Says a line as it stands; `ID` and `TOKEN` in it are the call's own. The call is answered by the line itself, or after it.
  say: (id, { params }) => {
    const { s, answers } = params.arguments;
    send(s.replaceAll("ID", JSON.stringify(id)).replaceAll("TOKEN", JSON.stringify(params._meta?.progressToken ?? null)));
    if (!answers) result(id, "said");
  },
  env: (id) => result(id, JSON.stringify(process.env)),
};

/** Whether the first tool is away for now. */
const isDropped = () => options.dropFirst !== undefined && existsSync(options.dropFirst);

const METHODS = {
  initialize: (id, { params }) => {
    capabilities = params.capabilities;
    for (const line of options.early ?? []) send(line);
    const answer = () =>
      send({
        jsonrpc: "2.0",
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: CAPABILITIES,
          serverInfo: { name: "fixture", version: "1", extra: 1 },
          instructions: options.instructions ?? "be kind",
        },
      });
    // With `initWhen` there is no answer until there is a file of that name.
    if (options.initWhen) {
      const look = setInterval(() => {
        if (!existsSync(options.initWhen)) return;
        clearInterval(look);
        answer();
      }, 10);
    } else if (options.initMs) setTimeout(answer, options.initMs);
    else answer();
  },
  ping: (id) => send({ jsonrpc: "2.0", id, result: {} }),
  "tools/list": (id) =>
    send(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${options.rawTools ?? JSON.stringify({ tools: isDropped() ? tools.slice(1) : tools, note: "kept" })}}`,
    ),
  "tools/call": (id, message, line) => (CALLS[message.params.name] ?? ((one) => result(one, message.params.name)))(id, message, line),
  "resources/list": (id) => send({ jsonrpc: "2.0", id, result: { resources: [{ uri: options.uri ?? "test://a", name: "a" }] } }),
  "resources/templates/list": (id) =>
    send({
      jsonrpc: "2.0",
      id,
      result: {
        resourceTemplates: (options.templates ?? [`${options.uri ?? "test:/"}/t/{id}`]).map((uriTemplate) => ({ uriTemplate, name: "t" })),
      },
    }),
  "resources/read": (id, { params }) =>
    send({ jsonrpc: "2.0", id, result: { contents: [{ uri: params.uri, text: options.name ?? "text" }] } }),
  "prompts/list": (id) =>
    send({
      jsonrpc: "2.0",
      id,
      result: { prompts: (options.prompts ?? ["hello"]).map((name) => ({ name, description: options.prompt ?? "says hello" })) },
    }),
  "prompts/get": (id, { params }) =>
    send({ jsonrpc: "2.0", id, result: { messages: [{ role: "user", content: { type: "text", text: params.name } }] } }),
  "resources/subscribe": (id) => send({ jsonrpc: "2.0", id, result: {} }),
  "resources/unsubscribe": (id) => send({ jsonrpc: "2.0", id, result: {} }),
  "completion/complete": (id, { params }) =>
    send({ jsonrpc: "2.0", id, result: { completion: { values: [params.ref.name ?? params.ref.uri] } } }),
  "tasks/result": (id, { params }) => send({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: `task ${params.taskId}` }] } }),
  "logging/setLevel": (id) => send({ jsonrpc: "2.0", id, result: {} }),
  ...(options.modern
    ? {
        "server/discover": (id) =>
          send({
            jsonrpc: "2.0",
            id,
            result: {
              supportedVersions: ["2026-07-28"],
              capabilities: CAPABILITIES,
              resultType: "complete",
              ttlMs: 99,
              cacheScope: "public",
              mark: 1,
            },
          }),
        "tools/list": (id) => send({ jsonrpc: "2.0", id, result: { tools, resultType: "complete", ttlMs: 60_000, cacheScope: "public" } }),
        "subscriptions/listen": (id, { params }) => {
          if (options.deafListen) return;
          listening.set(id, params.notifications);
          const notifications = params.notifications;
          send({
            jsonrpc: "2.0",
            method: "notifications/subscriptions/acknowledged",
            params: { _meta: { [SUBSCRIPTION]: id }, notifications },
          });
        },
      }
    : {}),
  ...(options.modernOnly ? { initialize: (id) => send({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }) } : {}),
  "x/custom": (id) => send({ jsonrpc: "2.0", id, result: { custom: true } }),
};

let held = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  if (log !== "-") appendFileSync(log, chunk);
  held += chunk;
  for (let end = held.indexOf("\n"); end !== -1; end = held.indexOf("\n")) {
    const line = held.slice(0, end);
    held = held.slice(end + 1);
    const message = JSON.parse(line);
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else if (message.method === "notifications/cancelled") withdrawn.get(message.params.requestId)?.();
    else if (message.id !== undefined) {
      if (options.silentDiscover && message.method === "server/discover") continue;
      if (options.exitOnUnknown && !(message.method in METHODS)) process.exit(9);
      if (message.method in METHODS) METHODS[message.method](message.id, message, line);
      else send({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } });
    }
  }
});
process.stdin.on("end", () => options.ignoreEnd || process.exit(0));
if (options.ignoreTerm) process.on("SIGTERM", () => undefined);
if (options.noise) process.stdout.write(options.noise);
if (options.stderr) process.stderr.write(options.stderr.repeat(options.stderrTimes ?? 1));
void capabilities;

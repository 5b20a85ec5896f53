import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { eventsIn, temporaryFolder } from "./client.ts";
import { startRaw, type RawServer } from "./raw-server.ts";

const AGENT_SESSION = ["--bundle", "agent-session"];
const META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

const ping = (id: unknown): { id: unknown } & Record<string, unknown> => ({ jsonrpc: "2.0", id, method: "ping" });
const shell = (id: unknown, command: string): { id: unknown } & Record<string, unknown> => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "run_shell", arguments: { command } },
});

/** Decision events, or none when no call was ever decided. */
function decisions(server: RawServer): Record<string, unknown>[] {
  return existsSync(join(server.stateDir, "decisions")) ? eventsIn(server.stateDir).filter((event) => "input" in event) : [];
}

async function appears(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, "utf8") === "") await new Promise((resolve) => setTimeout(resolve, 5));
  return readFileSync(path, "utf8");
}

/** Waits until a process is gone; one that sleeps for a minute does not go by itself in this time. */
async function gone(pid: number): Promise<void> {
  const isGone = (): boolean => {
    try {
      process.kill(pid, 0);
      return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return true;
    }
  };
  await expect.poll(isGone).toBe(true);
}

test("every refused line has one answer, reaches nothing, and the server goes on", async () => {
  const server = startRaw(...AGENT_SESSION);
  const marker = "touch reached";
  const call = (rest: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call",${rest}}`;
  const args = `"arguments":{"command":"${marker}"}`;
  const table: [string | Uint8Array, number, unknown][] = [
    ["not json", -32700, null],
    [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_shell",${args}}`, -32700, null],
    [call(`"params":{"name":"run_shell","arguments":{"command":"${marker}","n":NaN}}`), -32700, null],
    [Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.from([0xff]), Buffer.from('","method":"ping"}')]), -32700, null],
    [`\ufeff${JSON.stringify(ping(1))}`, -32700, null],
    [call(`"params":{"name":"list_sessions","name":"run_shell",${args}}`), -32700, 1],
    [call(`"method":"tools/list","params":{"name":"run_shell",${args}}`), -32700, 1],
    [call(`"id":1,"params":{"name":"run_shell",${args}}`), -32700, null],
    [`[${JSON.stringify(shell(1, marker))}]`, -32600, null],
    ["[]", -32600, null],
    ["null", -32600, null],
    ["7", -32600, null],
    [call(`"params":{"name":"list_sessions","Name":"run_shell",${args}}`), -32600, 1],
    [call(`"params":{"name\\u0000":"list_sessions","name":"run_shell",${args}}`), -32600, 1],
    [call(`"Method":"tools/list","params":{"name":"run_shell",${args}}`), -32600, 1],
    [call(`"ID":2,"params":{"name":"run_shell",${args}}`), -32600, null],
    [call(`"extra":0,"params":{"name":"run_shell",${args}}`), -32600, 1],
    [call(`"result":{},"params":{"name":"run_shell",${args}}`), -32600, 1],
    [JSON.stringify({ ...shell(null, marker) }), -32600, null],
    [JSON.stringify({ ...shell(true, marker) }), -32600, null],
    [JSON.stringify({ ...shell(1.5, marker) }), -32600, null],
    [JSON.stringify(shell(0, marker)).replace('"id":0', '"id":9007199254740993'), -32600, null],
    [JSON.stringify({ ...shell(1, marker), jsonrpc: "1.0" }), -32600, 1],
    [call(`"params":{"name":"run_shell","arguments":{"command":"${marker}","d":${"[".repeat(10_000)}${"]".repeat(10_000)}}}`), -32600, 1],
    [call(`"params":["run_shell"]`), -32602, 1],
    [call(`"params":{${args}}`), -32602, 1],
    [call(`"params":{"name":7,${args}}`), -32602, 1],
    [call(`"params":{"name":"run_shell","arguments":"${marker}"}`), -32602, 1],
    [call(`"params":{"name":"run_shell","arguments":["${marker}"]}`), -32602, 1],
    [call(`"params":{"name":"run_shell",${args},"extra":1}`), -32602, 1],
    [call(`"params":{"name":"run_shell",${args},"_meta":[]}`), -32602, 1],
    [call(`"params":{"name":"run_shell","arguments":{"command":"${marker}","timeout_ms":9007199254740993}}`), -32602, 1],
    [call(`"params":{"name":"run_shell",${args},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), -32602, 1],
    [
      call(
        `"params":{"name":"run_shell",${args},"_meta":${JSON.stringify({ ...META, "io.modelcontextprotocol/protocolVersion": "2099-01-01" })}}`,
      ),
      -32022,
      1,
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}', -32602, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"TOOLS/CALL","params":{"name":"run_shell"}}', -32601, 1],
  ];
  for (const [line] of table) {
    await server.write(line);
    await server.write("\n");
  }
  // without an answer: no id, a notification, answers to nothing
  await server.write(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"run_shell",${args}}}\n`);
  await server.write(
    '\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n{"jsonrpc":"2.0","id":1,"result":{}}\n',
  );
  expect(await server.ask(ping("last"))).toEqual({ jsonrpc: "2.0", id: "last", result: {} });
  const answers = await server.lines(table.length + 1);
  expect(answers.slice(0, -1).map(({ id, error }) => [error?.code, id])).toEqual(table.map(([, code, id]) => [code, id]));
  expect(answers).toHaveLength(table.length + 1);
  expect(decisions(server)).toEqual([]);
  expect(readdirSync(server.workdir)).toEqual([]);
  expect((await server.finish()).code).toBe(0);
});

describe("long lines", () => {
  test.each([12, 200])("%d MB: one answer, bounded memory, the next line is answered", async (megabytes) => {
    const server = startRaw(...AGENT_SESSION);
    await server.ask(ping("first"));
    const chunk = Buffer.alloc(1024 * 1024, 0x61);
    await server.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_shell","arguments":{"command":"');
    for (let i = 0; i < megabytes; i += 1) await server.write(chunk);
    const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1]);
    await server.write('"}}}\n');
    expect(await server.ask(ping("next"))).toMatchObject({ id: "next", result: {} });
    expect(await server.lines(3)).toMatchObject([{ id: "first" }, { id: null, error: { code: -32600 } }, { id: "next" }]);
    expect(memory).toBeLessThan(400_000);
    expect(decisions(server)).toEqual([]);
  });

  test("1 MB passes the gate", async () => {
    const server = startRaw(...AGENT_SESSION);
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "list_sessions", arguments: { extra: "x".repeat(1_000_000) } },
    };
    expect((await server.ask(call)).result).toMatchObject({ isError: true });
  });
});

describe("before initialize", () => {
  test("server/discover, ping, tools/list and tools/call are answered, then the handshake", async () => {
    const server = startRaw(...AGENT_SESSION);
    expect((await server.ask({ jsonrpc: "2.0", id: 0, method: "server/discover" })).result).toMatchObject({
      supportedVersions: ["2026-07-28"],
    });
    expect((await server.ask({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: META } })).result?.["resultType"]).toBe(
      "complete",
    );
    expect((await server.ask(ping(2))).result).toEqual({});
    expect((await server.ask(shell(3, "echo early"))).result?.["structuredContent"]).toMatchObject({ exit_code: 0, stdout: "early\n" });
    expect((await server.ask(INITIALIZE)).result).toMatchObject({ protocolVersion: "2025-11-25", serverInfo: { name: "regate" } });
    await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect((await server.ask({ jsonrpc: "2.0", id: 4, method: "tools/list" })).result?.["tools"]).not.toEqual([]);
    expect(decisions(server)).toHaveLength(1);
  });

  test("a second initialize changes neither claim nor gate", async () => {
    const server = startRaw("--bundle", "ai-agent", "--agent-id", "first");
    await server.ask(INITIALIZE);
    await server.ask(shell(1, "echo a"));
    await server.ask({ ...INITIALIZE, id: "again", params: { ...INITIALIZE.params, clientInfo: { name: "admin", version: "2" } } });
    await server.ask(shell(2, "echo b"));
    const inputs = decisions(server).map((event) => event["input"] as Record<string, unknown>);
    expect(inputs).toHaveLength(2);
    expect(inputs[0]?.["agent"]).toEqual(inputs[1]?.["agent"]);
    expect(inputs[1]?.["client"]).toEqual(inputs[0]?.["client"]);
  });
});

test("both eras give the same decision for the same call", async () => {
  const server = startRaw("--bundle", "ai-agent");
  const call = (id: number, name: string, meta?: object): { id: unknown } & Record<string, unknown> => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: {}, ...(meta ? { _meta: meta } : {}) },
  });
  for (const [at, name] of ["admin_list_sessions", "nosuch", "list_sessions", "constructor"].entries()) {
    const { error, result } = await server.ask(call(at * 2, name));
    const modern = await server.ask(call(at * 2 + 1, name, META));
    expect(modern.error).toEqual(error);
    expect(modern.result?.["content"]).toEqual(result?.["content"]);
    expect(modern.result?.["isError"]).toEqual(result?.["isError"]);
    expect(modern.result?.["resultType"]).toBe(result && "complete");
  }
});

test("tools/list publishes schemas that every host can read (M22)", async () => {
  const server = startRaw(...AGENT_SESSION);
  const { result } = await server.ask({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const tools = result?.["tools"] as { name: string; inputSchema: { type: string }; outputSchema: { type: string } }[];
  expect(tools.map(({ name }) => name)).toContain("run_shell");
  expect(tools.map(({ inputSchema }) => inputSchema.type)).toEqual(tools.map(() => "object"));
  expect(tools.map(({ outputSchema }) => outputSchema.type)).toEqual(tools.map(() => "object"));
  expect(JSON.stringify(tools)).not.toMatch(/"\$schema"|"\$dynamicRef"|"\$dynamicAnchor"|"definitions"/);
});

test("a string with separators and cut characters reaches the command byte for byte (M07, M08)", async () => {
  const server = startRaw(...AGENT_SESSION);
  const text = "a\u2028b\u2029c\u0085d😀é";
  for (const byte of Buffer.from(`${JSON.stringify(shell(1, `printf %s '${text}'`))}\n`)) await server.write(Buffer.from([byte]));
  const [answer] = await server.lines(1);
  expect(answer?.result?.["structuredContent"]).toMatchObject({ stdout: text });
});

describe("cancellation", () => {
  test.each([0, 7, "0", ""])("id %j: the command is ended and nothing is answered (M01)", async (id) => {
    const server = startRaw(...AGENT_SESSION);
    await server.send(shell(id, "echo $$ > pid; sleep 60"));
    const pid = Number(await appears(join(server.workdir, "pid")));
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
    await gone(pid);
    await server.ask(ping("after"));
    expect(await server.lines(1)).toMatchObject([{ id: "after" }]);
    expect((await server.finish()).code).toBe(0);
    expect(server.output().split("\n")).toHaveLength(2);
  });
});

describe("the end", () => {
  test("of stdin: what runs shortly is answered", async () => {
    const server = startRaw(...AGENT_SESSION);
    await server.ask(ping("up"));
    const pipe = join(server.workdir, "pipe");
    execFileSync("mkfifo", [pipe]);
    await server.send(shell(1, "echo x > begun; read line < pipe; echo done"));
    await appears(join(server.workdir, "begun"));
    const finished = server.finish();
    await new Promise((resolve) => setTimeout(resolve, 50));
    writeFileSync(pipe, "x\n");
    expect((await finished).code).toBe(0);
    expect(await server.lines(2)).toMatchObject([{ id: "up" }, { id: 1, result: { structuredContent: { stdout: "done\n" } } }]);
  });

  test("of stdin: what runs long is ended", async () => {
    const server = startRaw(...AGENT_SESSION);
    await server.send(shell(1, "echo $$ > pid; sleep 60"));
    const pid = Number(await appears(join(server.workdir, "pid")));
    expect((await server.finish()).code).toBe(0);
    await gone(pid);
  });

  test("by SIGTERM: server and command are gone", async () => {
    const server = startRaw(...AGENT_SESSION);
    await server.send(shell(1, "echo $$ > pid; sleep 60"));
    const pid = Number(await appears(join(server.workdir, "pid")));
    server.child.kill("SIGTERM");
    await gone(pid);
    await gone(server.child.pid ?? 0);
    expect((await server.finish()).code).toBe(0);
  });

  test("of the reader: the server ends by itself", async () => {
    const server = startRaw(...AGENT_SESSION);
    await server.ask(ping("up"));
    server.child.stdout?.destroy();
    for (let id = 0; id < 5; id += 1) await server.send(ping(id));
    await gone(server.child.pid ?? 0);
    expect(server.stderr()).not.toContain("EPIPE");
  });

  test("a reader that sleeps loses nothing", async () => {
    const server = startRaw(...AGENT_SESSION);
    await server.ask(ping("up"));
    server.child.stdout?.pause();
    for (let id = 0; id < 20; id += 1) await server.send(shell(id, "head -c 200000 /dev/zero | tr '\\0' x"));
    const finished = server.finish();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    server.child.stdout?.resume();
    expect((await finished).code).toBe(0);
    const answers = await server.lines(21);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(21);
  });
});

describe("the SDK's client of revision 2026-07-28", () => {
  test.each(["auto", "legacy", { pin: "2026-07-28" }] as const)("%j", async (mode) => {
    const stateDir = temporaryFolder();
    const args = ["bin/regate.js", "serve", "--bundle", "ai-agent", "--state-dir", stateDir];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
    const client = new Client({ name: "modern", version: "2" }, { versionNegotiation: { mode } });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_shell");
    expect(await client.callTool({ name: "run_shell", arguments: { command: "echo hi" } })).toMatchObject({
      structuredContent: { stdout: "hi\n" },
    });
    expect(await client.callTool({ name: "admin_list_sessions", arguments: {} })).toMatchObject({ isError: true });
    await client.close();
  });
});

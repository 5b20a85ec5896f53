import { describe, expect, test } from "vitest";
import type { CallAnswer } from "../../src/server/corridor-types.ts";
import { call, deferred, echoed, LISTED, openKit, recordingCorridor } from "./edge-kit.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo: { name: "host", version: "9" } },
};

describe("legacy requests", () => {
  test("initialize negotiates and declares tools only", async () => {
    const { ask } = await openKit();
    expect(await ask(INITIALIZE)).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { protocolVersion: "2025-06-18", capabilities: { tools: {}, logging: {} }, serverInfo: { name: "regate", version: "1.2.3" } },
    });
  });

  test.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2024-10-07", "2024-10-07"],
    ["2026-07-28", "2025-11-25"],
    ["1.0", "2025-11-25"],
  ])("a client of %s gets %s", async (requested, agreed) => {
    const { ask } = await openKit();
    const answer = await ask({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: requested } });
    expect(answer?.result?.["protocolVersion"]).toBe(agreed);
  });

  test.each<[string, { method: string; params?: object; code: number }]>([
    ["initialize without params", { method: "initialize", code: -32602 }],
    [
      "initialize without a version",
      { method: "initialize", params: { capabilities: {}, clientInfo: { name: "a", version: "1" } }, code: -32602 },
    ],
    ["initialize without clientInfo", { method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {} }, code: -32602 }],
    [
      "initialize with a broken capability",
      { method: "initialize", params: { ...INITIALIZE.params, capabilities: { roots: 1 } }, code: -32602 },
    ],
    [
      "initialize with a broken related task",
      {
        method: "initialize",
        params: { ...INITIALIZE.params, _meta: { "io.modelcontextprotocol/related-task": { taskId: 1 } } },
        code: -32602,
      },
    ],
    ["an unknown method", { method: "x/custom", params: { a: 1 }, code: -32601 }],
    ["an empty method", { method: "", code: -32601 }],
    ["a method in another case", { method: "Tools/Call", params: { name: "echo" }, code: -32601 }],
    ["a method with a blank", { method: "tools/call ", params: { name: "echo" }, code: -32601 }],
    ["a property of every object", { method: "constructor", code: -32601 }],
    ["__proto__", { method: "__proto__", code: -32601 }],
    ["resources/list", { method: "resources/list", params: {}, code: -32601 }],
    ["prompts/list", { method: "prompts/list", params: {}, code: -32601 }],
    ["prompts/get", { method: "prompts/get", params: { name: "a" }, code: -32601 }],
    ["completion/complete", { method: "completion/complete", params: {}, code: -32601 }],
    ["a level that there is not", { method: "logging/setLevel", params: { level: "loud" }, code: -32602 }],
    ["no level", { method: "logging/setLevel", code: -32602 }],
    ["tasks/list", { method: "tasks/list", params: {}, code: -32601 }],
    ["tasks/get", { method: "tasks/get", params: { taskId: "a" }, code: -32601 }],
    ["sampling/createMessage", { method: "sampling/createMessage", params: {}, code: -32601 }],
    ["subscriptions/listen", { method: "subscriptions/listen", params: {}, code: -32601 }],
    ["a notification with an id", { method: "notifications/cancelled", params: { requestId: 1 }, code: -32601 }],
  ])("%s", async (_, { method, params, code }) => {
    const { ask, corridor } = await openKit();
    const answer = await ask({ jsonrpc: "2.0", id: "x", method, ...(params ? { params } : {}) });
    expect(answer).toMatchObject({ id: "x", error: { code } });
    expect(corridor.calls).toEqual([]);
  });

  test("ping is answered, before and after initialize", async () => {
    const { ask } = await openKit();
    expect(await ask({ jsonrpc: "2.0", id: 5, method: "ping" })).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
    await ask(INITIALIZE);
    expect(await ask({ jsonrpc: "2.0", id: 5, method: "ping", params: {} })).toEqual({ jsonrpc: "2.0", id: 5, result: {} });
  });

  test("tools/list and tools/call before initialize pass the corridor as usual", async () => {
    const { ask, corridor } = await openKit();
    expect((await ask({ jsonrpc: "2.0", id: 1, method: "tools/list" }))?.result).toEqual({ tools: [LISTED] });
    expect((await ask(call(2, { a: 1 })))?.result).toEqual(
      echoed({ a: 1 }).kind === "result" && (echoed({ a: 1 }) as { result: object }).result,
    );
    expect(corridor.calls).toMatchObject([{ tool: "echo", arguments: { a: 1 }, client: { elicitation: false } }]);
  });

  test("only the first initialize says who the client is", async () => {
    const { ask, corridor } = await openKit();
    await ask(INITIALIZE);
    await ask(call(2));
    const again = { ...INITIALIZE, id: 3, params: { ...INITIALIZE.params, capabilities: {}, clientInfo: { name: "other", version: "0" } } };
    expect((await ask(again))?.result).toBeDefined();
    await ask(call(4));
    const host = { elicitation: true, name: "host", version: "9" };
    expect(corridor.calls.map(({ client }) => client)).toEqual([host, host]);
  });

  test("an initialize that was refused says nothing", async () => {
    const { ask, corridor } = await openKit();
    await ask({ ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: 1 } });
    await ask(call(2));
    expect(corridor.calls[0]?.client).toEqual({ elicitation: false });
  });

  test("a call in the same breath as initialize knows the client", async () => {
    const { connection, corridor } = await openKit();
    const lines = [INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" }, call(2)];
    await Promise.all(lines.map(async (line) => await connection.receive(Buffer.from(JSON.stringify(line)))));
    expect(corridor.calls[0]?.client).toEqual({ elicitation: true, name: "host", version: "9" });
  });

  test.each([
    [{}, false],
    [{ elicitation: {} }, true],
    [{ elicitation: { form: {} } }, true],
    [{ elicitation: { form: {}, url: {} } }, true],
    [{ elicitation: { url: {} } }, false],
  ])("capabilities %j: forms %s", async (capabilities, elicitation) => {
    const { ask, corridor } = await openKit();
    await ask({ ...INITIALIZE, params: { ...INITIALIZE.params, capabilities } });
    await ask(call(2));
    expect(corridor.calls[0]?.client?.elicitation).toBe(elicitation);
  });
});

describe("tools/call", () => {
  test("name and arguments reach the corridor exactly as they were sent", async () => {
    const { ask, corridor } = await openKit();
    const args =
      '{"__proto__":{"admin":true},"constructor":1,"agent_id":"root","Name":"x","n":1.0,"t":"a\u2028b\u0085c\\rd","u":"\\ud83d\\ude00"}';
    await ask(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":" Echo\\u0000","arguments":${args},"task":{"ttl":1},"inputResponses":{},"requestState":"x"}}`,
    );
    expect(corridor.calls).toMatchObject([{ tool: " Echo\u0000" }]);
    expect(JSON.stringify(corridor.calls[0]?.arguments)).toBe(JSON.stringify(JSON.parse(args)));
    expect(Object.keys(corridor.calls[0]?.arguments ?? {})).toContain("__proto__");
  });

  test("no arguments are no arguments", async () => {
    const { ask, corridor } = await openKit();
    await ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } });
    expect(corridor.calls[0]?.arguments).toEqual({});
  });

  test("a result goes back as it is, unknown members and separators too (M07)", async () => {
    const result = {
      content: [
        { type: "image", data: "AA==", mimeType: "image/png", extra: [1] },
        { type: "text", text: "a\u2028b\u0085c\rd" },
      ],
      vendor: { x: null },
    };
    const { connection } = await openKit(recordingCorridor(() => ({ kind: "result", result })));
    const answer = await connection.receive(Buffer.from(JSON.stringify(call(1))));
    expect(answer?.json).toBe(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(result)}}`);
    expect(answer?.json).not.toContain("\n");
  });

  test.each(["nosuch", "constructor", "__proto__", "toString"])("unknown tool %s", async (name) => {
    const { ask } = await openKit(recordingCorridor(() => ({ kind: "unknown_tool" })));
    expect((await ask(call(1, {}, name)))?.error).toEqual({ code: -32602, message: `unknown tool \`${name}\`` });
  });

  test("a corridor that throws is an internal error without its words", async () => {
    const { ask, logged } = await openKit(
      recordingCorridor(() => {
        throw new Error("secret path /etc\nsecond line");
      }),
    );
    expect((await ask(call(1)))?.error).toEqual({ code: -32603, message: "internal error" });
    expect(logged).toEqual(["protocol: fault: secret path /etc second line"]);
  });

  test("a result that JSON cannot carry becomes an error result without structured content", async () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const meta = { "regate/decision": { decision_id: "d-7" } };
    const { ask } = await openKit(
      recordingCorridor(() => ({ kind: "result", result: { content: [], structuredContent: loop, _meta: meta } }) as unknown as CallAnswer),
    );
    expect((await ask(call(1)))?.result).toEqual({
      content: [{ type: "text", text: "call: the tool failed" }],
      isError: true,
      _meta: { "regate/decision": { decision_id: "d-7", code: "call.failed", retryable: false } },
    });
  });

  test("a result above 8 MiB becomes an error result of its own code (M06)", async () => {
    const big = (bytes: number): CallAnswer => ({
      kind: "result",
      result: { content: [{ type: "text", text: "é".repeat(bytes / 2) }], structuredContent: { a: 1 } },
    });
    let size = 8 * 1024 * 1024 - 200;
    const { ask } = await openKit(recordingCorridor(() => big(size)));
    expect((await ask(call(1)))?.result).toHaveProperty("structuredContent");
    size = 8 * 1024 * 1024;
    expect((await ask(call(2)))?.result).toEqual({
      content: [{ type: "text", text: "call: the tool's result is too large" }],
      isError: true,
      _meta: { "regate/decision": { code: "call.result_too_large", retryable: false } },
    });
  });

  test("calls enter the corridor in the order of their lines, and are answered as they end", async () => {
    const waiting = new Map<unknown, (answer: CallAnswer) => void>();
    const { connection, corridor } = await openKit(
      recordingCorridor(async ({ arguments: args }) => {
        const { promise, resolve } = deferred<CallAnswer>();
        waiting.set(args["n"], resolve);
        return await promise;
      }),
    );
    const order: string[] = [];
    const answers = [1, 2, 3].map(async (n) => {
      const answer = await connection.receive(Buffer.from(JSON.stringify(call(n, { n }))));
      order.push(answer?.json.slice(0, 24) ?? "");
    });
    expect(corridor.calls.map(({ arguments: args }) => args["n"])).toEqual([1, 2, 3]);
    for (const n of [3, 1, 2]) {
      waiting.get(n)?.(echoed({ n }));
      await new Promise(setImmediate);
    }
    await Promise.all(answers);
    expect(order).toEqual(['{"jsonrpc":"2.0","id":3,', '{"jsonrpc":"2.0","id":1,', '{"jsonrpc":"2.0","id":2,']);
  });
});

describe("ids", () => {
  test.each(["0", "-0", "1.0", "1e2", "9007199254740992", "1e21", '"0"', '""', '"é\\n"', '"__proto__"', '"regate-1"'])(
    "%s is echoed exactly",
    async (id) => {
      const { connection } = await openKit();
      for (const method of ["ping", "tools/list", "no/such"]) {
        const answer = await connection.receive(Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${method}"}`));
        expect(answer?.json.startsWith(`{"jsonrpc":"2.0","id":${id},"`)).toBe(true);
      }
    },
  );

  test.each([
    ["7", "7", true],
    ["7", "7.0", true],
    ["100", "1e2", true],
    ["0", "-0", true],
    ['"a"', '"\\u0061"', true],
    ["7", '"7"', false],
    ["7", "8", false],
    ['"a"', '"A"', false],
    ['"n7"', "7", false],
  ])("%s in flight, then %s: refused %s", async (first, second, refused) => {
    const { promise, resolve } = deferred<CallAnswer>();
    const { connection, corridor } = await openKit(recordingCorridor(() => promise));
    const line = (id: string): Buffer => Buffer.from(JSON.stringify(call(0)).replace('"id":0', `"id":${id}`));
    const pending = connection.receive(line(first));
    const other = connection.receive(line(second));
    expect(corridor.calls).toHaveLength(refused ? 1 : 2);
    resolve(echoed({}));
    const answer = JSON.parse((await other)?.json ?? "null") as { error?: { code: number } };
    expect(answer.error?.code).toBe(refused ? -32600 : undefined);
    expect(JSON.parse((await pending)?.json ?? "null")).toHaveProperty("result");
    const again = await connection.receive(line(first));
    expect(JSON.parse(again?.json ?? "null")).toHaveProperty("result");
  });
});

test("lines that need no waiting are answered whatever follows them in one breath", async () => {
  const { connection } = await openKit();
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
  const lines = [
    { id: 1, method: "ping" },
    { id: 1, method: "tools/list" },
    { id: 1, method: "no/such" },
    { id: 1, method: "server/discover" },
    { id: 1, method: "tools/list", params: { _meta: meta } },
    { id: 1, method: "initialize" },
    { method: "notifications/cancelled", params: { requestId: 1 } },
  ].map((line) => Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...line })));
  const answers = await Promise.all(lines.map(async (line) => await connection.receive(line)));
  expect(answers.map((answer) => answer && (answer.code ?? "result"))).toEqual([
    "result",
    "result",
    -32601,
    "result",
    -32602,
    -32602,
    undefined,
  ]);
});

describe("cancellation", () => {
  const cancel = (requestId: string): Buffer =>
    Buffer.from(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${requestId},"reason":"r"}}`);

  test.each(["0", "7", "-0", '"0"', '"x"', "1e2", "9007199254740992"])("id %s: aborted, never answered, free again (M01)", async (id) => {
    const { promise, resolve } = deferred<CallAnswer>();
    const { connection, corridor } = await openKit(recordingCorridor(() => promise));
    const line = Buffer.from(JSON.stringify(call(0)).replace('"id":0', `"id":${id}`));
    const pending = connection.receive(line);
    expect(corridor.calls[0]?.signal?.aborted).toBe(false);
    expect(await connection.receive(cancel(id))).toBeUndefined();
    expect(corridor.calls[0]?.signal?.aborted).toBe(true);
    await connection.idle();
    const again = connection.receive(line);
    resolve(echoed({}));
    expect(await pending).toBeUndefined();
    expect((await again)?.json).toContain('"result"');
  });

  test.each(["8", '"7"', "7.5", "null", "[7]", "9007199254740993", "{}", "true"])("requestId %s does not touch id 7", async (id) => {
    const { promise, resolve } = deferred<CallAnswer>();
    const { connection, corridor } = await openKit(recordingCorridor(() => promise));
    const pending = connection.receive(Buffer.from(JSON.stringify(call(7))));
    expect(await connection.receive(cancel(id))).toBeUndefined();
    expect(corridor.calls[0]?.signal?.aborted).toBe(false);
    resolve(echoed({}));
    expect((await pending)?.json).toContain('"id":7,"result"');
  });

  test("an inexact requestId does not touch the id that it would be rounded to", async () => {
    const { promise, resolve } = deferred<CallAnswer>();
    const { connection, corridor } = await openKit(recordingCorridor(() => promise));
    const pending = connection.receive(Buffer.from(JSON.stringify(call(0)).replace('"id":0', '"id":9007199254740992')));
    await connection.receive(cancel("9007199254740993"));
    expect(corridor.calls[0]?.signal?.aborted).toBe(false);
    resolve(echoed({}));
    expect(await pending).toBeDefined();
  });

  test("what is not in flight, or answered, is ignored", async () => {
    const { connection, ask } = await openKit();
    expect(await connection.receive(cancel("1"))).toBeUndefined();
    await ask(call(1));
    expect(await connection.receive(cancel("1"))).toBeUndefined();
    expect(await ask(call(1))).toHaveProperty("result");
  });

  test("initialize cannot be cancelled", async () => {
    const { connection } = await openKit();
    const pending = connection.receive(Buffer.from(JSON.stringify(INITIALIZE)));
    await connection.receive(cancel("1"));
    expect((await pending)?.json).toContain('"protocolVersion"');
  });

  test("abort lets calls end and answers them", async () => {
    const { connection, corridor } = await openKit(
      recordingCorridor(
        ({ signal }) => new Promise((resolve) => signal?.addEventListener("abort", () => resolve(echoed({ aborted: true })))),
      ),
    );
    const pending = connection.receive(Buffer.from(JSON.stringify(call(1))));
    let idle = false;
    const waited = connection.idle().then(() => (idle = true));
    await new Promise(setImmediate);
    expect(idle).toBe(false);
    connection.abort();
    expect((await pending)?.json).toContain('"aborted":true');
    await waited;
    expect(corridor.calls).toHaveLength(1);
  });
});

describe("lines without effect", () => {
  test.each([
    '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","method":"notifications/unknown","params":{"a":1}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
    '{"jsonrpc":"2.0","id":0,"result":{}}',
    '{"jsonrpc":"2.0","id":"regate-0","result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}',
    "",
    "  \r",
  ])("%s", async (line) => {
    const { ask, corridor, sent } = await openKit();
    expect(await ask(line)).toBeUndefined();
    expect(await ask({ jsonrpc: "2.0", id: 1, method: "ping" })).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(corridor.calls).toEqual([]);
    expect(sent).toEqual([]);
  });
});

describe("the log", () => {
  test("says each kind once, without user text, and totals at the end", async () => {
    const { ask, connection, logged } = await openKit();
    const evil = "\u001b[31mevil\n";
    for (let i = 0; i < 5; i += 1) await ask(`${evil}{`);
    for (let i = 0; i < 3; i += 1) await ask({ jsonrpc: "2.0", method: evil });
    await ask({ jsonrpc: "2.0", id: 1, method: "ping", [evil]: 1 });
    await connection.close();
    expect(logged).toEqual([
      "protocol: refused a line (json, -32700)",
      "protocol: dropped a request method without an id",
      "protocol: refused a line (unknown_key, -32600)",
      "protocol: refused a line (json, -32700): 5 in all",
      "protocol: dropped a request method without an id: 3 in all",
    ]);
  });
});

test("a notification that the SDK does not take is counted, not quoted", async () => {
  const { ask, logged } = await openKit();
  const meta = { "io.modelcontextprotocol/related-task": { taskId: "secret", ttl: {} } };
  await ask({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "secret", progress: "secret", _meta: meta } });
  await new Promise(setImmediate);
  expect(logged).toEqual(["protocol: dropped a message that the SDK does not take"]);
});

test("a line that was too long has one answer", async () => {
  const { connection } = await openKit();
  expect(JSON.parse(connection.refuseTooLong().json)).toEqual({
    jsonrpc: "2.0",
    id: null,
    error: { code: -32600, message: "a line must not be longer than 4194304 bytes" },
  });
});

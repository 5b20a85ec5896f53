import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { createHumanLine } from "../../src/server/human-line.ts";
import { call, echoed, LISTED, openKit, recordingCorridor, type Message } from "./edge-kit.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/clientInfo";
const LEVEL = "io.modelcontextprotocol/logLevel";
const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };
const SERVER = { "io.modelcontextprotocol/serverInfo": { name: "regate", version: "1.2.3" } };

const request = (method: string, params?: JsonObject): JsonObject => ({ jsonrpc: "2.0", id: 1, method, ...(params ? { params } : {}) });

async function ask(method: string, params?: JsonObject): Promise<Message | undefined> {
  const kit = await openKit();
  return await kit.ask(request(method, params));
}

const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 5000,
  cacheScope: "private",
  _meta: SERVER,
};

describe("server/discover", () => {
  test("with its envelope", async () => {
    expect((await ask("server/discover", { _meta: META }))?.result).toEqual(DISCOVERED);
  });

  test("as a first probe without any `_meta`", async () => {
    expect((await ask("server/discover"))?.result).toEqual(DISCOVERED);
    expect((await ask("server/discover", {}))?.result).toEqual(DISCOVERED);
  });

  test("before and after a legacy handshake", async () => {
    const kit = await openKit();
    expect((await kit.ask(request("server/discover")))?.result).toEqual(DISCOVERED);
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } };
    expect((await kit.ask(request("initialize", params)))?.result?.["protocolVersion"]).toBe("2025-06-18");
    expect((await kit.ask(request("server/discover", { _meta: META })))?.result).toEqual(DISCOVERED);
    expect((await kit.ask(request("tools/list")))?.result).toEqual({ tools: [LISTED] });
  });
});

describe("the envelope", () => {
  const missing = (key: string): object => ({ code: -32602, message: `\`_meta\`: \`${key}\` is missing or malformed` });

  test.each(["server/discover", "tools/list", "tools/call", "no/such", "ping"])("is needed whole: %s", async (method) => {
    const params = method === "tools/call" ? { name: "echo" } : {};
    expect((await ask(method, { ...params, _meta: { [CAPABILITIES]: {} } }))?.error).toEqual(missing(VERSION));
    expect((await ask(method, { ...params, _meta: { [VERSION]: "2026-07-28" } }))?.error).toEqual(missing(CAPABILITIES));
    expect((await ask(method, { ...params, _meta: { [INFO]: { name: "a", version: "1" } } }))?.error).toEqual(missing(VERSION));
  });

  test.each<[string, JsonObject, string]>([
    ["a version that is no string", { ...META, [VERSION]: 20260728 }, VERSION],
    ["a version that is null", { ...META, [VERSION]: null }, VERSION],
    ["capabilities that are null", { ...META, [CAPABILITIES]: null }, CAPABILITIES],
    ["capabilities in a list", { ...META, [CAPABILITIES]: [] }, CAPABILITIES],
    ["capabilities as text", { ...META, [CAPABILITIES]: "{}" }, CAPABILITIES],
    ["client info that is null", { ...META, [INFO]: null }, INFO],
    ["client info without a version", { ...META, [INFO]: { name: "a" } }, INFO],
    ["client info with a number", { ...META, [INFO]: { name: "a", version: 1 } }, INFO],
    ["an unknown log level", { ...META, [LEVEL]: "loud" }, LEVEL],
    ["a log level that is no string", { ...META, [LEVEL]: 1 }, LEVEL],
  ])("%s", async (_, meta, key) => {
    expect((await ask("tools/call", { name: "echo", _meta: meta }))?.error).toEqual(missing(key));
    expect((await ask("server/discover", { _meta: meta }))?.error).toEqual(missing(key));
  });

  test("an empty `_meta` is not enough for a discover", async () => {
    expect((await ask("server/discover", { _meta: {} }))?.error).toEqual(missing(VERSION));
  });

  test.each(["2025-11-25", "2099-01-01", "", "2026-07-28 ", "latest"])("version %j is not supported", async (requested) => {
    for (const method of ["server/discover", "tools/list", "tools/call", "no/such"]) {
      const params = method === "tools/call" ? { name: "echo" } : {};
      expect((await ask(method, { ...params, _meta: { ...META, [VERSION]: requested } }))?.error).toEqual({
        code: -32022,
        message: "unsupported protocol version",
        data: { supported: ["2026-07-28"], requested },
      });
    }
  });

  test("a refused envelope reaches no corridor", async () => {
    const kit = await openKit();
    await kit.ask(request("tools/call", { name: "echo", _meta: { [VERSION]: "2026-07-28" } }));
    await kit.ask(request("tools/call", { name: "echo", _meta: { ...META, [VERSION]: "2099-01-01" } }));
    expect(kit.corridor.calls).toEqual([]);
  });

  test("optional fields pass", async () => {
    const meta = { ...META, [INFO]: { name: "a", version: "1", extra: 1 }, [LEVEL]: "debug", "vendor.example/x": 1, progressToken: 0 };
    expect((await ask("tools/list", { _meta: meta }))?.result).toBeDefined();
  });

  test("the related-task key belongs to the older revisions", async () => {
    expect((await ask("tools/list", { _meta: { "io.modelcontextprotocol/related-task": { taskId: "t" } } }))?.result).toEqual({
      tools: [LISTED],
    });
  });
});

describe("methods", () => {
  test.each([
    "ping",
    "logging/setLevel",
    "resources/list",
    "prompts/get",
    "subscriptions/listen",
    "tasks/get",
    "x/custom",
    "constructor",
    "",
  ])("%s is -32601", async (method) => {
    expect((await ask(method, { _meta: META }))?.error).toEqual({ code: -32601, message: "method not found" });
  });

  test("initialize opens the legacy era whatever its `_meta`", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" }, _meta: META };
    expect((await ask("initialize", params))?.result?.["protocolVersion"]).toBe("2025-11-25");
  });

  test("tools/list is private and short-lived", async () => {
    expect((await ask("tools/list", { _meta: META }))?.result).toEqual({
      resultType: "complete",
      tools: [LISTED],
      ttlMs: 5000,
      cacheScope: "private",
      _meta: SERVER,
    });
  });

  test("tools/list with a cursor", async () => {
    expect((await ask("tools/list", { cursor: "x", _meta: META }))?.error?.code).toBe(-32602);
  });

  test("tools/call passes the same corridor and completes its result", async () => {
    const kit = await openKit();
    const legacy = await kit.ask(call(1, { a: 1 }));
    const modern = await kit.ask(request("tools/call", { name: "echo", arguments: { a: 1 }, _meta: META }));
    expect(modern?.result).toEqual({
      ...legacy?.result,
      resultType: "complete",
      _meta: { "regate/decision": { decision_id: "d-1" }, ...SERVER },
    });
    expect(kit.corridor.calls.map(({ tool, arguments: args }) => ({ tool, args }))).toEqual([
      { tool: "echo", args: { a: 1 } },
      { tool: "echo", args: { a: 1 } },
    ]);
  });

  test("a refusal stays a result with its text, and says complete", async () => {
    const refusal = {
      content: [{ type: "text", text: "agent: tool is not entitled" }],
      isError: true,
      _meta: { "regate/decision": { code: "x" } },
    };
    const kit = await openKit(recordingCorridor(() => ({ kind: "result", result: refusal })));
    const answer = await kit.ask(request("tools/call", { name: "echo", _meta: META }));
    expect(answer?.result).toEqual({ ...refusal, resultType: "complete", _meta: { ...refusal._meta, ...SERVER } });
    expect(answer?.result).not.toHaveProperty("structuredContent");
  });

  test("a replaced result says complete too", async () => {
    const text = "x".repeat(9 * 1024 * 1024);
    const kit = await openKit(recordingCorridor(() => ({ kind: "result", result: { content: [{ type: "text", text }] } })));
    const answer = await kit.ask(request("tools/call", { name: "echo", _meta: META }));
    expect(answer?.result).toMatchObject({
      resultType: "complete",
      isError: true,
      _meta: { "regate/decision": { code: "call.result_too_large" } },
    });
  });

  test("an unknown tool is -32602", async () => {
    const kit = await openKit(recordingCorridor(() => ({ kind: "unknown_tool" })));
    expect((await kit.ask(request("tools/call", { name: "nosuch", _meta: META })))?.error?.code).toBe(-32602);
  });

  test("a retry with responses and state is judged anew", async () => {
    const kit = await openKit();
    const params = { name: "echo", arguments: {}, inputResponses: { k: {} }, requestState: "forged", _meta: META };
    expect((await kit.ask(request("tools/call", params)))?.result).toMatchObject({
      content: (echoed({}) as { result: { content: object } }).result.content,
    });
    expect(kit.corridor.calls).toHaveLength(1);
  });
});

test("each modern call tells who its client is; a legacy call after it is the legacy client's again", async () => {
  const kit = await openKit();
  const meta = { ...META, [CAPABILITIES]: { elicitation: { form: {} } }, [INFO]: { name: "modern", version: "3" } };
  await kit.ask(request("tools/call", { name: "echo", _meta: meta }));
  await kit.ask(call(2));
  await kit.ask(request("tools/call", { name: "echo", _meta: META }));
  expect(kit.corridor.calls.map(({ client }) => client)).toEqual([
    { elicitation: true, name: "modern", version: "3" },
    { elicitation: false },
    { elicitation: false },
  ]);
});

test.each<[string | undefined, number]>([
  ["debug", 1],
  ["notice", 1],
  ["error", 0],
  [undefined, 0],
])("a notice reaches a modern client whose call names a level that lets it pass: %s", async (level, count) => {
  const human = createHumanLine();
  const shown: unknown[] = [];
  const corridor = recordingCorridor((asked) => {
    shown.push(human.notice({ id: "n-1", url: "https://id.example/go", message: "open it" }, new AbortController().signal));
    return echoed(asked.arguments);
  });
  const kit = await openKit(corridor, human);
  // An older client that opens addresses shares the connection: it is not who asks here.
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: { url: {} } }, clientInfo: { name: "a", version: "1" } };
  await kit.ask(request("initialize", params));
  await kit.ask(request("tools/call", { name: "echo", _meta: { ...META, ...(level === undefined ? {} : { [LEVEL]: level }) } }));
  expect(shown).toEqual([undefined]);
  const notice = { jsonrpc: "2.0", method: "notifications/message", params: { level: "notice", logger: "regate", data: "open it" } };
  expect(kit.sent.map((line) => JSON.parse(line))).toEqual(Array.from({ length: count }, () => notice));
});

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf, folder, impatient, startGateway, type Line } from "./gateway-kit.ts";

const calls = (got: Line[]): string[] => got.filter(({ method }) => method === "tools/call").map(({ params }) => String(params?.["name"]));

const namesIn = ({ result }: Line): string[] => ((result?.["tools"] ?? []) as { name: string }[]).map(({ name }) => name);

describe("one server behind the gateway", () => {
  it("[gateway:decisions] initialize is forwarded and answered unchanged, once", async () => {
    const gateway = startGateway();
    const hello = await gateway.hello({ roots: { listChanged: true } });
    expect(hello.result).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} },
      serverInfo: { name: "fixture", version: "1", extra: 1 },
      instructions: "be kind",
    });
    await gateway.ask({
      id: 2,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "2" } },
    });
    await gateway.call("echo");
    const got = gateway.got();
    expect(got.filter(({ method }) => method === "initialize").map(({ params }) => params)).toEqual([
      { protocolVersion: "2025-11-25", capabilities: { roots: { listChanged: true } }, clientInfo: { name: "kit", version: "1" } },
    ]);
    expect(got.filter(({ method }) => method === "notifications/initialized")).toHaveLength(1);
  });

  it("[gateway:decisions] numbers keep their source text, and what a double does not hold leaves no byte", async () => {
    const gateway = startGateway();
    await gateway.hello();
    await gateway.call("echo");
    gateway.send('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"n":1.10,"a":[1e2,-0,1.0],"0":0.1}}}');
    expect(codeOf(await gateway.until(({ id }) => id === 5))).toBe("ok");
    expect(gateway.bytes()).toContain('"n":1.10,"a":[1e2,-0,1.0]');
    const before = gateway.bytes();
    gateway.send('{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"n":9007199254740993}}}');
    expect(codeOf(await gateway.until(({ id }) => id === 6))).toBe(-32602);
    expect(gateway.bytes()).toBe(before);
  });

  it("[gateway:pumping] params of a call and everything of a result pass key for key", async () => {
    const gateway = startGateway();
    await gateway.hello();
    const params = { arguments: { agent_id: "x", session_id: "y", s: "z" }, _meta: { progressToken: "p", "vendor/x": [1] } };
    const answer = await gateway.ask({ id: 7, method: "tools/call", params: { name: "echo", ...params } });
    expect(gateway.got().findLast(({ method }) => method === "tools/call")?.params).toEqual({ name: "echo", ...params });
    expect(answer.result).toMatchObject({ structuredContent: params.arguments, raw: expect.any(String) });
    const events = gateway.events().filter((event) => (event["input"] as { command?: string } | undefined)?.command === "echo");
    expect(events.at(-1)?.["input"]).toMatchObject({
      arguments: params.arguments,
      tool: { name: "echo", server: "upstream", source: "upstream", known: false, pinned: true, arguments_checked: "types" },
      agent: { risk: "mutable" },
    });
  });

  it("[gateway:refusals-and-codes] hints only tighten: destructiveHint makes a call destructive, readOnlyHint nothing", async () => {
    const gateway = startGateway();
    await gateway.hello();
    await gateway.call("wipe");
    await gateway.call("look");
    const risk = (name: string) =>
      gateway
        .events()
        .map(({ input }) => input as { command?: string; agent: { risk: string } } | undefined)
        .find((input) => input?.command === name)?.agent.risk;
    expect([risk("wipe"), risk("look")]).toEqual(["destructive", "mutable"]);
  });

  it("[gateway:decisions] arguments of another JSON type are refused with the path and leave no byte", async () => {
    const gateway = startGateway();
    await gateway.hello();
    const refused = await gateway.call("echo", { s: 1 });
    expect(codeOf(refused)).toBe("call.arguments_invalid");
    expect(refused.result?.content?.[0]?.text).toContain("`s`: expected string");
    expect(codeOf(await gateway.call("echo", { undeclared: 1 }))).toBe("ok");
    expect(calls(gateway.got())).toEqual(["echo"]);
  });

  it("[gateway:refusals-and-codes] an unknown tool that is allowed is -32602, an unentitled one is not entitled", async () => {
    const stateDir = folder();
    writeFileSync(join(stateDir, "tools.txt"), "echo\n");
    const gateway = startGateway({ stateDir, flags: ["--agent-tools-file", join(stateDir, "tools.txt")] });
    await gateway.hello();
    expect(codeOf(await gateway.call("nope"))).toBe("agent.not_entitled");
    expect(codeOf(await gateway.call("slow"))).toBe("agent.not_entitled");
    const listed = await gateway.ask({ id: 8, method: "tools/list" });
    expect(namesIn(listed)).toEqual(["echo"]);
    expect(calls(gateway.got())).toEqual([]);
    const open = startGateway();
    await open.hello();
    expect(codeOf(await open.call("nope"))).toBe(-32602);
  });

  it("[gateway:decisions] under ai-agent everything is denied, lists are empty and nothing reaches the upstream", async () => {
    const gateway = startGateway({ bundle: "ai-agent", fixture: { tools: [{ name: "audit_log", inputSchema: { type: "object" } }] } });
    await gateway.hello({ roots: {} });
    const list = async (id: number, method: string) => (await gateway.ask({ id, method })).result;
    expect(await list(1, "tools/list")).toMatchObject({ tools: [] });
    expect(await list(2, "resources/list")).toEqual({ resources: [] });
    expect(await list(3, "prompts/list")).toEqual({ prompts: [] });
    for (const name of ["echo", "run_shell", "audit_log"]) expect(codeOf(await gateway.call(name))).toBe("policy.denied");
    const read = await gateway.ask({ id: 4, method: "resources/read", params: { uri: "test://a" } });
    expect(read.error).toMatchObject({ code: 4403, data: { code: "policy.denied", decision_id: expect.any(String) } });
    expect(gateway.got().map(({ method }) => method)).toEqual(["initialize", "notifications/initialized", "tools/list", "tools/list"]);
  });

  it("[gateway:decisions] under identity-gate every upstream tool is mutating, one called whoami too", async () => {
    const gateway = startGateway({ bundle: "identity-gate" });
    await gateway.hello();
    expect(codeOf(await gateway.call("whoami"))).toBe("identity.unconfirmed");
    expect(codeOf(await gateway.call("echo"))).toBe("identity.unconfirmed");
    expect(calls(gateway.got())).toEqual([]);
  });

  it("[gateway:decisions] an unknown method is 4403 under agent-session too, and the known ones pass", async () => {
    const gateway = startGateway();
    await gateway.hello();
    const custom = await gateway.ask({ id: 1, method: "x/custom" });
    expect(custom.error).toMatchObject({ code: 4403, data: { code: "policy.denied" } });
    expect((await gateway.ask({ id: 2, method: "resources/read", params: { uri: "test://a" } })).result).toEqual({
      contents: [{ uri: "test://a", text: "text" }],
    });
    expect((await gateway.ask({ id: 3, method: "prompts/get", params: { name: "hello" } })).result).toMatchObject({
      messages: [expect.anything()],
    });
    expect(gateway.got().some(({ method }) => method === "x/custom")).toBe(false);
  });

  it("[gateway:pumping] progress precedes its result, errors come back unchanged, ping is ours", async () => {
    const gateway = startGateway();
    await gateway.hello();
    await gateway.call("progress", {}, { _meta: { progressToken: 7 } });
    const seen = gateway
      .lines()
      .filter(({ method, result }) => method === "notifications/progress" || result?.content?.[0]?.text === "done");
    expect(seen.map(({ params }) => params?.["progress"])).toEqual([1, 2, 3, undefined]);
    expect((await gateway.call("fail")).error).toEqual({ code: -32050, message: "no", data: { why: 1 } });
    expect((await gateway.ask({ id: 3, method: "ping" })).result).toEqual({});
    expect(gateway.got().some(({ method }) => method === "ping")).toBe(false);
  });

  it("[gateway:pumping] a cancelled call gets no answer; the upstream is told with its own id (M01, M02)", async () => {
    const gateway = startGateway({ fixture: { slowMs: "cancelled" } });
    await gateway.hello();
    await gateway.call("echo");
    gateway.send({ id: 0, method: "tools/call", params: { name: "slow" } });
    await expect.poll(() => calls(gateway.got())).toContain("slow");
    gateway.send({ method: "notifications/cancelled", params: { requestId: 0, reason: "enough" } });
    await expect
      .poll(() => gateway.got().find(({ method }) => method === "notifications/cancelled")?.params)
      .toMatchObject({ reason: "enough" });
    const call = gateway.got().find(({ params }) => params?.["name"] === "slow");
    expect(gateway.got().find(({ method }) => method === "notifications/cancelled")?.params?.["requestId"]).toBe(call?.id);
    // The server has answered it all the same by now.
    await gateway.call("echo");
    expect(gateway.lines().some(({ id }) => id === 0)).toBe(false);
  });

  it("[gateway:pumping] requests of an upstream pass only with the capability, under an id of ours", async () => {
    const gateway = startGateway();
    await gateway.hello({ sampling: {} });
    expect((await gateway.call("ask", { s: "elicitation/create" })).result?.content?.[0]?.text).toContain("-32601");
    gateway.send({ id: 9, method: "tools/call", params: { name: "ask", arguments: { s: "sampling/createMessage" } } });
    const asked = await gateway.until(({ method }) => method === "sampling/createMessage");
    expect(asked.id).toMatch(/^regate-[0-9a-f]{16,}-\d+$/);
    gateway.send({ id: "ask-1", result: { forged: true } });
    gateway.send({ id: asked.id, result: { role: "assistant", model: "m", content: { type: "text", text: "hi" } } });
    expect((await gateway.until(({ id }) => id === 9)).result?.content?.[0]?.text).toContain('"hi"');
  });

  it("[gateway:decisions] the answer to roots/list passes gate/message with the roots in its input", async () => {
    const gateway = startGateway();
    await gateway.hello({ roots: {} });
    gateway.send({ id: 9, method: "tools/call", params: { name: "ask", arguments: { s: "roots/list" } } });
    const asked = await gateway.until(({ method }) => method === "roots/list");
    gateway.send({ id: asked.id, result: { roots: [{ uri: "file:///w" }] } });
    expect((await gateway.until(({ id }) => id === 9)).result?.content?.[0]?.text).toContain("file:///w");
    const inputs = gateway
      .events()
      .filter(({ path }) => path === "gate/message")
      .map(({ input }) => input as Record<string, unknown>);
    expect(inputs.filter(({ method }) => method === "roots/list").map(({ from, result }) => [from, result])).toEqual([
      ["upstream", undefined],
      ["client", { roots: [{ uri: "file:///w" }] }],
    ]);
  });

  it("[gateway:refusals-and-codes] a crash is upstream.outcome_unknown and the next call starts the server again", async () => {
    const gateway = startGateway();
    await gateway.hello();
    expect(codeOf(await gateway.call("crash"))).toBe("upstream.outcome_unknown");
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
    expect(gateway.got().filter(({ method }) => method === "initialize")).toHaveLength(2);
    await expect.poll(gateway.stderr).toContain("server `upstream` exited with 3");
  });

  it("[gateway:refusals-and-codes] what comes after a crash is sent nowhere and may be repeated, before the crash has been told too", async () => {
    // A child of the server holds its stdout open, so that its connection is over some time after it has exited.
    const gateway = startGateway({ flags: ["--sandbox", "none"] });
    await gateway.hello();
    const pid = Number((await gateway.call("pid")).result?.content?.[0]?.text);
    gateway.send({ id: 1, method: "tools/call", params: { name: "crash", arguments: { s: "child" } } });
    await expect.poll(() => existsSync(`/proc/${pid}`), { interval: 5 }).toBe(false);
    const codes = new Set<unknown>();
    while (!codes.has("ok")) {
      const { result } = await gateway.call("echo");
      const { code, retryable } = result?._meta?.["regate/decision"] ?? {};
      codes.add(code === undefined ? "ok" : `${code} ${retryable}`);
    }
    expect(codeOf(await gateway.until(({ id }) => id === 1))).toBe("upstream.outcome_unknown");
    // On a slow machine the crash is told before anything else is called.
    expect(["ok", "upstream.unavailable true"]).toEqual(expect.arrayContaining([...codes]));
    expect(gateway.got().filter(({ params }) => params?.["name"] === "echo")).toHaveLength(1);
  });

  it("[gateway:refusals-and-codes] a call that takes too long is told to stop; a result that is too large is refused", async () => {
    const stateDir = folder();
    const gateway = startGateway({ stateDir, servers: { one: impatient(stateDir) }, flags: ["--max-result-bytes", "5000"] });
    await gateway.hello();
    const late = await gateway.call("hang");
    expect(late.result?._meta?.["regate/decision"]).toMatchObject({ code: "upstream.timeout", retryable: true });
    await expect.poll(() => gateway.got("one").at(-1)?.method).toBe("notifications/cancelled");
    expect(codeOf(await gateway.call("big", { n: 6_000 }))).toBe("upstream.result_too_large");
    expect(codeOf(await gateway.call("big", { n: 4_000 }))).toBe("ok");
  });

  it("[gateway:environment] the environment of a server is exact", async () => {
    const gateway = startGateway({ env: { SECRET: "x", LANG: "C", REGATE_LOCALE: "de", TZ: "UTC" } });
    await gateway.hello();
    const environment = JSON.parse((await gateway.call("env")).result?.content?.[0]?.text ?? "{}") as object;
    expect(Object.keys(environment).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(["HOME", "LANG", "PATH", "TZ"]);
  });

  it("[gateway:pumping] at the end of stdin calls in flight are answered, servers ended, exit code 0", async () => {
    const gateway = startGateway({ fixture: { ignoreEnd: true, ignoreTerm: true } });
    await gateway.hello();
    await gateway.call("echo");
    gateway.send({ id: 1, method: "tools/call", params: { name: "slow" } });
    gateway.send({ id: 2, method: "tools/call", params: { name: "hang" } });
    await expect.poll(() => calls(gateway.got())).toContain("hang");
    // It ends at all, though one call and the server would go on for ever.
    expect((await gateway.finish()).code).toBe(0);
    expect(gateway.lines().find(({ id }) => id === 1)?.result?.content?.[0]?.text).toBe("slow");
  });

  it("[gateway:pumping] what is not one JSON-RPC object of an upstream is dropped and counted", async () => {
    const gateway = startGateway({ fixture: { noise: 'hello\n[1]\n{"jsonrpc":"2.0","id":99,"result":{}}\n{"a":1}\n' } });
    await gateway.hello();
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
    for (const line of gateway.lines()) expect(line["jsonrpc"]).toBe("2.0");
    await expect.poll(gateway.stderr).toContain("dropped an answer to no request");
  });
});

describe("pins", () => {
  it("[gateway:pins] first use is pinned in a private lock file; drift quarantines the tool and leaves no byte (M13)", async () => {
    const gateway = startGateway();
    await gateway.hello();
    await gateway.call("drift");
    await gateway.until(({ method }) => method === "notifications/tools/list_changed");
    const file = join(gateway.stateDir, "state", "pins.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = gateway.bytes();
    const refused = await gateway.call("echo");
    expect(codeOf(refused)).toBe("pin.changed");
    expect(refused.result?.content?.[0]?.text).toContain("regate pins show");
    expect(gateway.bytes()).toBe(before);
    const listed = (await gateway.ask({ id: 3, method: "tools/list" })).result?.["tools"] as { name: string }[];
    expect(listed.some(({ name }) => name === "echo")).toBe(false);
  });

  it("[gateway:decisions] what comes later in the first session is pinned and served; from the next process on it is new", async () => {
    const stateDir = folder();
    const first = startGateway({ stateDir });
    await first.hello();
    await first.call("grow");
    expect(codeOf(await first.call("late"))).toBe("ok");
    await first.finish();
    const second = startGateway({ stateDir });
    await second.hello();
    expect(codeOf(await second.call("late"))).toBe(-32602);
    expect(codeOf(await second.call("grow"))).toBe("ok");
    expect(codeOf(await second.call("late"))).toBe("ok");
  });

  it("[gateway:pins] a lock file that cannot be read: empty lists, every call pin.unreadable, the file untouched", async () => {
    const stateDir = folder();
    const file = join(stateDir, "pins.json");
    writeFileSync(file, "{ not json");
    const gateway = startGateway({ stateDir, flags: ["--pins", file] });
    await gateway.hello();
    expect((await gateway.ask({ id: 3, method: "tools/list" })).result?.["tools"]).toEqual([]);
    expect(codeOf(await gateway.call("echo"))).toBe("pin.unreadable");
    expect(readFileSync(file, "utf8")).toBe("{ not json");
    expect(calls(gateway.got())).toEqual([]);
  });

  it("[gateway:decisions] another command of a server quarantines all of it", async () => {
    const stateDir = folder();
    const first = startGateway({ stateDir });
    await first.hello();
    await first.call("echo");
    await first.finish();
    const second = startGateway({ stateDir, fixture: { name: "other" } });
    await second.hello();
    expect(codeOf(await second.call("echo"))).toBe("pin.server_changed");
    expect((await second.ask({ id: 3, method: "tools/list" })).result?.["tools"]).toEqual([]);
  });

  it("[gateway:pins] hidden text anywhere in a definition", async () => {
    const tools = [
      { name: "zero", description: "a\u200bb", inputSchema: { type: "object" } },
      { name: "deep", inputSchema: { type: "object", properties: { "x\u{e0041}": {} } } },
      { name: "emoji", description: "👩\u200d💻 \u200c", inputSchema: { type: "object" } },
    ];
    const gateway = startGateway({ fixture: { tools } });
    await gateway.hello();
    expect(codeOf(await gateway.call("zero"))).toBe("pin.hidden_text");
    expect(codeOf(await gateway.call("deep"))).toBe("pin.hidden_text");
    expect(codeOf(await gateway.call("emoji"))).toBe("ok");
  });
});

describe("names", () => {
  const only = (name: string) => ({ only: [{ name, inputSchema: { type: "object" } }] });

  it("[gateway:names] tools of several servers are joined, looked up and sent under their own names (M11)", async () => {
    const gateway = startGateway({ servers: { one: only("same"), two: only("same") } });
    const hello = await gateway.hello();
    expect(hello.result?.["serverInfo"]).toMatchObject({ name: "regate" });
    const listed = (await gateway.ask({ id: 3, method: "tools/list" })).result?.["tools"] as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["one__same", "two__same"]);
    expect(codeOf(await gateway.call("two__same"))).toBe("ok");
    expect(calls(gateway.got("one"))).toEqual([]);
    expect(calls(gateway.got("two"))).toEqual(["same"]);
    expect(codeOf(await gateway.call("same"))).toBe(-32602);
    const input = gateway
      .events()
      .map((event) => event["input"] as { command?: string; tool?: object } | undefined)
      .find((one) => one?.command === "two__same");
    expect(input?.tool).toMatchObject({ name: "same", server: "two", source: "upstream" });
  });

  it("[gateway:names] prompts are joined, in completion references too; resources go to their only server", async () => {
    const gateway = startGateway({ servers: { one: { uri: "one://a", name: "1" }, two: { uri: "two://a", name: "2" } } });
    await gateway.hello();
    const prompts = (await gateway.ask({ id: 3, method: "prompts/list" })).result?.["prompts"] as { name: string }[];
    expect(prompts.map(({ name }) => name)).toEqual(["one__hello", "two__hello"]);
    await gateway.ask({ id: 4, method: "prompts/get", params: { name: "two__hello" } });
    expect(gateway.got("two").at(-1)?.params).toEqual({ name: "hello" });
    await gateway.ask({
      id: 5,
      method: "completion/complete",
      params: { ref: { type: "ref/prompt", name: "one__hello" }, argument: { name: "a", value: "" } },
    });
    expect(gateway.got("one").at(-1)?.params).toMatchObject({ ref: { type: "ref/prompt", name: "hello" } });
    const read = await gateway.ask({ id: 6, method: "resources/read", params: { uri: "two://a" } });
    expect(read.result).toEqual({ contents: [{ uri: "two://a", text: "2" }] });
    const shared = startGateway({ servers: { one: {}, two: {} } });
    await shared.hello();
    expect((await shared.ask({ id: 6, method: "resources/read", params: { uri: "test://a" } })).error?.data).toMatchObject({
      code: "name.ambiguous",
    });
    expect((await shared.ask({ id: 7, method: "resources/list" })).result).toEqual({ resources: [] });
  });

  it("[gateway:names] malformed, doubled, broken and too long names are not served and never spoil the rest (M12)", async () => {
    const tool = (name: unknown) => ({ name, inputSchema: { type: "object" } });
    const gateway = startGateway({
      servers: {
        one: { only: [tool("a b"), tool("twice"), tool("twice"), tool(7), null, { name: "broken" }, tool("good"), tool("x".repeat(62))] },
        two: only("good"),
      },
    });
    await gateway.hello();
    const listed = (await gateway.ask({ id: 3, method: "tools/list" })).result?.["tools"] as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["one__good", "two__good"]);
    expect(codeOf(await gateway.call("one__a b"))).toBe("name.ambiguous");
    expect(codeOf(await gateway.call("one__twice"))).toBe("name.ambiguous");
    await expect.poll(gateway.stderr).toContain(`one__${"x".repeat(62)}`);
  });

  it("[gateway:command-line] a command that cannot be started is no reason to stop", async () => {
    const gateway = startGateway({ servers: { gone: { command: "/nonexistent/server" }, two: only("good") } });
    await gateway.hello();
    expect(codeOf(await gateway.call("two__good"))).toBe("ok");
    expect(codeOf(await gateway.call("gone__x"))).toBe("upstream.unavailable");
    await expect.poll(() => gateway.stderr().match(/server `gone` cannot be started/g)).toHaveLength(2);
  });
});

describe("the revision without a handshake", () => {
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };

  it.each([{}, { silentDiscover: true }, { exitOnUnknown: true }])(
    "[gateway:pumping] server/discover does not harm a legacy server %o",
    async (fixture) => {
      const gateway = startGateway({ fixture });
      expect((await gateway.ask({ id: 1, method: "server/discover", params: { _meta: meta } })).error?.code).toBe(-32601);
      await gateway.hello();
      expect(codeOf(await gateway.call("echo"))).toBe("ok");
    },
  );

  it("[gateway:pumping] a client that opens with a modern envelope is served by a legacy server", async () => {
    const gateway = startGateway();
    const listed = await gateway.ask({ id: 1, method: "tools/list", params: { _meta: meta } });
    expect(listed.result).toMatchObject({ resultType: "complete", cacheScope: "private", ttlMs: 5000 });
    const answer = await gateway.call("echo", { s: "x" }, { _meta: meta });
    expect(answer.result).toMatchObject({ resultType: "complete" });
    expect(codeOf(answer)).toBe("ok");
  });

  it("[gateway:pumping] a dual-era server: its own discover result, no initialize, its own params and ids", async () => {
    const gateway = startGateway({ fixture: { modern: true } });
    const discovered = await gateway.ask({ id: 1, method: "server/discover", params: { _meta: meta } });
    expect(discovered.result).toMatchObject({ supportedVersions: ["2026-07-28"], mark: 1, ttlMs: 99 });
    const listed = await gateway.ask({ id: 2, method: "tools/list", params: { _meta: meta } });
    expect(listed.result).toMatchObject({ resultType: "complete", ttlMs: 10_000, cacheScope: "private" });
    expect(codeOf(await gateway.call("echo", { s: "x" }, { _meta: meta }))).toBe("ok");
    expect(gateway.got().findLast(({ method }) => method === "tools/call")?.params).toEqual({
      name: "echo",
      arguments: { s: "x" },
      _meta: meta,
    });
    gateway.send({ id: "listen", method: "subscriptions/listen", params: { _meta: meta, notifications: {} } });
    const acknowledged = await gateway.until(({ method }) => method === "notifications/subscriptions/acknowledged");
    expect(acknowledged.params?.["_meta"]).toEqual({ "io.modelcontextprotocol/subscriptionId": "listen" });
    expect(gateway.got().some(({ method }) => method === "initialize" || method === "notifications/initialized")).toBe(false);
  });
});

describe("the end", () => {
  it("[gateway:pumping] after SIGTERM everything is gone", async () => {
    const gateway = startGateway({ fixture: { ignoreEnd: true, ignoreTerm: true } });
    await gateway.hello();
    const pid = Number((await gateway.call("pid")).result?.content?.[0]?.text);
    const isThere = (id: number): boolean => {
      try {
        return process.kill(id, 0);
      } catch {
        return false;
      }
    };
    expect(isThere(pid)).toBe(true);
    process.kill(gateway.pid, "SIGTERM");
    await expect.poll(() => isThere(pid) || isThere(gateway.pid)).toBe(false);
  });

  it("[gateway:pumping] a second request with an id in flight is -32600", async () => {
    const gateway = startGateway();
    await gateway.hello();
    gateway.send({ id: 5, method: "tools/call", params: { name: "hang" } });
    gateway.send({ id: 5, method: "tools/call", params: { name: "echo" } });
    expect((await gateway.until(({ id }) => id === 5)).error?.code).toBe(-32600);
    expect(codeOf(await gateway.ask({ id: "5", method: "tools/call", params: { name: "echo" } }))).toBe("ok");
  });
});

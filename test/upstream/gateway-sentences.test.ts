import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codeOf, folder, impatient, startGateway, type GatewayProcess, type Line } from "./gateway-kit.ts";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const calls = (got: Line[]): Line[] => got.filter(({ method }) => method === "tools/call");

const MARK = "a mark between lines";

/** What a server got, without the marks. */
const unmarked = (bytes: string): string =>
  bytes
    .split("\n")
    .filter((line) => !line.includes(MARK))
    .join("\n");

/** Sends lines and gives what came of them, and the bytes that they left at the server; the server's answer to a call behind them marks the end. */
async function sentBetween(gateway: GatewayProcess, lines: readonly string[]): Promise<{ answers: Line[]; left: string }> {
  await gateway.call("echo", { s: MARK });
  const [before, seen] = [gateway.bytes(), gateway.lines().length];
  for (const line of lines) gateway.send(line);
  await gateway.ask({ id: `mark-${seen}`, method: "tools/call", params: { name: "echo", arguments: { s: MARK } } });
  const left = unmarked(gateway.bytes().slice(before.length));
  return {
    answers: gateway
      .lines()
      .slice(seen)
      .filter(({ id }) => id !== `mark-${seen}`),
    left,
  };
}

const callLine = (params: string, id = "1"): string => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}`;

describe("refused messages", () => {
  it("[gateway:refusals-and-codes] leave zero bytes at the server, whatever their shape (CVE-2026-27896, GHSA-q382-vc8q-7jhj, toolhive#5745, cmcp#159)", async () => {
    const gateway = startGateway();
    await gateway.hello();
    const shapes: readonly [string, string, string | number | undefined][] = [
      ["no id", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}', undefined],
      ["batch", `[${callLine('{"name":"echo"}')}]`, -32600],
      ["Name beside name", callLine('{"name":"echo","Name":"wipe"}'), -32600],
      ["Name alone", callLine('{"Name":"echo"}'), -32600],
      ["name twice", callLine('{"name":"echo","name":"wipe"}'), -32700],
      ["trailing NUL in a key", callLine('{"name":"echo","name\\u0000":"wipe"}'), -32600],
      ["long s", callLine('{"name":"echo","argument\\u017f":{}}'), -32600],
      ["kelvin", '{"jsonrpc":"2.0","id":1,"method":"ping","\\u212aey":1}', -32600],
      ["foreign key", callLine('{"name":"echo","extra":1}'), -32602],
      ["Method", '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"}}', -32600],
      ["method twice", '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"echo"}}', -32700],
      ["another version", '{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"echo"}}', -32600],
      ["id null", callLine('{"name":"echo"}', "null"), -32600],
      ["id a fraction", callLine('{"name":"echo"}', "1.5"), -32600],
      ["id an object", callLine('{"name":"echo"}', "{}"), -32600],
      ["id of ours", callLine('{"name":"echo"}', '"regate-0123456789abcdef01234567-1"'), -32600],
      ["params a list", callLine('["echo"]'), -32602],
      ["arguments a list", callLine('{"name":"echo","arguments":[]}'), -32602],
      ["not JSON", "{", -32700],
      ["Echo", callLine('{"name":"Echo"}'), -32602],
      [" echo", callLine('{"name":" echo"}'), -32602],
      ["full width", callLine('{"name":"\\uff45cho"}'), -32602],
      ["unknown method", '{"jsonrpc":"2.0","id":1,"method":"x/custom","params":{}}', 4403],
      ["no types", callLine('{"name":"echo","arguments":{"s":1}}'), "call.arguments_invalid"],
      ["a result and a method", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},"result":{}}', -32600],
      ["an answer to nothing", '{"jsonrpc":"2.0","id":"ask-1","result":{}}', undefined],
      ["a huge integer", callLine('{"name":"echo","arguments":{"n":9007199254740993}}'), "any"],
      ["too long", callLine(`{"name":"echo","arguments":{"s":"${"x".repeat(4 * 1024 * 1024)}"}}`), -32600],
    ];
    const wrong: unknown[] = [];
    await sentBetween(gateway, []);
    let expected = unmarked(gateway.bytes());
    for (const [what, line, code] of shapes) {
      const { answers, left } = await sentBetween(gateway, [line]);
      const got = answers.map(codeOf);
      expected += left;
      if (code === "any" ? left !== "" && !left.includes("9007199254740993") : left !== "") wrong.push([what, "left", left.slice(0, 300)]);
      if (code !== "any" && JSON.stringify(got) !== JSON.stringify(code === undefined ? [] : [code]))
        wrong.push([what, "answers", answers]);
    }
    expect(wrong).toEqual([]);
    // Nothing came later either.
    await sleep(100);
    expect(unmarked(gateway.bytes())).toBe(expected);
  });

  it("[gateway:decisions] numbers keep their source text or are refused", async () => {
    const gateway = startGateway();
    await gateway.hello();
    for (const text of ["0.1", "1.0", "1e2", "-0", "1.10", "1E+2", "123456789012", "5e-324", "0.30000000000000004"]) {
      const { answers, left } = await sentBetween(gateway, [callLine(`{"name":"echo","arguments":{"n":${text},"deep":[{"x":${text}}]}}`)]);
      expect([text, answers.map(codeOf)]).toEqual([text, ["ok"]]);
      expect(left).toContain(`{"n":${text},"deep":[{"x":${text}}]}`);
    }
    for (const text of ["9007199254740993", "1e400", "0.1000000000000000000000000000001"]) {
      const { left } = await sentBetween(gateway, [callLine(`{"name":"echo","arguments":{"n":${text}}}`)]);
      if (left !== "") expect(left).toContain(`"n":${text}`);
    }
  });
});

describe("messages of a server", () => {
  it("[gateway:pumping] what it says comes back unchanged", async () => {
    const gateway = startGateway();
    await gateway.hello();
    const texts = [
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"unknown","n":1.10,"big":9007199254740993}],"zzz":{"b":1,"a":2},"isError":false}}',
      '{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":[1,2.50],"content":[],"_meta":{"x/y":1.0}}}',
      '{"jsonrpc":"2.0","id":ID,"result":{}}',
      '{"jsonrpc":"2.0","id":ID,"result":{"toolResult":1}}',
    ];
    for (const [index, s] of texts.entries()) {
      await gateway.ask({ id: index, method: "tools/call", params: { name: "say", arguments: { s, answers: true } } });
      const line =
        gateway
          .raw()
          .split("\n")
          .find((one) => one.includes(`"id":${index},`)) ?? "";
      const inner = s.slice('{"jsonrpc":"2.0","id":ID,"result":{'.length, -2).replace(/,?"_meta":\{"x\/y":1.0\}/, "");
      expect(line).toContain(inner);
    }
    await gateway.call("say", {
      s: '{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"MCP error","data":{"n":1.50,"z":null},"more":1}}',
      answers: true,
    });
    expect(gateway.raw()).toContain('"error":{"code":-32001,"message":"MCP error","data":{"n":1.50,"z":null},"more":1}');
    await gateway.call("say", {
      s: '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":1.50},"more":true}}',
    });
    expect(gateway.raw()).toContain('{"level":"info","data":{"n":1.50},"more":true}');
    await gateway.call("say", { s: '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a\u2028b\u0085c"}}' });
    expect(gateway.lines().at(-2)?.params).toEqual({ data: "a\u2028b\u0085c" });
  });

  it("[gateway:pumping] a result is passed whatever numbers and texts it holds, up to the limit, and nesting without end is survived", async () => {
    const gateway = startGateway();
    await gateway.hello();
    for (const text of [
      '"b":9007199254740993',
      '"b":1e400',
      '"b":1e21',
      '"b":"\\ud800"',
      '"__proto__":{"a":1}',
      `"deep":${"[".repeat(100)}${"]".repeat(100)}`,
    ]) {
      await gateway.call("say", { s: `{"jsonrpc":"2.0","id":ID,"result":{"content":[],${text}}}`, answers: true });
      expect(gateway.raw()).toContain(`{"content":[],${text},"_meta"`);
    }
    expect(codeOf(await gateway.call("big", { n: 7_000_000 }))).toBe("ok");
    const endless = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    await gateway.call("say", { s: `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${endless}}}` });
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
  });

  it("[gateway:pumping] second answers are dropped, and answers to no request", async () => {
    const gateway = startGateway();
    await gateway.hello();
    await gateway.call("say", { s: '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"first":true}}' });
    await gateway.call("say", {
      s: '{"jsonrpc":"2.0","id":"x","result":{}}\n{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}\n[]\nnull\n1\n"x"\n{}\n{"jsonrpc":"2.0"}',
    });
    await gateway.call("echo");
    const answers = gateway.lines().filter(({ id, method }) => method === undefined && id !== "hello");
    expect(answers).toHaveLength(3);
    expect(answers[0]?.result?.["first"]).toBe(true);
  });

  it("[gateway:pumping] a ping and a question before its own answer to initialize are answered", async () => {
    const early = [
      '{"jsonrpc":"2.0","id":"early","method":"ping"}',
      '{"jsonrpc":"2.0","id":77,"method":"sampling/createMessage","params":{}}',
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
    ];
    const gateway = startGateway({ fixture: { early } });
    await gateway.hello();
    await gateway.call("echo");
    const of = (id: unknown) => gateway.got().filter((line) => line.id === id && line.method === undefined);
    expect(of("early").map(({ result }) => result)).toEqual([{}]);
    expect(of(77).map(({ error }) => error?.code)).toEqual([-32601]);
  });

  it("[gateway:pumping] the params of a call are the client's, key for key", async () => {
    const gateway = startGateway();
    await gateway.hello();
    const params =
      '{"name":"echo","_meta":{"traceparent":"00-x","vendor/k":1.0,"progressToken":"p"},"arguments":{"agent_id":"a","session_id":"s","__proto__":{"x":1},"constructor":1}}';
    const { left } = await sentBetween(gateway, [callLine(params)]);
    expect(left).toContain(`"params":${params}}`);
    const { left: none } = await sentBetween(gateway, [callLine('{"name":"echo"}')]);
    expect(none).toContain('"params":{"name":"echo"}}');
    const logged = gateway
      .events()
      .map(({ input }) => input as { command?: string; arguments?: object })
      .filter((input) => input?.command === "echo");
    expect(logged.some((input) => JSON.stringify(input.arguments)?.includes("agent_id"))).toBe(true);
  });

  it("[gateway:pumping] equal progress tokens of two calls in flight are told apart", async () => {
    const gateway = startGateway();
    await gateway.hello();
    gateway.send({ id: 1, method: "tools/call", params: { name: "hang", _meta: { progressToken: 5 } } });
    gateway.send({ id: 2, method: "tools/call", params: { name: "progress", _meta: { progressToken: 5 } } });
    gateway.send({ id: 3, method: "tools/call", params: { name: "progress", _meta: { progressToken: "5" } } });
    for (const wanted of [2, 3]) await gateway.until(({ id }) => id === wanted);
    expect(
      gateway
        .lines()
        .filter(({ method }) => method === "notifications/progress")
        .map(({ params }) => params?.["progressToken"]),
    ).toEqual([5, 5, 5, "5", "5", "5"]);
    const sent = calls(gateway.got()).map(({ params }) => (params?.["_meta"] as { progressToken: unknown } | undefined)?.progressToken);
    expect(new Set(sent).size).toBe(3);
  });

  it("[gateway:pumping] a client that only initialises leaves the upstream with what Regate may send", async () => {
    const gateway = startGateway({ servers: { one: {}, two: {} } });
    await gateway.hello({ roots: {}, sampling: {} });
    await gateway.ask({ id: 2, method: "tools/list" });
    await gateway.ask({ id: 3, method: "prompts/list" });
    await gateway.ask({ id: 4, method: "resources/list" });
    for (const name of ["one", "two"]) {
      const methods = gateway.got(name).map(({ method }) => method);
      expect(methods.filter((m) => m === "initialize")).toHaveLength(1);
      expect(methods.filter((m) => m === "notifications/initialized")).toHaveLength(1);
      for (const m of methods)
        expect([
          "initialize",
          "notifications/initialized",
          "tools/list",
          "prompts/list",
          "resources/list",
          "resources/templates/list",
        ]).toContain(m);
    }
  });
});

describe("names, further", () => {
  it("[gateway:names] a joined prompt name is looked up: an unknown or too long one leaves no byte", async () => {
    const gateway = startGateway({ servers: { one: { prompts: ["hello", "p".repeat(62)] }, two: {} } });
    await gateway.hello();
    const prompts = (await gateway.ask({ id: 3, method: "prompts/list" })).result?.["prompts"] as { name: string }[];
    expect(prompts.map(({ name }) => name)).toEqual(["one__hello", "two__hello"]);
    await expect.poll(gateway.stderr).toContain(`one__${"p".repeat(62)}`);
    for (const name of ["hello", "one__nope", "one__" + "p".repeat(62), "three__hello", "one__two__hello"]) {
      expect([name, (await gateway.ask({ id: `get ${name}`, method: "prompts/get", params: { name } })).error?.code]).toEqual([
        name,
        -32602,
      ]);
      const ref = { type: "ref/prompt", name };
      const complete = { id: `c ${name}`, method: "completion/complete", params: { ref, argument: { name: "a", value: "" } } };
      expect([name, (await gateway.ask(complete)).error?.code]).toEqual([name, -32602]);
    }
    for (const server of ["one", "two"]) {
      expect(gateway.got(server).some(({ method }) => method === "prompts/get" || method === "completion/complete")).toBe(false);
    }
  });

  it("[gateway:names] with one server a name that is malformed or listed twice is ambiguous and named on stderr", async () => {
    const tool = (name: unknown) => ({ name, inputSchema: { type: "object" } });
    const gateway = startGateway({
      fixture: { only: [tool("a/b"), tool("x".repeat(65)), tool("é"), tool("d"), tool("d"), tool("d"), tool("y".repeat(64)), tool("")] },
    });
    await gateway.hello();
    const listed = (await gateway.ask({ id: 3, method: "tools/list" })).result?.["tools"] as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(["y".repeat(64)]);
    for (const name of ["a/b", "x".repeat(65), "é", "d"]) {
      expect([name, codeOf(await gateway.call(name))]).toEqual([name, "name.ambiguous"]);
      await expect.poll(gateway.stderr).toContain(name);
    }
    expect(calls(gateway.got())).toEqual([]);
  });

  it("[gateway:names] the id of the `--` form, the source and whether a tool is known", async () => {
    const gateway = startGateway();
    await gateway.hello();
    await gateway.call("run_shell", { s: "x" });
    const input = gateway
      .events()
      .map((event) => event["input"] as { command?: string; tool?: object; shell?: unknown } | undefined)
      .find((one) => one?.command === "run_shell");
    expect(input?.tool).toMatchObject({
      name: "run_shell",
      server: "upstream",
      source: "upstream",
      known: false,
      arguments_checked: "types",
    });
    expect(input?.shell ?? null).toBe(null);
    expect(calls(gateway.got())).toHaveLength(1);
  });
});

describe("refusals, further", () => {
  it("[gateway:refusals-and-codes] one frozen form", async () => {
    const stateDir = folder();
    const gateway = startGateway({ servers: { one: impatient(stateDir) }, stateDir });
    await gateway.hello();
    for (const [name, retryable] of [
      ["hang", true],
      ["crash", false],
    ] as const) {
      const { result } = await gateway.call(name);
      expect(Object.keys(result ?? {}).toSorted()).toEqual(["_meta", "content", "isError"]);
      expect(result?._meta?.["regate/decision"]?.retryable).toBe(retryable);
      expect(result?.content).toHaveLength(1);
    }
  });

  it("[gateway:refusals-and-codes] on modern requests with resultType: complete", async () => {
    const gateway = startGateway({ bundle: "ai-agent" });
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const answer = await gateway.call("echo", {}, { _meta: meta });
    expect(answer.result).toMatchObject({ resultType: "complete", isError: true });
    expect(codeOf(answer)).toBe("policy.denied");
  });

  it("[gateway:decisions] a server that never answers initialize: Regate answers before it gives the server up", async () => {
    const gateway = startGateway({ fixture: { initMs: 100_000 } });
    const hello = await gateway.hello();
    expect(gateway.stderr()).not.toContain("did not come up");
    expect(hello.result?.["serverInfo"]).toMatchObject({ name: "regate" });
  });
});

describe("pins, further", () => {
  it("[gateway:pins] a client that asks for tools only says nothing about prompts: each kind has its first use", async () => {
    const stateDir = folder();
    const first = startGateway({ stateDir });
    await first.hello();
    await first.call("echo");
    await first.finish();
    const second = startGateway({ stateDir });
    await second.hello();
    expect((await second.ask({ id: 1, method: "prompts/list" })).result?.["prompts"]).toHaveLength(1);
    await second.finish();
  });

  it("[gateway:pins] a pinned tool that disappears is reported, and served again when it returns unchanged", async () => {
    const stateDir = folder();
    // The server's own argv must stay: what it lists comes from a file.
    const first = startGateway({ stateDir, env: {}, fixture: { dropFirst: `${stateDir}/drop` } });
    await first.hello();
    expect(codeOf(await first.call("echo"))).toBe("ok");
    await first.finish();
    writeFileSync(`${stateDir}/drop`, "");
    const second = startGateway({ stateDir, fixture: { dropFirst: `${stateDir}/drop` } });
    await second.hello();
    expect(codeOf(await second.call("echo"))).toBe(-32602);
    await expect.poll(second.stderr).toContain("no longer listed: `echo`");
    rmSync(`${stateDir}/drop`);
    await second.ask({ id: 1, method: "tools/list" });
    expect(codeOf(await second.call("echo"))).toBe("ok");
  });
});

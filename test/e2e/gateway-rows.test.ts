import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";
import { codeOf, folder, startGateway, type GatewayProcess, type Line, type Started } from "../upstream/gateway-kit.ts";

// Rows of known vulnerabilities and field reports that no other file drives through the gateway with a logging server behind it.

afterAll(closeBuilds);

const called = (got: readonly Line[]): string[] =>
  got.filter(({ method }) => method === "tools/call").map(({ params }) => String(params?.["name"]));

const ENTRYPOINTS = ["gate/decision", "gate/listing", "gate/message", "gate/result"];

/** A bundle of one module. */
async function bundleOf(rego: string, entrypoints: readonly string[] = ENTRYPOINTS): Promise<string> {
  const file = join(folder(), "bundle.tar.gz");
  writeFileSync(file, await buildBundle({ rego: `${ALL}${rego}\n`, entrypoints }));
  return file;
}

// Everything passes for a bound claim, but for what the rest says.
const ALL = `package gate

plain := {"allow": true, "reasons": [], "effect": "none", "confirm": "none"} if input.agent.session_id == input.session_id

default listing := {"allow": false}

listing := plain

default message := {"allow": false}

message := plain

`;
const PASSES = `default result := {"allow": false}

result := object.union(plain, {"redact": []})
`;

async function ready(started: Started, capabilities: object = {}): Promise<GatewayProcess> {
  const gateway = startGateway(started);
  await gateway.hello(capabilities);
  return gateway;
}

describe("[gateway:names] hostile lists and texts", () => {
  it("a template or uri made to take for ever is answered, and leaves no byte (CVE-2026-0621)", async () => {
    const templates = [
      `{x}${"a".repeat(30_000)}b${"a".repeat(30_000)}{y}`,
      "{x}a".repeat(30_000),
      "{".repeat(100_000),
      `{?${"a*,".repeat(20_000)}a*}`,
      "{x}{y}{z}{x}{y}{z}!",
    ];
    const gateway = await ready({ servers: { one: { templates }, two: { uri: "two://a" } } });
    for (const [id, uri] of ["a".repeat(65_536), "a".repeat(1_000_000), "?a=".repeat(20_000), "{x}".repeat(20_000)].entries()) {
      const answer = await gateway.ask({ id, method: "resources/read", params: { uri } });
      expect([id, answer.error?.code]).toEqual([id, -32602]);
    }
    for (const name of ["one", "two"]) expect(gateway.got(name).map(({ method }) => method)).not.toContain("resources/read");
    expect(codeOf(await gateway.call("two__echo"))).toBe("ok");
  });

  it("names of every object are data and names like others: as tools, arguments and ids", async () => {
    const gateway = await ready({ bundle: "ai-agent" });
    const open = await ready({});
    const args = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}},"toString":1}') as object;
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect([name, codeOf(await gateway.call(name, args))]).toEqual([name, "policy.denied"]);
      expect([name, codeOf(await open.call(name, args))]).toEqual([name, -32602]);
      gateway.send(`{"jsonrpc":"2.0","id":"${name}","method":"tools/call","params":{"name":"echo","arguments":{"${name}":{}}}}`);
      expect(codeOf(await gateway.until(({ id }) => id === name))).toBe("policy.denied");
    }
    expect([...called(gateway.got()), ...called(open.got())]).toEqual([]);
    open.send('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"isAdmin":true}}}}');
    await open.until(({ id }) => id === 1);
    expect(open.bytes()).toContain('"arguments":{"__proto__":{"isAdmin":true}}');
    expect(JSON.stringify(open.events())).toContain('"arguments":{"__proto__":{"isAdmin":true}}');
  });
});

describe("[gateway:decisions] policy that gives no allow leaves no byte (invariants 6, 7, 11)", () => {
  it.each([
    ["policy.no_decision", "decision := plain if input.never"],
    ["policy.malformed", 'decision := object.union(plain, {"more": 1})'],
    ["policy.non_boolean_allow", 'decision := object.union(plain, {"allow": "true"})'],
    ["policy.error", 'decision := plain if input.arguments.s == "a"\n\ndecision := {"allow": false} if input.command == "echo"'],
  ])("%s", async (code, rego) => {
    const gateway = await ready({ bundle: await bundleOf(`${rego}\n\n${PASSES}`) });
    expect(codeOf(await gateway.call("echo", { s: "a" }))).toBe(code);
    expect(called(gateway.got())).toEqual([]);
  });

  it("a policy that never ends", async () => {
    const numbers = Array.from({ length: 300 }, (_, at) => at + 1).join(", ");
    const rego = `numbers := [${numbers}]

endless if {
	input.arguments.s == "endless"
	_never
}

_never if {
	some a in numbers
	some b in numbers
	some c in numbers
	some d in numbers
	((a * b) * c) * d < 0
}

decision := object.union(plain, {"allow": count([x | endless; x := 1]) == 0})

${PASSES}`;
    const gateway = await ready({
      bundle: await bundleOf(rego),
      flags: ["--policy-deadline-ms", "5000"],
    });
    expect(codeOf(await gateway.call("echo", { s: "endless" }))).toBe("policy.error");
    expect(called(gateway.got())).toEqual([]);
    expect(codeOf(await gateway.call("echo", { s: "quick" }))).toBe("ok");
  });

  it("a bundle without `gate/message` refuses every message", async () => {
    const gateway = await ready({ bundle: await bundleOf("decision := plain", ENTRYPOINTS.slice(0, 2)) });
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
    for (const method of ["resources/read", "prompts/get", "completion/complete", "x/custom"]) {
      const params = { uri: "test://a", name: "hello" };
      expect([method, (await gateway.ask({ id: method, method, params })).error?.code]).toEqual([method, 4403]);
      expect(gateway.got().map((line) => line.method)).not.toContain(method);
    }
  });

  it("a retry with answers is evaluated anew", async () => {
    const gateway = await ready({ bundle: await bundleOf(`decision := plain if input.usage.calls < 1\n\n${PASSES}`) });
    expect(codeOf(await gateway.call("echo", { s: "first" }))).toBe("ok");
    const bytes = gateway.bytes();
    const retry = { inputResponses: { key: { action: "accept", content: {} } }, requestState: "opaque" };
    expect(codeOf(await gateway.call("echo", { s: "first" }, retry))).toBe("policy.no_decision");
    expect(gateway.bytes()).toBe(bytes);
  });

  it("entitlement comes before everything: an unentitled destructive call says no more than that", async () => {
    const stateDir = folder();
    writeFileSync(join(stateDir, "tools.txt"), "echo\n");
    const flags = ["--agent-tools-file", join(stateDir, "tools.txt")];
    const gateway = await ready({ stateDir, flags, bundle: "ai-agent" });
    const texts = await Promise.all(["wipe", "not_there"].map(async (name) => (await gateway.call(name)).result?.content));
    expect(texts[0]).toEqual([{ type: "text", text: "agent: tool is not entitled" }]);
    expect(texts[1]).toEqual(texts[0]);
    expect(called(gateway.got())).toEqual([]);
  });

  it("a result that asks has a rule of its own, and so has the result of a task", async () => {
    const rego = `decision := plain

asks if input.result.resultType == "input_required"

asks if input.method == "tasks/result"

result := object.union(plain, {"redact": []}) if not asks

result := object.union(plain, {"allow": false, "deny_reason": "no questions"}) if asks
`;
    const gateway = await ready({ bundle: await bundleOf(rego) });
    const request = '{"k":{"method":"elicitation/create","params":{"message":"your password"}}}';
    const s = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":${request}}}`;
    const answer = await gateway.call("say", { s, answers: true });
    expect([codeOf(answer), answer.result?.content?.[0]?.text]).toEqual(["policy.denied", "no questions"]);
    const task = await gateway.ask({ id: 1, method: "tasks/result", params: { taskId: "secret" } });
    expect(task.error).toMatchObject({ code: 4403, message: "no questions", data: { code: "policy.denied" } });
    expect(gateway.raw()).not.toMatch(/your password|task secret/);
    expect(gateway.got().some(({ method }) => method === "tasks/result")).toBe(true);
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
  });
});

describe("[gateway:pins] a configuration that was changed later (CVE-2025-54136)", () => {
  it("the server's command is another one: no call reaches it under the trusted name", async () => {
    const stateDir = folder();
    const first = await ready({ stateDir });
    await first.call("echo");
    await first.finish();
    const before = first.bytes();
    const second = await ready({ stateDir, fixture: { name: "evil" } });
    for (const name of ["echo", "wipe"]) {
      expect([name, codeOf(await second.call(name))]).toEqual([name, "pin.server_changed"]);
    }
    const read = await second.ask({ id: 1, method: "resources/read", params: { uri: "test://a" } });
    expect(read.error?.data).toMatchObject({ code: "pin.server_changed" });
    expect(second.got().some(({ method }) => method === "resources/read")).toBe(false);
    expect(called(second.got())).toHaveLength(
      called(
        before
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Line),
      ).length,
    );
  });
});

describe("[gateway:pumping] field reports through the gateway", () => {
  const outputSchema = { type: "object", required: ["exit_code"], properties: { exit_code: { type: "integer" } } };

  it("what is refused has no structured content, whether or not the tool declares any (M04, M06)", async () => {
    const tool = { name: "big", inputSchema: { type: "object", properties: { n: { type: "number" } } }, outputSchema };
    const flags = ["--max-result-bytes", "5000", "--upstream-timeout-ms", "60000"];
    const gateway = await ready({ fixture: { only: [tool] }, flags });
    for (const [args, code] of [
      [{ n: "one" }, "call.arguments_invalid"],
      [{ n: 10_000 }, "upstream.result_too_large"],
    ] as const) {
      const { result } = await gateway.call("big", args);
      expect(result?._meta?.["regate/decision"]).toMatchObject({ code });
      expect([code, Object.keys(result ?? {}).toSorted()]).toEqual([code, ["_meta", "content", "isError"]]);
    }
    expect(called(gateway.got())).toEqual(["big"]);
  });

  it("separators inside strings cut no line, on either side (M07)", async () => {
    const gateway = await ready({});
    const text = "a\u2028b\u2029c\u0085d\u000be\u000cf";
    gateway.send(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"t":"a\u2028b\u2029c\u0085d\\u000be\\ff"}}}`,
    );
    const answer = await gateway.until(({ id }) => id === 1);
    expect(answer.result?.["structuredContent"]).toEqual({ t: text });
    expect(gateway.bytes()).toContain("a\u2028b\u2029c\u0085d");
    expect(called(gateway.got())).toEqual(["echo"]);
  });

  it("a definition that came in two pieces, cut inside a character, has the digest of one (M08)", async () => {
    const digests = await Promise.all(
      [undefined, 1, 2, 3].map(async (splitAfter) => {
        const fixture = { description: "reads 😀 files", ...(splitAfter === undefined ? {} : { splitAfter }) };
        const gateway = await ready({ fixture });
        const { result } = await gateway.ask({ id: 1, method: "tools/list" });
        expect(JSON.stringify(result)).toContain("reads 😀 files");
        const pins = JSON.parse(readFileSync(join(gateway.stateDir, "state/pins.json"), "utf8")) as {
          servers: { upstream: { tools: { echo: { digest: string } } } };
        };
        return pins.servers.upstream.tools.echo.digest;
      }),
    );
    expect(new Set(digests).size).toBe(1);
  });

  it("long names that would be one when shortened are both absent and named (M12)", async () => {
    const names = ["create", "delete"].map((verb) => `${verb}_${"x".repeat(48)}_item`);
    const only = names.map((name) => ({ name, inputSchema: { type: "object" } }));
    const gateway = await ready({ servers: { longserver: { only }, two: {} } });
    const listed = JSON.stringify((await gateway.ask({ id: 1, method: "tools/list" })).result);
    for (const name of names) {
      expect(listed).not.toContain(name);
      await expect.poll(() => gateway.stderr()).toContain(`longserver__${name}`);
      expect(codeOf(await gateway.call(`longserver__${name}`))).not.toBe("ok");
    }
    expect(called(gateway.got("longserver"))).toEqual([]);
  });

  it("a client that never answers a server's question holds up nothing else (M16)", async () => {
    const gateway = await ready({ flags: ["--upstream-timeout-ms", "5000"] }, { elicitation: {} });
    gateway.send({ id: 1, method: "tools/call", params: { name: "ask", arguments: { s: "elicitation/create" } } });
    await gateway.until(({ method }) => method === "elicitation/create");
    expect(codeOf(await gateway.call("echo"))).toBe("ok");
    expect(gateway.lines().some(({ id }) => id === 1)).toBe(false);
    expect(codeOf(await gateway.until(({ id }) => id === 1))).toBe("upstream.timeout");
    await expect.poll(() => gateway.got().at(-1)?.method).toBe("notifications/cancelled");
  });

  it("schemas of servers pass as they are, in the dialect that they name; of an unknown one the tool is not served (M22)", async () => {
    const only = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema", "https://example.com/own"].map(
      ($schema, at) => ({
        name: `tool${at}`,
        inputSchema: { $schema, type: "object", definitions: { a: {} }, properties: { n: { type: "number" } } },
      }),
    );
    const gateway = await ready({ fixture: { only } });
    expect((await gateway.ask({ id: 1, method: "tools/list" })).result?.["tools"]).toEqual(only.slice(0, 2));
    for (const name of ["tool0", "tool1"]) {
      expect([name, codeOf(await gateway.call(name, { n: "1" }))]).toEqual([name, "call.arguments_invalid"]);
    }
    await expect.poll(() => gateway.stderr()).toContain("tool `tool2` is not served");
    expect(codeOf(await gateway.call("tool2", { n: 1 }))).not.toBe("ok");
    expect(called(gateway.got())).toEqual([]);
    expect(codeOf(await gateway.call("tool0", { n: 1 }))).toBe("ok");
  });
});

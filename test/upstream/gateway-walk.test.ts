import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROGRAM } from "../e2e/run.ts";
import { ENVELOPE } from "../e2e/http-kit.ts";
import { codeOf, folder, startGateway, type Line } from "./gateway-kit.ts";

const schema = { type: "object" };

describe("sentences about policy, pins and names", () => {
  it.each([
    ["in the sandbox it does not find them", "auto", /no server `a` has listed anything yet/],
    ["without it is refused", "none", /an agent's process and what it starts decide nothing/],
  ])("[gateway:command-line] `pins accept` by a server: %s", async (_name, sandbox, said) => {
    const home = folder();
    const out = join(home, "out");
    const accept = `${process.execPath} ${PROGRAM} pins accept --state-dir ${join(home, "state")} a > ${out} 2>&1; echo "code $?" >> ${out}`;
    const run = { command: "sh", args: ["-c", `sleep 0.5; ${accept}; exec cat > /dev/null`] };
    const gateway = startGateway({ stateDir: home, servers: { a: {}, run }, flags: ["--sandbox", sandbox] });
    await gateway.hello();
    await gateway.call("a__drift");
    await expect.poll(() => (existsSync(out) ? readFileSync(out, "utf8") : "")).toMatch(/code [^0]/);
    expect(readFileSync(out, "utf8")).toMatch(said);
    expect(codeOf(await gateway.call("a__echo"))).toBe("pin.changed");
  });

  it("[gateway:decisions] the allowlist names tools only", async () => {
    const allowed = join(folder(), "tools.txt");
    writeFileSync(allowed, "echo\n");
    const gateway = startGateway({ flags: ["--agent-tools-file", allowed] });
    await gateway.hello();
    const { tools } = (await gateway.ask({ id: 1, method: "tools/list" })).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["echo"]);
    expect(codeOf(await gateway.call("look"))).toBe("agent.not_entitled");
    const others: [string, object][] = [
      ["resources/read", { uri: "test://a" }],
      ["prompts/get", { name: "hello" }],
      ["completion/complete", { ref: { type: "ref/prompt", name: "hello" }, argument: { name: "x", value: "" } }],
      ["resources/subscribe", { uri: "test://a" }],
    ];
    for (const [method, params] of others)
      expect([method, (await gateway.ask({ id: method, method, params })).error]).toEqual([method, undefined]);
  });

  it("[gateway:refusals-and-codes] every retry of a question is a decision of its own, with the arguments that were forwarded", async () => {
    const gateway = startGateway({ fixture: { modern: true } });
    const asks = {
      inputRequests: { who: { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object" } } } },
    };
    const result = { resultType: "input_required", ...asks, requestState: "st\u00e4te==" };
    const args = { s: JSON.stringify({ jsonrpc: "2.0", id: "ID", result }).replace('"ID"', "ID"), answers: true };
    const first = await gateway.call("say", args, { _meta: ENVELOPE });
    expect(first.result).toMatchObject(result);
    const more = { _meta: ENVELOPE, inputResponses: { who: { action: "accept", content: {} } }, requestState: "st\u00e4te==" };
    for (const s of ["again", "and again"]) await gateway.call("echo", { s }, more);
    const sent = gateway.got().filter(({ method }) => method === "tools/call");
    expect(sent.map(({ params }) => params)).toEqual([
      { name: "say", arguments: args, _meta: ENVELOPE },
      { name: "echo", arguments: { s: "again" }, ...more },
      { name: "echo", arguments: { s: "and again" }, ...more },
    ]);
    const judged = gateway.events().flatMap((event) => ((event["input"] as Line | undefined)?.["arguments"] === undefined ? [] : [event]));
    expect(judged.map((event) => (event["input"] as Line)["arguments"])).toEqual([args, { s: "again" }, { s: "and again" }]);
    expect(new Set(judged.map((event) => event["decision_id"])).size).toBe(3);
  });

  it("[gateway:pins] hidden text: each character of the list anywhere in a tool, and none of those that are allowed", async () => {
    const hidden = [0xad, 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x202a, 0x202e, 0x2060, 0x2064, 0x2066, 0x206f, 0xfeff, 0xfff9, 0xfffb];
    const further = [0xe0000, 0xe0041, 0xe007f, 0x1b, 0x00, 0x08, 0x0b, 0x0c, 0x1f];
    const places = (char: string): object[] => [
      { description: `x${char}` },
      { title: char },
      { inputSchema: { ...schema, properties: { [`k${char}`]: {} } } },
      { inputSchema: { ...schema, properties: { k: { enum: [[char]] } } } },
      { annotations: { title: `a${char}b` } },
      { _meta: { "x/y": char } },
    ];
    const tool = (code: number, place: object, index: number): object => ({
      name: `t${code.toString(16)}-${index}`,
      inputSchema: schema,
      ...place,
    });
    const bad = [...hidden, ...further].flatMap((code) =>
      places(String.fromCodePoint(code)).map((place, index) => tool(code, place, index)),
    );
    const good = [0x200c, 0x200d, 0x09, 0x0a, 0x0d, 0x2065, 0x2070, 0xe0080].map((code) =>
      tool(code, { description: String.fromCodePoint(code) }, 9),
    );
    const file = join(folder(), "tools.json");
    writeFileSync(file, JSON.stringify([...bad, ...good]));
    const gateway = startGateway({ fixture: { onlyFile: file } });
    await gateway.hello();
    const { tools } = (await gateway.ask({ id: 1, method: "tools/list" })).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(good.map((one) => (one as { name: string }).name));
    for (const one of bad.filter((_tool, index) => index % 17 === 0))
      expect(codeOf(await gateway.call((one as { name: string }).name, {}))).toBe("pin.hidden_text");
  });

  it("[gateway:pins] changed instructions, prompts and templates are left out and refused in the next process", async () => {
    const stateDir = folder();
    const start = async (fixture: object) => {
      const servers = { one: fixture };
      const gateway = startGateway({ stateDir, servers });
      const { result } = await gateway.hello();
      const ask = (method: string, params = {}): Promise<Line> =>
        gateway.ask({ id: `${method} ${JSON.stringify(params)}`, method, params });
      const listed = async (method: string, key: string) => (await ask(method)).result?.[key];
      const lists = [await listed("prompts/list", "prompts"), await listed("resources/templates/list", "resourceTemplates")];
      const prompt = await ask("prompts/get", { name: "hello" });
      await gateway.finish();
      return { instructions: result?.["instructions"], lists, prompt: codeOfError(prompt) };
    };
    const command = { command: process.execPath, args: [join(import.meta.dirname, "fixture-server.mjs"), "-", "{}"] };
    expect(await start(command)).toMatchObject({ instructions: "be kind", lists: [[{}], [{}]], prompt: undefined });
    const file = join(stateDir, "state", "pins.json");
    const pins = JSON.parse(readFileSync(file, "utf8")) as { servers: { one: Record<string, Record<string, { digest: string }>> } };
    for (const kind of ["instructions", "prompts", "templates"])
      for (const pin of Object.values(pins.servers.one[kind] ?? {})) pin.digest = `sha256:${"0".repeat(64)}`;
    writeFileSync(file, JSON.stringify(pins));
    expect(await start(command)).toEqual({ instructions: undefined, lists: [[], []], prompt: "pin.changed" });
  });

  it("[gateway:names] a hostile template or uri is answered in bounded time (CVE-2026-0621)", async () => {
    const uri = `test:/${"{a}/".repeat(2_000)}`;
    const gateway = startGateway({ servers: { a: { uri }, b: { uri: "test://b" } } });
    await gateway.hello();
    // An expression made of the template would not be done within the time that the test has.
    const answer = await gateway.ask({ id: 1, method: "resources/read", params: { uri: `test:/${"a/".repeat(50_000)}!` } });
    expect(answer.error?.code ?? "served").toBeDefined();
  });
});

function codeOfError({ error }: Line): unknown {
  return error?.data?.["code"];
}

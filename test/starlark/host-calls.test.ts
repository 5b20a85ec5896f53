import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/call/json.ts";
import { createHostCalls } from "../../src/starlark/host-calls.ts";
import type { HostCall, HostRequest } from "../../src/starlark/host-calls.ts";
import { endOf, sharedEngine, SLOW } from "./kit.ts";

const engine = sharedEngine();
const signal = new AbortController().signal;

/** A host that answers each request with `reply`, and what it was asked. */
function host(reply: JsonValue = null): { asked: HostRequest[]; call: HostCall } {
  const asked: HostRequest[] = [];
  return { asked, call: (request) => (asked.push(request), Promise.resolve(reply)) };
}

async function ask(text: string): Promise<{ end: string; asked: HostRequest[] }> {
  const { asked, call } = host("ok");
  const end = await createHostCalls(call)
    .answer(text, signal)
    .catch((error: Error) => error.message);
  return { end, asked };
}

describe("a request out of the thread is not trusted", () => {
  it("a name and arguments are passed on", async () => {
    expect(await ask('{"tool":"t","arguments":{"a":1}}')).toEqual({ end: '"ok"', asked: [{ tool: "t", arguments: { a: 1 } }] });
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", '["t"]'],
    ["null", "null"],
    ["no arguments", '{"tool":"t"}'],
    ["no tool", '{"arguments":{}}'],
    ["arguments that are a list", '{"tool":"t","arguments":[]}'],
    ["arguments that are null", '{"tool":"t","arguments":null}'],
    ["a tool that is no string", '{"tool":1,"arguments":{}}'],
    ["a lone surrogate in the name", String.raw`{"tool":"\ud800","arguments":{}}`],
    ["a claim of its own", '{"tool":"t","arguments":{},"agent":{"id":"root"}}'],
    ["a path of its own", '{"tool":"t","arguments":{},"path":"direct"}'],
    ["another function", '{"function":"exec","tool":"t","arguments":{}}'],
    ["a key twice", '{"tool":"t","tool":"u","arguments":{}}'],
    ["a key twice inside", '{"tool":"t","arguments":{"a":1,"a":2}}'],
    ["a prototype in place of members", '{"__proto__":{"tool":"t","arguments":{}}}'],
  ])("%s is malformed", async (_name, text) => {
    expect(await ask(text)).toEqual({ end: "malformed host request", asked: [] });
  });

  it("64 KiB are the most", async () => {
    const request = (size: number): string => JSON.stringify({ tool: "t", arguments: { a: "x".repeat(size - 33) } });
    expect((await ask(request(65_536))).end).toBe('"ok"');
    expect(await ask(request(65_537))).toEqual({ end: "host request is too large", asked: [] });
  });
});

describe("tool()", SLOW, () => {
  it.each<[string, string, HostRequest]>([
    ["a name alone", 'tool("a_b")', { tool: "a_b", arguments: {} }],
    [
      "every kind of data",
      'tool("t", n=None, b=True, i=-3, f=1.5, s="é", l=[1, (2,)], d={"k": {}}, r=range(2))',
      { tool: "t", arguments: { n: null, b: true, i: -3, f: 1.5, s: "é", l: [1, [2]], d: { k: {} }, r: [0, 1] } },
    ],
    [
      "any name of an argument",
      'tool("t", name="x", tool="y", **{"a-b": 1, "__proto__": 2})',
      { tool: "t", arguments: JSON.parse('{"name":"x","tool":"y","a-b":1,"__proto__":2}') },
    ],
    [
      "names of the claim, which are only arguments",
      'tool("t", agent_id="root", session_id="mcp-1")',
      { tool: "t", arguments: { agent_id: "root", session_id: "mcp-1" } },
    ],
    ["a function that a script kept", 'f = {"g": [tool]}["g"][0]\nf("t")', { tool: "t", arguments: {} }],
  ])("asks the host with %s", async (_name, source, request) => {
    const { asked, call } = host();
    await engine.evaluate({ source, call });
    expect(asked).toEqual([request]);
  });

  it.each([
    ["no name", "tool()", "got 0 positional arguments, want 1: the tool's name"],
    ["two names", 'tool("a", "b")', "got 2 positional arguments, want 1: the tool's name"],
    ["a name that is no string", "tool(1)", "the name must be a string of UTF-8 text"],
    ["a name that is no text", 'tool("é"[:1])', "the name must be a string of UTF-8 text"],
    ["an argument twice", 'tool("t", a=1, **{"a": 2})', /multiple values|duplicate keyword/],
    ["a function", 'tool("t", a=len)', "an argument is unfit: a value of type `builtin_function_or_method` cannot be passed"],
    ["a set", 'tool("t", a=set())', "an argument is unfit: a value of type `set` cannot be passed"],
    ["bytes", 'tool("t", a=b"x")', "an argument is unfit: a value of type `bytes` cannot be passed"],
    ["an integer beyond 2^53", 'tool("t", a=1 << 53)', "an argument is unfit: an integer beyond 2^53 cannot be passed"],
    ["a float that is not finite", 'tool("t", a=float("nan"))', "an argument is unfit: a float that is not finite cannot be passed"],
    ["text that is not UTF-8", 'tool("t", a="é"[1:])', "an argument is unfit: a string that is not UTF-8 cannot be passed"],
    ["a list in itself", 'x = []\nx.append(x)\ntool("t", a=x)', "an argument is unfit: nested in itself"],
    ["too much", 'tool("t", a="x" * 65536)', "host request is too large"],
  ])("does not ask with %s", async (_name, source, problem) => {
    const { asked, call } = host();
    const end = (await endOf(engine.evaluate({ source, call }))) as string;
    expect(asked).toEqual([]);
    if (typeof problem === "string") expect(end.replace(/^script\.star:\d+:\d+: Error in tool: /, "")).toBe(problem);
    else expect(end).toMatch(problem);
  });

  it.each<[string, JsonValue]>([
    ["text", 'a "b" é'],
    ["null", null],
    ["numbers", [1, 2.5, -0.125, 9_007_199_254_740_991]],
    ["objects", { a: { b: [true, null, "x"] }, constructor: 1 }],
  ])("gives what the host replies: %s", async (_name, reply) => {
    expect(await endOf(engine.evaluate({ source: 'x = tool("t")', call: host(reply).call }))).toEqual({ x: reply });
  });

  it("gives a value of the script's own", async () => {
    expect(await endOf(engine.evaluate({ source: 'x = tool("t")\nx["b"] = 2', call: host({ a: 1 }).call }))).toEqual({ x: { a: 1, b: 2 } });
  });

  it("is answered 32 times", async () => {
    const { asked, call } = host();
    expect(await endOf(engine.evaluate({ source: 'x = [tool("t") for i in range(32)]\nx = len(x)', call }))).toMatchObject({ x: 32 });
    expect(await endOf(engine.evaluate({ source: 'x = [tool("t") for i in range(100000)]', call }))).toBe("too many host calls");
    expect(asked).toHaveLength(64);
  });

  it("refuses a reply of more than 64 KiB", async () => {
    expect(await endOf(engine.evaluate({ source: 'x = len(tool("t"))', call: host("x".repeat(65_534)).call }))).toEqual({ x: 65_534 });
    expect(await endOf(engine.evaluate({ source: 'x = len(tool("t"))', call: host("x".repeat(65_535)).call }))).toBe(
      "host reply is too large",
    );
  });

  it("whatever the host throws ends the script at once", async () => {
    const asked: string[] = [];
    const call: HostCall = ({ tool }) => (asked.push(tool), tool === "bad" ? Promise.reject(new Error("no")) : Promise.resolve(1));
    const source = 'tool("a")\nx = [tool("bad"), tool("b")]\ntool("c")';
    expect(await endOf(engine.evaluate({ source, call }))).toBe("no");
    expect(asked).toEqual(["a", "bad"]);
  });

  it("is aborted at the time limit, and settled before the end is told", async () => {
    const { openStarlark } = await import("../../src/starlark/engine.ts");
    const hurried = openStarlark({ limits: { steps: 1_000_000, timeMs: 3_000, memoryMb: 64, outputBytes: 1 } });
    const events: string[] = [];
    const call: HostCall = async (_request, stop) => {
      await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve()));
      events.push("aborted");
      await pause(20);
      events.push("settled");
      throw new Error("too late");
    };
    const end = await endOf(hurried.evaluate({ source: 'tool("t")', call }));
    events.push("told");
    await hurried.close();
    expect(end).toBe("time limit exceeded");
    expect(events).toEqual(["aborted", "settled", "told"]);
  });
});

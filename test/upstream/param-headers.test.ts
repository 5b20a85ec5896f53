import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { paramMismatch } from "../../src/server/gateway-params.ts";
import { paramHeaders } from "../../src/upstream/param-headers.ts";
import { ENVELOPE, modern, send, startHttp } from "../e2e/http-kit.ts";
import { fixtureEntry, folder } from "./gateway-kit.ts";

const SCHEMA = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    n: { type: "integer", "x-mcp-header": "N" },
    on: { type: "boolean", "x-mcp-header": "On" },
    deep: { type: "object", properties: { tenant: { type: "string", "x-mcp-header": "Tenant" } } },
    free: { type: "string" },
  },
};
const wrapped = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

describe("[gateway:http] what `Mcp-Param-*` headers say of the arguments", () => {
  it.each([
    [{ region: "eu" }, { region: "eu" }, undefined],
    [{ region: "eu" }, { region: "EU" }, "Mcp-Param-Region"],
    [{ region: "eu" }, {}, "Mcp-Param-Region"],
    [{ region: "eu" }, { region: wrapped("eu") }, undefined],
    [{ region: "Ürümqi " }, { region: wrapped("Ürümqi ") }, undefined],
    [{ region: "eu" }, { region: wrapped("us") }, "Mcp-Param-Region"],
    [{ region: "Hello" }, { region: "=?base64?SGVsbG8?=" }, "Mcp-Param-Region"],
    [{ region: "Hello" }, { region: "=?base64?SGVs!!!bG8=?=" }, "Mcp-Param-Region"],
    [{ region: "=?base64?SGVs!!!bG8=?=" }, { region: "=?base64?SGVs!!!bG8=?=" }, "Mcp-Param-Region"],
    [{ region: "SGVsbG8=" }, { region: "SGVsbG8=" }, undefined],
    [{ region: "=?base64?SGVsbG8=" }, { region: "=?base64?SGVsbG8=" }, undefined],
    [{}, { region: "eu" }, "Mcp-Param-Region"],
    [{ region: null }, { region: "null" }, "Mcp-Param-Region"],
    [{ region: null }, {}, undefined],
    [{ region: "" }, { region: "" }, undefined],
    [{ n: 42 }, { n: "42" }, undefined],
    [{ n: 42 }, { n: "42.0" }, undefined],
    [{ n: 42 }, { n: "0x2a" }, "Mcp-Param-N"],
    [{ n: 42 }, { n: "43" }, "Mcp-Param-N"],
    [{ n: 2 ** 60 }, { n: "1152921504606846976" }, undefined],
    [{ n: 2 ** 60 }, { n: "1152921504606846977" }, "Mcp-Param-N"],
    [{ n: 2 ** 60 }, {}, undefined],
    [{ n: "42" }, { n: "42" }, undefined],
    [{ n: [1] }, {}, undefined],
    [{ n: [1] }, { n: "1" }, "Mcp-Param-N"],
    [{ on: true }, { on: "true" }, undefined],
    [{ on: true }, { on: "True" }, "Mcp-Param-On"],
    [{ deep: { tenant: "t" } }, { tenant: "t" }, undefined],
    [{ deep: { tenant: "t" } }, {}, "Mcp-Param-Tenant"],
    [{ free: "x" }, { free: "y", unknown: "z" }, undefined],
  ] as [JsonObject, Record<string, string>, string | undefined][])("%j with %j", (args, given, wrong) => {
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [`mcp-param-${name}`, [value]]));
    expect(paramMismatch(SCHEMA, args, headers)).toBe(wrong);
  });

  it("one header twice is a mismatch, with equal values too", () => {
    expect(paramMismatch(SCHEMA, { region: "eu" }, { "mcp-param-region": ["eu", "eu"] })).toBe("Mcp-Param-Region");
  });

  it("declarations that break a rule do not count", () => {
    const type = "string";
    const properties = {
      a: { type, "x-mcp-header": "no token" },
      b: { type: "array", "x-mcp-header": "B" },
      c: { "x-mcp-header": "C" },
      d: { type, "x-mcp-header": "Twice" },
      e: { type, "x-mcp-header": "twice" },
      f: { type: "array", items: { type, "x-mcp-header": "F" } },
      g: { type, "x-mcp-header": "" },
      h: { type, "x-mcp-header": "H" },
    };
    expect(paramHeaders({ properties }).map(({ header }) => header)).toEqual(["Mcp-Param-H"]);
  });
});

describe("[gateway:http] `Mcp-Param-*` through the gateway", () => {
  const tool = { name: "route", inputSchema: SCHEMA };
  const call = (args: object, headers: Record<string, string | readonly string[]>, name = "route") => {
    const sent = modern("tools/call", { name, arguments: args });
    return { headers: { ...sent.headers, ...headers }, body: sent.body };
  };

  it("a mismatch is 400 and -32020, leaves no byte at a server over stdio, and says nothing of a tool that is not entitled", async () => {
    const home = folder();
    const [config, log, allowed] = ["mcp.json", "log", "tools.txt"].map((name) => join(home, name)) as [string, string, string];
    const servers = { a: fixtureEntry(log, { tools: [tool, { ...tool, name: "secret" }] }), b: fixtureEntry("-", { only: [tool] }) };
    writeFileSync(config, JSON.stringify({ mcpServers: servers }));
    writeFileSync(allowed, "a__route\n");
    const { port } = await startHttp(["proxy", "--bundle", "agent-session", "--config", config, "--agent-tools-file", allowed]);
    // The first request of all: its server is still coming up.
    const first = await send(port, call({ region: "evil" }, { "mcp-param-region": "eu" }, "a__route"));
    expect([first.status, first.messages[0]?.error?.code]).toEqual([400, -32020]);
    for (const headers of [{}, { "mcp-param-region": "eu" }, { "mcp-param-region": ["evil", "evil"] }]) {
      const reply = await send(port, call({ region: "evil" }, headers, "a__route"));
      expect([reply.status, reply.messages[0]?.error]).toEqual([
        400,
        { code: -32020, message: "`Mcp-Param-Region` is missing or does not say what the body says" },
      ]);
    }
    expect(existsSync(log) ? readFileSync(log, "utf8") : "").not.toContain("evil");
    const fits = await send(port, call({ region: "eu", free: "x" }, { "mcp-param-region": "eu", "mcp-param-other": "y" }, "a__route"));
    expect(fits.messages[0]?.result?.["isError"]).toBeUndefined();
    expect(readFileSync(log, "utf8")).toContain('"arguments":{"region":"eu","free":"x"}');
    const hidden = await send(port, call({ region: "evil" }, {}, "a__secret"));
    expect(hidden.messages[0]?.result?.["_meta"]?.["regate/decision"]?.code).toBe("agent.not_entitled");
  });

  it("a server over HTTP gets them made from the body that is forwarded, and none of the client's", async () => {
    const heads: Record<string, unknown>[] = [];
    const server = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      request.on("end", () => {
        const { id, method } = JSON.parse(text || "{}") as { id?: unknown; method?: string };
        if (method === "tools/call") heads.push(request.headers);
        const results: Record<string, object> = {
          "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, resultType: "complete" },
          "tools/list": { tools: [tool], resultType: "complete", ttlMs: 0, cacheScope: "private" },
          "tools/call": { content: [], resultType: "complete" },
        };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method ?? ""] ?? {} }));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const config = join(folder(), "mcp.json");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    writeFileSync(config, JSON.stringify({ mcpServers: { far: { url } } }));
    const { port } = await startHttp(["proxy", "--bundle", "agent-session", "--config", config]);
    const given = { "mcp-param-region": wrapped("Zürich"), "mcp-param-n": "42.0", "mcp-param-tenant": "t", "mcp-param-sneaky": "x" };
    const reply = await send(port, call({ region: "Zürich", n: 42, deep: { tenant: "t" } }, given));
    expect(reply.status).toBe(200);
    expect(heads[0]).toMatchObject({
      "mcp-param-region": wrapped("Zürich"),
      "mcp-param-n": "42",
      "mcp-param-tenant": "t",
      "mcp-name": "route",
    });
    expect(heads[0]).not.toHaveProperty("mcp-param-sneaky");
    expect(ENVELOPE["io.modelcontextprotocol/protocolVersion"]).toBe(heads[0]?.["mcp-protocol-version"]);
  });
});

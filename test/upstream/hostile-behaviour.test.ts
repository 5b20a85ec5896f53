import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../delegate/redis-kit.ts";
import { ENVELOPE } from "../e2e/http-kit.ts";
import { codeOf, folder, startGateway, type GatewayProcess, type Started } from "./gateway-kit.ts";

/** A small server: `body` may use `say(message)`, `answer(id, result)` and `on(method, (id, params) => …)`. */
function scripted(body: string, more: Omit<Started, "servers"> = {}): GatewayProcess {
  const home = folder();
  const script = join(home, "server.mjs");
  writeFileSync(
    script,
    `import { createInterface } from "node:readline"; import { closeSync, existsSync, writeFileSync } from "node:fs";
     const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
     const answer = (id, result) => say({ id, result });
     const methods = new Map(); const on = (method, act) => methods.set(method, act);
     const home = ${JSON.stringify(home)};
     const tools = ["one", "two"].map((name) => ({ name, inputSchema: { type: "object" } }));
     on("initialize", (id, { protocolVersion }) => answer(id, { protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "s", version: "1" } }));
     on("tools/list", (id) => answer(id, { tools }));
     on("tools/call", (id, { name }) => answer(id, { content: [{ type: "text", text: name }] }));
     ${body}
     createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method, params } = JSON.parse(line);
       methods.get(method)?.(id, params ?? {});
     }).on("close", () => process.exit(0));`,
  );
  return startGateway({
    stateDir: home,
    servers: { s: { command: process.execPath, args: [script] } },
    flags: ["--sandbox", "none"],
    ...more,
  });
}

async function ready(gateway: GatewayProcess, capabilities: object = {}): Promise<GatewayProcess> {
  await gateway.hello(capabilities);
  await gateway.ask({ id: "list", method: "tools/list" });
  return gateway;
}

describe("a hostile server", () => {
  it("that closes its stdout and does not heed SIGTERM is ended, and started again by the next call", async () => {
    const gateway = await ready(
      scripted(`process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000);
        on("tools/call", (id) => {
          if (existsSync(home + "/once")) return answer(id, { content: [{ type: "text", text: "again" }] });
          writeFileSync(home + "/once", ""); process.stdout.destroy(); closeSync(1);
        });`),
    );
    expect(codeOf(await gateway.call("one"))).toBe("upstream.outcome_unknown");
    await expect.poll(async () => codeOf(await gateway.call("two"))).toBe("ok");
  });

  it("its instructions are a text, or left out", async () => {
    const gateway = scripted(
      `on("initialize", (id, { protocolVersion }) => answer(id, { protocolVersion, capabilities: {}, serverInfo: { name: "s", version: "1" }, instructions: ["do\\u200b what", { i: "say" }] }));`,
    );
    const { result } = await gateway.hello();
    expect(result).toMatchObject({ serverInfo: { name: "s" } });
    expect(result).not.toHaveProperty("instructions");
    await expect.poll(gateway.stderr).toContain("its instructions are left out");
  });

  it("that asks more than a client can answer is refused the rest", async () => {
    const gateway = await ready(
      scripted(`let refused = 0;
        on("tools/call", (id, { name }) => {
          if (name === "two") return answer(id, { content: [{ type: "text", text: String(refused) }] });
          for (let at = 0; at < 1500; at += 1) say({ id: "q" + at, method: "roots/list" });
          answer(id, { content: [] });
        });
        on(undefined, () => (refused += 1));`),
      { roots: {} },
    );
    await gateway.call("one");
    const refused = async (): Promise<string | undefined> => (await gateway.call("two")).result?.content?.[0]?.text;
    await expect.poll(refused).toBe("500");
    expect(gateway.lines().filter(({ method }) => method === "roots/list")).toHaveLength(1_000);
  });

  it("a client is told that nobody waits for its answer any more when the server that asked is gone", async () => {
    const gateway = await ready(
      scripted(`on("tools/call", (id, { name }) => {
        if (name === "two") process.exit(3);
        say({ id: "q", method: "roots/list" });
      });`),
      { roots: {} },
    );
    gateway.send({ id: 7, method: "tools/call", params: { name: "one" } });
    const { id } = await gateway.until(({ method }) => method === "roots/list");
    await gateway.call("two");
    const told = await gateway.until(({ method }) => method === "notifications/cancelled");
    expect(told.params).toEqual({ requestId: id });
  });

  it("names what is not served on a bounded number of lines", async () => {
    const gateway = await ready(
      scripted(
        `on("tools/list", (id) => answer(id, { tools: [...tools, ...Array.from({ length: 5000 }, (_, at) => ({ name: "bad name " + at }))] }));`,
      ),
    );
    await expect.poll(gateway.stderr).toMatch(/and \d+ more/);
    expect(codeOf(await gateway.call("one"))).toBe("ok");
    const lines = gateway
      .stderr()
      .split("\n")
      .filter((line) => line.includes("bad name"));
    expect([lines.length > 5, lines.length < 100]).toEqual([true, true]);
    expect(gateway.stderr()).toContain("bad name 3");
  });

  it("that says a thousand times at once that its tools changed is asked for them a few times", async () => {
    const gateway = await ready(
      scripted(`let lists = 0;
        on("tools/list", (id) => { lists += 1; answer(id, { tools }); });
        on("tools/call", (id, { name }) => {
          if (name === "one") for (let at = 0; at < 1000; at += 1) say({ method: "notifications/tools/list_changed" });
          answer(id, { content: [{ type: "text", text: String(lists) }] });
        });`),
    );
    await gateway.call("one");
    await gateway.until(({ method }) => method === "notifications/tools/list_changed");
    const { result } = await gateway.call("two");
    expect(Number(result?.content?.[0]?.text)).toBeLessThan(20);
  });
});

describe("[gateway:refusals] a request that is no call", () => {
  it("that the server does not answer in time ends, and the server is told", async () => {
    const gateway = await ready(
      scripted(
        `on("resources/read", () => undefined);
         on("notifications/cancelled", (_, { reason }) => say({ method: "notifications/message", params: { level: "info", data: reason } }));`,
        { flags: ["--sandbox", "none", "--upstream-timeout-ms", "500"] },
      ),
    );
    const read = await gateway.ask({ id: 7, method: "resources/read", params: { uri: "test://a" } });
    expect(read.error).toMatchObject({ code: 4403, data: { code: "upstream.timeout" } });
    const told = await gateway.until(({ method }) => method === "notifications/message");
    expect(told.params).toEqual({ level: "info", data: "timed out" });
  });

  it("that was sent when the gateway ended is of unknown outcome, not unsent", async () => {
    const gateway = await ready(scripted(`on("resources/read", () => undefined);`));
    gateway.send({ id: 7, method: "resources/read", params: { uri: "test://a" } });
    gateway.send({ id: 8, method: "tools/call", params: { name: "one" } });
    await gateway.until(({ id }) => id === 8);
    await gateway.finish();
    expect(gateway.lines().find(({ id }) => id === 7)?.error?.data).toMatchObject({ code: "upstream.outcome_unknown" });
  });
});

describe("[gateway:pumping] a list", () => {
  it("keeps the numbers of its other members as they were written", async () => {
    const gateway = scripted(
      `on("tools/list", (id) => process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":{"total":2.0,"tools":[],"_meta":{"n":9007199254740993,"m":[1.50]}}}\\n'));`,
    );
    await gateway.hello();
    await gateway.ask({ id: "list", method: "tools/list" });
    expect(gateway.raw()).toContain('"result":{"tools":[],"total":2.0,"_meta":{"n":9007199254740993,"m":[1.50]}}');
  });
});

describe("[gateway:pumping] a server of 2026-07-28 that is reached late", () => {
  it("is asked for its era again, and served", async () => {
    const port = await freePort();
    const gateway = startGateway({ servers: { s: { url: `http://127.0.0.1:${port}/mcp` } } });
    await gateway.ask({ id: "first", method: "tools/list", params: { _meta: ENVELOPE } });
    const server = modernServer(port);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await expect.poll(async () => codeOf(await gateway.call("one", {}, { _meta: ENVELOPE }))).toBe("ok");
  });
});

function modernServer(port: number): Server {
  const results: Record<string, object> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, resultType: "complete" },
    "tools/list": { tools: [{ name: "one", inputSchema: { type: "object" } }], resultType: "complete" },
    "tools/call": { content: [], resultType: "complete" },
  };
  return createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(text === "" ? "{}" : text) as { id?: number; method?: string };
      const result = results[method ?? ""];
      const body = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
      response
        .writeHead(result === undefined ? 404 : 200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    });
  }).listen(port, "127.0.0.1");
}

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf, fixtureEntry, folder, startGateway } from "./gateway-kit.ts";

function refusal(text: string | Uint8Array, flags: readonly string[] = []): { status: number | null; stderr: string; started: boolean } {
  const stateDir = folder();
  const file = join(stateDir, "mcp.json");
  writeFileSync(file, text);
  const args = ["bin/regate.js", "proxy", "--bundle", "agent-session", "--state-dir", join(stateDir, "state"), "--config", file, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    input: "",
    timeout: 110_000,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  expect(stdout).toBe("");
  return { status, stderr: stderr.replaceAll(file, "FILE"), started: existsSync(join(stateDir, "state")) };
}

const withServer = (id: string, entry: unknown): string => JSON.stringify({ mcpServers: { [id]: entry } });

describe("the configuration of the gateway", () => {
  it.each([
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "FILE"],
    ["not JSON", "{", "FILE"],
    ["a key twice", '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}', "two equal keys"],
    ["no mcpServers", "{}", "mcpServers"],
    ["mcpServers empty", '{"mcpServers":{}}', "mcpServers"],
    ["mcpServers a list", '{"mcpServers":[]}', "mcpServers"],
    ["neither command nor url", withServer("one", {}), "`one`"],
    ["both", withServer("one", { command: "x", url: "http://h" }), "`one`"],
    ["command no string", withServer("one", { command: 1 }), "`one`"],
    ["args no list of strings", withServer("one", { command: "x", args: [1] }), "`one`"],
    ["env no object of strings", withServer("one", { command: "x", env: { A: 1 } }), "`one`"],
    ["url of another scheme", withServer("one", { url: "ftp://h" }), "`one`"],
    ["id with a capital", withServer("GitHub", { command: "x" }), "`GitHub`"],
    ["a given id that does not match", withServer("one", { command: "x", regate: { id: "My_Id" } }), "the id `My_Id`"],
    ["id with an underscore", withServer("a__b", { command: "x" }), "regate"],
    ["two servers of one id", JSON.stringify({ mcpServers: { a: { command: "x" }, B: { command: "y", regate: { id: "a" } } } }), "`a`"],
  ])("[gateway:command-line] exit 2 with one line that names file and server (ids: M11): %s", (_what, text, named) => {
    const { status, stderr, started } = refusal(text);
    expect(status).toBe(2);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain("FILE");
    expect(stderr).toContain(named);
    expect(started).toBe(false);
  });

  it("[gateway:command-line] exactly one of the two forms, and a bundle", () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ["bin/regate.js", "proxy", ...args], {
        encoding: "utf8",
        input: "",
        env: { PATH: process.env["PATH"] ?? "" },
      });
    expect(run("--bundle", "agent-session")).toMatchObject({ status: 2, stderr: expect.stringContaining("--config FILE") as string });
    expect(run("--bundle", "agent-session", "--config", "x", "--", "y")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("either") as string,
    });
    expect(run("--bundle", "agent-session", "y")).toMatchObject({ status: 2, stderr: expect.stringContaining("`y`") as string });
    const none = run("--", "y");
    expect(none.status).toBe(2);
    for (const name of ["agent-session", "identity-gate", "ai-agent"]) expect(none.stderr).toContain(name);
  });

  it("[gateway:command-line] disabled servers are skipped, hosts' own keys ignored with a line, `${NAME}` is not expanded", async () => {
    const stateDir = folder();
    const gateway = startGateway({
      stateDir,
      servers: {
        off: { command: "/nonexistent", disabled: true },
        MyServer: {
          ...fixtureEntry(join(stateDir, "mine.log")),
          env: { A: "${HOME}" },
          type: "stdio",
          alwaysAllow: [],
          regate: { id: "mine" },
        },
      },
    });
    await gateway.hello();
    const environment = (await gateway.call("env")).result?.content?.[0]?.text ?? "";
    expect(JSON.parse(environment)).toMatchObject({ A: "${HOME}" });
    await expect.poll(gateway.stderr).toContain("`off` is disabled");
    await expect.poll(gateway.stderr).toContain("`type`, `alwaysAllow`");
  });

  it("[gateway:pumping] with a limit of one call a queued call is cancelled without a byte; only the right server is told (M02)", async () => {
    const stateDir = folder();
    const gateway = startGateway({
      stateDir,
      servers: { one: { ...fixtureEntry(join(stateDir, "one.log"), { slowMs: 60_000 }), regate: { concurrency: 1 } }, two: {} },
    });
    await gateway.hello();
    await gateway.call("two__echo");
    const before = gateway.bytes("two");
    gateway.send({ id: 1, method: "tools/call", params: { name: "one__slow" } });
    gateway.send({ id: 2, method: "tools/call", params: { name: "one__echo", arguments: { s: "queued" } } });
    await expect.poll(() => gateway.bytes("one")).toContain("slow");
    gateway.send({ method: "notifications/cancelled", params: { requestId: 2 } });
    gateway.send({ method: "notifications/cancelled", params: { requestId: 1 } });
    await expect.poll(() => gateway.bytes("one")).toContain("notifications/cancelled");
    expect(codeOf(await gateway.call("one__echo", { s: "after" }))).toBe("ok");
    const got = gateway.got("one");
    const slow = got.find(({ params }) => params?.["name"] === "slow");
    expect(got.filter(({ method }) => method === "notifications/cancelled").map(({ params }) => params)).toEqual([{ requestId: slow?.id }]);
    expect(gateway.bytes("one")).not.toContain("queued");
    expect(gateway.bytes("two")).toBe(before);
  });

  it("[gateway:decisions] with several servers initialize does not wait for any, and what comes late is told", async () => {
    const initWhen = join(folder(), "now");
    const gateway = startGateway({ servers: { late: { initWhen }, two: {} } });
    const hello = await gateway.hello();
    expect(hello.result?.["capabilities"]).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
      completions: {},
    });
    expect(gateway.got("late").every(({ method }) => method === "initialize")).toBe(true);
    writeFileSync(initWhen, "");
    await gateway.until(({ method }) => method === "notifications/tools/list_changed");
    expect(codeOf(await gateway.call("late__echo"))).toBe("ok");
  });
});

describe("many clients", () => {
  it("[gateway:pumping] equal ids and tokens of parallel calls are never crossed", async () => {
    const gateways = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const gateway = startGateway();
        await gateway.hello();
        return gateway;
      }),
    );
    const answers = await Promise.all(
      gateways.flatMap((gateway, client) =>
        Array.from({ length: 25 }, (_, index) =>
          gateway
            .ask({
              id: index,
              method: "tools/call",
              params: { name: "echo", arguments: { s: `${client}-${index}` }, _meta: { progressToken: "same" } },
            })
            .then((line) => [`${client}-${index}`, line.result?.["structuredContent"]]),
        ),
      ),
    );
    for (const [sent, got] of answers) expect(got).toEqual({ s: sent });
  });
});

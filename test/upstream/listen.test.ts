import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { ENVELOPE, modern, open, send, startHttp } from "../e2e/http-kit.ts";
import { fixtureEntry, folder, startGateway, type GatewayProcess, type Line } from "./gateway-kit.ts";

const META = "io.modelcontextprotocol/subscriptionId";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const MORE = ["touch", "endListening"];
const SERVERS = {
  a: { modern: true, uri: "test://a", more: MORE },
  b: { modern: true, uri: "test://b", more: MORE },
  old: { uri: "test://old", more: MORE },
};
const idOf = ({ params }: Line): unknown => (params?.["_meta"] as Record<string, unknown> | undefined)?.[META];

function listen(gateway: GatewayProcess, id: unknown, notifications: object): Promise<Line> {
  gateway.send({ id, method: "subscriptions/listen", params: { _meta: ENVELOPE, notifications } });
  return gateway.until((line) => line.method === ACKNOWLEDGED && idOf(line) === id);
}

/** What a client was told under an id, without the acknowledgement. */
function told(gateway: GatewayProcess, id: unknown): string[] {
  const lines = gateway.lines().filter((line) => line.method !== undefined && line.method !== ACKNOWLEDGED && idOf(line) === id);
  return lines.map(({ method, params }) => [method?.slice("notifications/".length), params?.["uri"]].filter(Boolean).join(" "));
}

/** Started, and listed once, so that no change of coming up is still to be told. */
async function started(servers: Record<string, object> = SERVERS): Promise<GatewayProcess> {
  const gateway = startGateway({ servers });
  await gateway.ask({ id: "first", method: "tools/list", params: { _meta: ENVELOPE } });
  return gateway;
}

const call = (gateway: GatewayProcess, name: string, args: object = {}): Promise<Line> => gateway.call(name, args, { _meta: ENVELOPE });

describe("[gateway:pumping] subscriptions/listen in front of several servers", () => {
  it("each server is listened to in its own way, and what it tells has the client's id; nothing outside the filter", async () => {
    const gateway = await started();
    const uris = ["test://a", "test://old", "test://nobody", "test://b"];
    const acknowledged = await listen(gateway, 7, { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: uris });
    expect(acknowledged.params?.["notifications"]).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ["test://a", "test://old", "test://b"],
    });
    const listened = (name: string): unknown => gateway.got(name).find(({ method }) => method === "subscriptions/listen")?.params;
    expect(listened("a")).toEqual({ _meta: ENVELOPE, notifications: { toolsListChanged: true, resourceSubscriptions: ["test://a"] } });
    expect(listened("b")).toEqual({ _meta: ENVELOPE, notifications: { toolsListChanged: true, resourceSubscriptions: ["test://b"] } });
    expect(listened("old")).toBeUndefined();
    expect(gateway.got("old").find(({ method }) => method === "resources/subscribe")?.params).toEqual({ uri: "test://old" });
    await call(gateway, "a__grow");
    await call(gateway, "old__grow");
    await call(gateway, "b__touch", { s: "test://b" });
    await call(gateway, "old__touch", { s: "test://old" });
    for (const name of ["a", "b", "old"]) await call(gateway, `${name}__touch`, { s: "test://other" });
    await expect.poll(() => told(gateway, 7).length).toBe(4);
    expect(told(gateway, 7).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "resources/updated test://b",
      "resources/updated test://old",
      "tools/list_changed",
      "tools/list_changed",
    ]);
    expect(gateway.lines().filter((line) => line.method !== undefined && idOf(line) !== 7)).toEqual([]);
  });

  it("subscriptions are told apart by id, type and value; one that is withdrawn hears nothing more, and the servers are told", async () => {
    const gateway = await started();
    const uris = { resourceSubscriptions: ["test://a", "test://old"] };
    await Promise.all([listen(gateway, 1, uris), listen(gateway, "1", { toolsListChanged: true }), listen(gateway, "x", uris)]);
    await call(gateway, "a__grow");
    await call(gateway, "old__touch", { s: "test://old" });
    await expect
      .poll(() => [1, "1", "x"].map((id) => told(gateway, id)))
      .toEqual([["resources/updated test://old"], ["tools/list_changed"], ["resources/updated test://old"]]);
    gateway.send({ method: "notifications/cancelled", params: { requestId: 1 } });
    await call(gateway, "a__touch", { s: "test://a" });
    await call(gateway, "old__touch", { s: "test://old" });
    expect(told(gateway, 1)).toHaveLength(1);
    expect(told(gateway, "x")).toHaveLength(3);
    const sent = gateway.got("a").filter(({ method }) => method === "subscriptions/listen");
    const withdrawn = gateway.got("a").filter(({ method }) => method === "notifications/cancelled");
    expect(sent).toHaveLength(3);
    expect(withdrawn).toHaveLength(1);
    expect(sent.map(({ id }) => id)).toContain(withdrawn[0]?.params?.["requestId"]);
    expect(gateway.bytes("old")).not.toContain("resources/unsubscribe");
    gateway.send({ method: "notifications/cancelled", params: { requestId: "x" } });
    await call(gateway, "old__echo");
    await expect.poll(() => gateway.got("old").filter(({ method }) => method === "resources/unsubscribe")).toHaveLength(1);
  });

  it("ends with a complete result under its id when the gateway ends; what one server ends goes on with the others", async () => {
    const gateway = await started();
    await listen(gateway, "L", { toolsListChanged: true });
    await call(gateway, "a__endListening");
    await call(gateway, "b__grow");
    await expect.poll(() => told(gateway, "L")).toEqual(["tools/list_changed"]);
    expect((await gateway.finish()).code).toBe(0);
    const answers = gateway.lines().filter(({ id }) => id === "L");
    expect(answers).toHaveLength(1);
    expect(answers[0]?.result).toMatchObject({ resultType: "complete", _meta: { [META]: "L" } });
  });

  it("a server that comes back is listened to again, and its return is told", async () => {
    const gateway = await started({ a: { modern: true, more: MORE }, b: {} });
    await listen(gateway, 1, { toolsListChanged: true });
    await call(gateway, "a__crash");
    await expect.poll(() => told(gateway, 1)).toEqual(["tools/list_changed"]);
    await call(gateway, "a__echo");
    await gateway.until(() => gateway.got("a").filter(({ method }) => method === "subscriptions/listen").length === 2);
    await expect.poll(() => told(gateway, 1)).toEqual(["tools/list_changed", "tools/list_changed"]);
    await call(gateway, "a__grow");
    await expect.poll(() => told(gateway, 1)).toHaveLength(3);
  });

  it("a legacy server that comes back is asked again to tell changes of the resource that is watched", async () => {
    const gateway = await started();
    await listen(gateway, 7, { resourceSubscriptions: ["test://old"] });
    await call(gateway, "old__crash");
    const subscribed = (): number => gateway.got("old").filter(({ method }) => method === "resources/subscribe").length;
    expect(subscribed()).toBe(1);
    await call(gateway, "old__echo");
    await expect.poll(subscribed).toBe(2);
    await call(gateway, "old__touch", { s: "test://old" });
    await expect.poll(() => told(gateway, 7)).toEqual(["resources/updated test://old"]);
  });

  it("a server that never acknowledges holds up nobody for long; one that is legacy alone is listened to as well", async () => {
    const gateway = await started({ a: { modern: true, deafListen: true }, b: { modern: true } });
    await listen(gateway, 1, { toolsListChanged: true });
    const alone = startGateway({ fixture: { more: MORE } });
    await alone.ask({ id: "first", method: "tools/list", params: { _meta: ENVELOPE } });
    await listen(alone, 2, { toolsListChanged: true, resourceSubscriptions: ["test://a"] });
    await call(alone, "grow");
    await call(alone, "touch", { s: "test://a" });
    await expect
      .poll(() => told(alone, 2).toSorted((a, b) => (a < b ? -1 : 1)))
      .toEqual(["resources/updated test://a", "tools/list_changed"]);
  });

  it("the SDK's own client opens, hears and closes one", async () => {
    const home = folder();
    const config = join(home, "mcp.json");
    const servers = { a: fixtureEntry(join(home, "a.log"), SERVERS.a), b: fixtureEntry(join(home, "b.log"), SERVERS.b) };
    writeFileSync(config, JSON.stringify({ mcpServers: servers }));
    const args = ["bin/regate.js", "proxy", "--bundle", "agent-session", "--state-dir", join(home, "state"), "--config", config];
    const client = new Client({ name: "modern", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const heard: unknown[] = [];
    client.setNotificationHandler("notifications/tools/list_changed", ({ method }) => void heard.push(method));
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    onTestFinished(() => client.close());
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ["test://b"] });
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions: ["test://b"] });
    await client.callTool({ name: "b__grow", arguments: {} });
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    await subscription.close();
    await expect.poll(() => linesOf(join(home, "b.log"), "notifications/cancelled")).toBe(1);
  });

  it("a malformed filter is -32602, an empty one ends at once, and policy decides", async () => {
    const gateway = await started();
    for (const notifications of [undefined, [], { toolsListChanged: 1 }, { resourceSubscriptions: "x" }, { resourceSubscriptions: [1] }]) {
      const answer = await gateway.ask({ id: 1, method: "subscriptions/listen", params: { _meta: ENVELOPE, notifications } });
      expect(answer.error?.code).toBe(-32602);
    }
    const empty = await gateway.ask({ id: 2, method: "subscriptions/listen", params: { _meta: ENVELOPE, notifications: {} } });
    expect(empty.result).toMatchObject({ resultType: "complete", _meta: { [META]: 2 } });
    expect(gateway.bytes("a")).not.toContain("subscriptions/listen");
    const denied = startGateway({ bundle: "ai-agent", servers: SERVERS });
    const params = { _meta: ENVELOPE, notifications: { toolsListChanged: true } };
    expect((await denied.ask({ id: 1, method: "subscriptions/listen", params })).error?.code).toBe(4403);
  });

  it("[gateway:http] over HTTP it lasts as long as its stream, and needs one", async () => {
    const home = folder();
    const config = join(home, "mcp.json");
    const log = (name: string): string => join(home, `${name}.log`);
    const entries = Object.entries(SERVERS).map(([name, options]) => [name, fixtureEntry(log(name), options)]);
    writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
    const { port } = await startHttp(["proxy", "--bundle", "agent-session", "--config", config]);
    await send(port, modern("tools/list"));
    const filter = { notifications: { toolsListChanged: true, resourceSubscriptions: ["test://old"] } };
    const [one, two] = [1, 1].map(() => open(port, modern("subscriptions/listen", filter, 1)));
    for (const stream of [one, two]) await stream?.next(({ method }) => method === ACKNOWLEDGED);
    expect((await one?.head)?.headers["content-type"]).toBe("text/event-stream");
    await send(port, modern("tools/call", { name: "a__grow", arguments: {} }));
    for (const stream of [one, two]) {
      const changed = await stream?.next(({ method }) => method === "notifications/tools/list_changed");
      expect(changed?.params).toEqual({ _meta: { [META]: 1 } });
    }
    one?.abort();
    await expect.poll(() => linesOf(log("a"), "notifications/cancelled")).toBe(1);
    await send(port, modern("tools/call", { name: "old__touch", arguments: { s: "test://old" } }));
    await two?.next(({ method }) => method === "notifications/resources/updated");
    two?.abort();
    await expect.poll(() => linesOf(log("old"), "resources/unsubscribe")).toBe(1);
    const { headers, body } = modern("subscriptions/listen", filter, 2);
    const plain = await send(port, { headers: { ...headers, accept: "application/json" }, body });
    expect(plain.status).toBe(400);
    expect(plain.messages[0]?.error?.code).toBe(-32600);
  });
});

function linesOf(file: string, what: string): number {
  return readFileSync(file, "utf8").split(what).length - 1;
}

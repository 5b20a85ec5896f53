import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { schemaMisfit } from "../../src/upstream/argument-schema.ts";
import { readPages } from "../../src/upstream/paged.ts";
import { paramHeaders } from "../../src/upstream/param-headers.ts";
import { openPeer, type Peer } from "../../src/upstream/peer.ts";
import { openPins } from "../../src/upstream/pins.ts";
import { toolTable } from "../../src/upstream/tool-table.ts";
import { createUpstream } from "../../src/upstream/upstream.ts";
import { folder } from "./gateway-kit.ts";

/** A server that answers requests at once, out of a function. */
async function peerOf(answer: (method: string, params: JsonObject) => string | undefined, sent: string[] = []): Promise<Peer<undefined>> {
  return await openPeer<undefined>(
    (events) =>
      Promise.resolve({
        send(json) {
          sent.push(json);
          const { id, method, params = {} } = JSON.parse(json) as { id?: number; method: string; params?: JsonObject };
          const text = id === undefined ? undefined : answer(method, params);
          if (text !== undefined) queueMicrotask(() => events.onMessage(`{"jsonrpc":"2.0","id":${id},"result":${text}}`));
        },
        close: () => Promise.resolve(),
        ended: new Promise(() => undefined),
      }),
    {
      onNotification: () => undefined,
      onRequest: () => undefined,
      onEnd: () => undefined,
      onStderr: () => undefined,
      onDropped: () => undefined,
    },
    new AbortController().signal,
  );
}

describe("what a server defines", () => {
  it("a schema that says it is asynchronous fits nothing, and its promise is nobody's fault", async () => {
    const failures: unknown[] = [];
    const note = (error: unknown): void => void failures.push(error);
    process.on("unhandledRejection", note);
    const inputSchema: JsonObject = { $async: true, type: "object", properties: { a: { type: "string" } } };
    for (const [at, value] of [{ a: 1 }, { a: "fits" }].entries())
      expect(schemaMisfit(value, { inputSchema, digest: `async ${at}` })).toBeTypeOf("string");
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", note);
    expect(failures).toEqual([]);
  });

  it("a schema that takes long to be made ready fits nothing, and is given up", () => {
    const branch: JsonObject = {
      type: "object",
      properties: { a: { type: "string" }, b: { anyOf: [{ type: "string" }, { type: "number" }] } },
    };
    const properties = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`p${at}`, branch]));
    const inputSchema: JsonObject = { type: "object", properties };
    for (const value of [{ p1: {} }, { p2: {} }])
      expect(schemaMisfit(value, { inputSchema, digest: "long" })).toContain("cannot be evaluated");
  });

  it("a list of 30,000 entries with numbers such as 1.0 is read in one pass, and each entry keeps its own", async () => {
    const entries = Array.from({ length: 30_000 }, (_, at) => `{"uri":"test://${at}","size":${at}.0}`);
    const peer = await peerOf(() => `{"resources":[${entries.join(",")}],"total":30000.0}`);
    const pages = await readPages(peer, { method: "resources/list", key: "resources" }, undefined);
    if (pages.kind !== "listed") throw new Error(pages.kind);
    expect(pages.entries).toHaveLength(30_000);
    expect(Math.max(...pages.entries.map(({ numbers }) => numbers.length))).toBe(1);
    expect(pages.first.numbers).toHaveLength(30_001);
  });

  it("numbers of a tool's definition keep their text", async () => {
    const peer = await peerOf(
      () =>
        `{"n":2.0,"tools":[{"name":"a","inputSchema":{"type":"object"},"x":[1.0,{"y":2.50}]},{"name":"b","inputSchema":{"type":"object"}}]}`,
    );
    const pages = await readPages(peer, { method: "tools/list", key: "tools" }, undefined);
    if (pages.kind !== "listed") throw new Error(pages.kind);
    const table = toolTable(pages.entries, (listed) => new Map(listed.map(({ name }) => [name, "pinned"])));
    expect(table.tools.get("a")?.json).toBe('{"name":"a","inputSchema":{"type":"object"},"x":[1.0,{"y":2.50}]}');
    expect(table.tools.get("b")?.json).toBe('{"name":"b","inputSchema":{"type":"object"}}');
  });

  it("50,000 properties with `x-mcp-header` are told apart in one pass", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: "string", "x-mcp-header": at < 2 ? ["Same", "sAME"][at]! : `h${at}` }]),
    );
    expect(paramHeaders({ type: "object", properties })).toHaveLength(49_998);
  });

  it("more than a lock file may hold is not pinned, and spoils no other server's pins", () => {
    const stateDir = folder();
    const paths = { file: join(stateDir, "pins.json"), seen: join(stateDir, "seen.json") };
    const notes: string[] = [];
    const pins = openPins(paths, (line) => notes.push(line));
    const [good, huge] = [
      { id: "good", identity: { url: "http://a" } },
      { id: "huge", identity: { url: "http://b" } },
    ];
    expect(pins.observe(good, "tools", [{ name: "a", definition: { name: "a" } }]).get("a")).toBe("pinned");
    const definition = "x".repeat(65 * 1024 * 1024);
    expect(pins.observe(huge, "tools", [{ name: "b", definition }]).get("b")).toBe("unreadable");
    expect(pins.observe(good, "tools", [{ name: "a", definition: { name: "a" } }]).get("a")).toBe("pinned");
    expect(readFileSync(paths.file, "utf8").length).toBeLessThan(10_000);
    expect(notes.join("\n")).toContain("cannot be written");
  });

  it("many numbers in many tools are written in one pass", async () => {
    const all = Array.from(
      { length: 3_000 },
      (_, at) => `{"name":"t${at}","inputSchema":{"type":"object"},"x":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0,9.0]}`,
    );
    const peer = await peerOf(() => `{"tools":[${all.join(",")}]}`);
    const pages = await readPages(peer, { method: "tools/list", key: "tools" }, undefined);
    if (pages.kind !== "listed") throw new Error(pages.kind);
    const table = toolTable(pages.entries, (listed) => new Map(listed.map(({ name }) => [name, "pinned"])));
    expect([...table.tools.values()].map(({ json }) => json)).toEqual(all);
  });

  it("a list that is not answered in time is given up at the server as well", async () => {
    const sent: string[] = [];
    const peer = await peerOf(() => undefined, sent);
    vi.useFakeTimers();
    try {
      const pages = readPages(peer, { method: "tools/list", key: "tools" }, undefined);
      await vi.advanceTimersByTimeAsync(16_000);
      expect(await pages).toEqual({ kind: "lost", sent: true });
    } finally {
      vi.useRealTimers();
    }
    expect(sent.map((json) => JSON.parse(json) as unknown)).toMatchObject([
      { id: 1, method: "tools/list" },
      { method: "notifications/cancelled", params: { requestId: 1 } },
    ]);
  });

  it("one that does not read is told nothing more, except what it need not do", async () => {
    const sent: string[] = [];
    const quiet = {
      onNotification: () => undefined,
      onRequest: () => undefined,
      onEnd: () => undefined,
      onStderr: () => undefined,
      onDropped: () => undefined,
    };
    const peer = await openPeer<undefined>(
      () =>
        Promise.resolve({
          send: (json) => void sent.push(json),
          isFull: () => true,
          close: () => Promise.resolve(),
          ended: new Promise(() => undefined),
        }),
      quiet,
      new AbortController().signal,
    );
    expect(peer.notify("notifications/x")).toBe(false);
    expect(peer.notify("notifications/cancelled", '{"requestId":1}')).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it("one whose start takes longer than anybody waits is ended when it is there at last", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let closed = 0;
    const host = {
      onNotification: () => undefined,
      onRequest: () => undefined,
      onEnd: () => undefined,
      onGone: () => undefined,
      note: () => undefined,
      count: () => undefined,
      redact: (text: string) => text,
    };
    const server = createUpstream<never>({
      entry: { kind: "http", id: "late", url: "http://late", headers: {}, tools: new Map() },
      open: async () => {
        await new Promise((resolve) => setTimeout(resolve, 40_000));
        return { send: () => undefined, close: () => ((closed += 1), Promise.resolve()), ended: new Promise(() => undefined) };
      },
      pins: { observe: () => new Map(), serverStatus: () => "ok", missingTools: () => [] },
      host,
    });
    server.start();
    void server.greet({ era: "legacy", params: "{}" });
    const settled = server.settle();
    await vi.advanceTimersByTimeAsync(31_000);
    expect([await settled, server.status(), closed]).toEqual([false, "down", 0]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(closed).toBe(1);
  });
});

import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as LegacyTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { openConnection, type Connection } from "../../src/server/connection.ts";
import type { CallAnswer } from "../../src/server/corridor-types.ts";
import { deferred, recordingCorridor, type RecordingCorridor } from "./edge-kit.ts";

/** A client's transport whose other end is the edge, as lines. */
function wireTo(corridor: RecordingCorridor): LegacyTransport {
  let connection: Connection | undefined;
  const deliver = (json: string): void => wire.onmessage?.(JSON.parse(json) as JSONRPCMessage);
  const wire: LegacyTransport = {
    start: async () => {
      connection = await openConnection({ corridor, version: "1.2.3", send: deliver, log: () => {} });
    },
    send: async (message) => {
      const received = Promise.resolve(connection?.receive(Buffer.from(JSON.stringify(message))));
      void received.then((answer) => answer && deliver(answer.json));
    },
    close: async () => {
      await connection?.close();
      wire.onclose?.();
    },
  };
  return wire;
}

const REFUSED: CallAnswer = {
  kind: "result",
  result: {
    content: [{ type: "text", text: "agent: tool is not entitled" }],
    isError: true,
    _meta: { "regate/decision": { decision_id: "d", code: "agent.not_entitled", retryable: false } },
  },
};

/** What both client generations can do. */
interface Connected {
  readonly server: unknown;
  list(): Promise<{ tools: { name: string }[] }>;
  call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<{ [key: string]: unknown }>;
  close(): Promise<void>;
}

async function legacy(corridor: RecordingCorridor): Promise<Connected> {
  const client = new LegacyClient({ name: "legacy", version: "1" }, { capabilities: { elicitation: {} } });
  await client.connect(wireTo(corridor));
  return {
    server: client.getServerVersion(),
    list: () => client.listTools(),
    call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {}),
    close: () => client.close(),
  };
}

async function modern(corridor: RecordingCorridor, mode: "auto" | "legacy" | { pin: string }): Promise<Connected> {
  const client = new ModernClient({ name: "modern", version: "2" }, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
  await client.connect(wireTo(corridor));
  return {
    server: client.getServerVersion(),
    list: () => client.listTools(),
    call: (name, args, signal) => client.callTool({ name, arguments: args }, signal ? { signal } : {}),
    close: () => client.close(),
  };
}

const CLIENTS: readonly [string, (corridor: RecordingCorridor) => Promise<Connected>][] = [
  ["SDK 1.32.2", legacy],
  ["SDK 2, legacy", (corridor) => modern(corridor, "legacy")],
  ["SDK 2, auto", (corridor) => modern(corridor, "auto")],
  ["SDK 2, 2026-07-28 only", (corridor) => modern(corridor, { pin: "2026-07-28" })],
];

describe.each(CLIENTS)("%s", (name, connect) => {
  test("connects, lists and calls", async () => {
    const corridor = recordingCorridor();
    const client = await connect(corridor);
    expect(client.server).toMatchObject({ name: "regate", version: "1.2.3" });
    expect((await client.list()).tools.map((tool) => tool.name)).toEqual(["echo"]);
    const result = await client.call("echo", { a: "é😀\u2028" });
    expect(result["structuredContent"]).toEqual({ a: "é😀\u2028" });
    expect(corridor.calls).toMatchObject([
      { tool: "echo", client: { elicitation: true, name: name.startsWith("SDK 1") ? "legacy" : "modern" } },
    ]);
    await client.close();
  });

  test("shows a refusal, although the tool declares an output schema (M04)", async () => {
    const client = await connect(recordingCorridor(() => REFUSED));
    await client.list();
    const result = await client.call("echo", {});
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "agent: tool is not entitled" }] });
    expect(result["_meta"]).toMatchObject({ "regate/decision": { code: "agent.not_entitled" } });
    await client.close();
  });

  test("hears of an unknown tool", async () => {
    const client = await connect(recordingCorridor(() => ({ kind: "unknown_tool" })));
    await expect(client.call("nosuch", {})).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  test("cancels a call", async () => {
    const { promise, resolve } = deferred<CallAnswer>();
    const corridor = recordingCorridor(() => promise);
    const client = await connect(corridor);
    const controller = new AbortController();
    const pending = client.call("echo", {}, controller.signal);
    const failed = pending.catch((error: unknown) => String(error));
    await new Promise(setImmediate);
    controller.abort("not wanted");
    expect(await failed).toContain("not wanted");
    await new Promise(setImmediate);
    expect(corridor.calls[0]?.signal?.aborted).toBe(true);
    resolve(REFUSED);
    await client.close();
  });
});

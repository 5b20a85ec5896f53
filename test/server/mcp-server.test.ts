import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/call/json.ts";
import { openLegacySession, type LegacySession } from "../../src/server/mcp-server.ts";

interface Asked {
  readonly id?: string;
  readonly method: string;
  readonly params: JsonObject;
}

async function openAsking(): Promise<{ session: LegacySession; asked: Asked[]; errors: string[] }> {
  const asked: Asked[] = [];
  const errors: string[] = [];
  const session = await openLegacySession({
    version: "1.2.3",
    send: (message) => void asked.push(message as Asked),
    onError: (error) => void errors.push(error.message),
  });
  const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo: { name: "host", version: "1" } };
  await session.initialize(params);
  return { session, asked, errors };
}

const FORM = {
  message: "go on?",
  requestedSchema: { type: "object" as const, properties: { confirm: { type: "boolean" as const } }, required: ["confirm"] },
};

describe("requests of ours", () => {
  test("carry an unguessable id, and the client's answer reaches the asker", async () => {
    const { session, asked } = await openAsking();
    const first = session.elicit(FORM);
    const second = session.elicit(FORM);
    expect(asked.map(({ id }) => id)).toEqual([
      expect.stringMatching(/^regate-[0-9a-f]{24}-0$/),
      expect.stringMatching(/^regate-[0-9a-f]{24}-1$/),
    ]);
    expect(asked[0]).toMatchObject({ jsonrpc: "2.0", method: "elicitation/create", params: { message: "go on?" } });
    const answer = (at: number, confirm: boolean): boolean =>
      session.respond({ jsonrpc: "2.0", id: asked[at]?.id ?? "", result: { action: "accept", content: { confirm } } });
    expect(answer(1, false)).toBe(true);
    expect(answer(0, true)).toBe(true);
    expect(await first).toEqual({ action: "accept", content: { confirm: true } });
    expect(await second).toEqual({ action: "accept", content: { confirm: false } });
    expect(answer(0, true)).toBe(false);
  });

  test("an error of the client reaches the asker", async () => {
    const { session, asked } = await openAsking();
    const answer = session.elicit(FORM);
    session.respond({ jsonrpc: "2.0", id: asked[0]?.id ?? "", error: { code: -1, message: "no screen" } });
    await expect(answer).rejects.toThrow("no screen");
  });

  test.each([0, "0", "regate-0", "__proto__", 1, ""])("an answer with the id %j is nobody's", async (id) => {
    const { session, asked, errors } = await openAsking();
    const answer = session.elicit(FORM);
    expect(session.respond({ jsonrpc: "2.0", id, result: { action: "accept", content: { confirm: true } } })).toBe(false);
    session.respond({ jsonrpc: "2.0", id: asked[0]?.id ?? "", result: { action: "decline" } });
    expect(await answer).toEqual({ action: "decline" });
    expect(errors).toEqual([]);
  });

  test("a withdrawn question is cancelled under the id that the client knows", async () => {
    const { session, asked } = await openAsking();
    const controller = new AbortController();
    const answer = session.elicit(FORM, { signal: controller.signal });
    controller.abort("too late");
    await expect(answer).rejects.toThrow("too late");
    expect(asked[1]).toMatchObject({ method: "notifications/cancelled", params: { requestId: asked[0]?.id } });
    expect(asked[1]).not.toHaveProperty("id");
  });

  test("a client without forms is not asked", async () => {
    const asked: object[] = [];
    const session = await openLegacySession({ version: "1", send: (message) => void asked.push(message), onError: () => {} });
    await expect(session.elicit(FORM)).rejects.toThrow("Client does not support form elicitation");
    expect(asked).toEqual([]);
  });

  test("closing ends what was asked", async () => {
    const { session } = await openAsking();
    const answer = session.elicit(FORM);
    await session.close();
    await expect(answer).rejects.toThrow("Connection closed");
  });
});

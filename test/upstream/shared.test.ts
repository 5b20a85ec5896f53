import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer } from "../delegate/redis-kit.ts";
import { codeOf, startGateway } from "./gateway-kit.ts";

describe.skipIf(!haveRedis)("gateways that share state", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ appendOnly: true });
  });
  afterAll(() => server.stop());

  const start = () => startGateway({ flags: ["--shared-state", server.url(), "--shared-session", "desk"] });

  it("pass calls and messages, and refuse both while Redis is away, on record, with no byte to a server", async () => {
    const gateway = start();
    await gateway.hello();
    expect(codeOf(await gateway.call("echo", { text: "a" }))).toBe("ok");
    expect(codeOf(await gateway.ask({ id: "p1", method: "prompts/list" }))).toBe("ok");
    const before = gateway.got().length;
    await server.kill();
    expect(codeOf(await gateway.call("echo", { text: "b" }))).toBe("store.unavailable");
    const message = await gateway.ask({ id: "r1", method: "resources/read", params: { uri: "file:///a" } });
    expect(message.error).toMatchObject({ code: 4403, data: { code: "store.unavailable" } });
    expect(gateway.got()).toHaveLength(before);
    await server.start();
    expect(codeOf(await gateway.call("echo", { text: "c" }))).toBe("ok");
    expect(gateway.stderr().match(/shared|store|Redis/g)?.length ?? 0).toBeLessThan(10);
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../src/redis/connection.ts";
import { freePort, haveRedis, startRedis } from "../delegate/redis-kit.ts";

async function problemOf(url: string): Promise<string> {
  const connection = openConnection(url);
  onTestFinished(() => connection.close());
  return await connection.send(["PING"]).then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
}

describe("a connection to Redis that fails", () => {
  it("says how, and nothing of the URL", async () => {
    const port = await freePort();
    expect(await problemOf(`redis://erika:hunter2@127.0.0.1:${port}`)).toBe("Redis cannot be reached (ECONNREFUSED)");
  });

  it.skipIf(!haveRedis)("says that it was the user or the password", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const url = new URL(server.url());
    expect(await problemOf(`redis://erika:hunter2@${url.host}`)).toBe("Redis refuses the user or the password (WRONGPASS)");
  });
});

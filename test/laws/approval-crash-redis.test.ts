import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listApprovals } from "../../src/govern/approval-list.ts";
import { createKey } from "../../src/govern/keys.ts";
import { redisApprovals } from "../../src/redis/approval-state.ts";
import { openConnection } from "../../src/redis/connection.ts";
import { stateKeys } from "../../src/redis/state-keys.ts";
import { haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer } from "../delegate/redis-kit.ts";
import { killedDriver } from "./approval-crash-kit.ts";

const CYCLES = 150;
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "regate-crash-redis-"));

describe.skipIf(!haveRedis)("approvals that several fronts share", () => {
  let server: RedisServer;
  beforeAll(async () => {
    const places = { stateDir: join(folder, "operator", "state"), keysDir: join(folder, "operator", "keys") };
    createKey(places, { name: "anna", owner: "anna", now: new Date() });
    server = await startRedis();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Lets one of several fronts, each with a state directory of its own, go through some cycles, and kills it wherever it is then. */
  async function killedFront(round: number, front: number): Promise<void> {
    const own = join(folder, `front-${front}`);
    mkdirSync(own, { recursive: true });
    cpSync(join(folder, "operator"), own, { recursive: true });
    await killedDriver([own, String(round), server.url()], 30);
  }

  it("kill -9 of fronts that make the same calls: no approval runs two calls, and none that ran can run again [issue 7]", async () => {
    const connection = openConnection(server.url());
    const store = redisApprovals({ keys: stateKeys("crash"), send: connection.send, stateDir: join(folder, "operator", "state") });
    const views = () => listApprovals(store, { now: new Date() });
    let rounds = 0;
    while (rounds < 2 || (await views()).length < CYCLES) {
      await Promise.all([0, 1, 2].map((front) => killedFront(rounds, front)));
      rounds += 1;
    }
    // A front that was killed is heard of no more.
    await expect.poll(async () => (await views()).filter(({ state }) => state === "executing"), { timeout: 120_000 }).toEqual([]);
    const ran: string[] = [];
    for (const front of readdirSync(folder).filter((name) => name.startsWith("front-"))) {
      expect(existsSync(join(folder, front, "problems"))).toBe(false);
      ran.push(
        ...readFileSync(join(folder, front, "effects"), "utf8")
          .split("\n")
          .slice(0, -1),
      );
    }
    expect(new Set(ran).size, "each approval has run one call at most").toBe(ran.length);
    const seen = new Map<string, number>();
    for (const { id, state } of await views()) {
      // Its effect is there: it is over for good. It is not: it can still be decided or used, or nobody claims to know.
      expect(ran.includes(id) ? ["done", "indeterminate"] : ["pending", "approved", "indeterminate"], id).toContain(state);
      seen.set(state, (seen.get(state) ?? 0) + 1);
    }
    expect(rounds).toBeGreaterThan(1);
    expect(seen.get("done")).toBeGreaterThan(CYCLES / 2);
    store.close();
    connection.close();
  }, 300_000);
});

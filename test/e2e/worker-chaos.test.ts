import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { haveRedis } from "../delegate/redis-kit.ts";

describe.skipIf(!haveRedis)("chaos", () => {
  it(
    "[002-recovery] with workers killed and Redis restarted, every call is answered once and none runs twice",
    { timeout: 300_000 },
    () => {
      const run = spawnSync(process.execPath, ["scripts/worker-chaos.mjs", "300", "7"], { encoding: "utf8", timeout: 280_000 });
      const last = run.stdout.trim().split("\n").at(-1) ?? "";
      expect([run.status, last]).toEqual([
        0,
        expect.stringMatching(/^300 calls, 300 answered, 0 lost, \d+ ran once, 0 ran twice, \d+ indeterminate, 0 wrong$/),
      ]);
    },
  );
});

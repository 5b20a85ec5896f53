import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { haveRedis } from "../delegate/redis-kit.ts";

describe.skipIf(!haveRedis)("make demo-worker", () => {
  it("every step is what it must be", { timeout: 120_000 }, () => {
    const run = spawnSync(process.execPath, ["examples/tools-service/demo.mjs"], { encoding: "utf8", timeout: 110_000 });
    expect(run.stdout).not.toContain("WRONG");
    expect([run.status, run.stdout.trim().split("\n").at(-1)]).toEqual([0, "13 of 13 steps are what they must be"]);
  });
});

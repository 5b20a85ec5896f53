import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { listApprovals } from "../../src/govern/approval-list.ts";
import { createKey } from "../../src/govern/keys.ts";

const CYCLES = 500;
/** In memory where there is such a place: a killed process loses nothing that a disk would have kept. */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "regate-crash-"));
const stateDir = join(folder, "state");

beforeAll(() => void createKey({ stateDir, keysDir: join(folder, "keys") }, { name: "anna", owner: "anna", now: new Date() }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Lets the driver go through some cycles, and kills it wherever it is then. */
async function killedRound(round: number): Promise<void> {
  const driver = join(import.meta.dirname, "approval-crash.mjs");
  const child = spawn(process.execPath, [driver, folder, String(round)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const wanted = Math.floor(Math.random() * 40);
  let cycles = 0;
  const enough = new Promise<void>((resolve) => {
    child.stdout.on("data", (dots: Buffer) => {
      cycles += dots.length;
      if (cycles > wanted) resolve();
    });
  });
  await Promise.race([enough, exited]);
  await setTimeout(Math.random() * 40);
  child.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
}

it("kill -9 at any point: no call runs twice on one approval, and none that ran can run again [issue 6]", async () => {
  let rounds = 0;
  const files = openApprovalFiles(stateDir);
  const views = () => listApprovals(files, { now: new Date() });
  while ((await views()).length < CYCLES) {
    await Promise.all([killedRound(rounds), killedRound(rounds + 1)]);
    rounds += 2;
  }
  const ran = new Map<string, number>();
  for (const tool of readFileSync(join(folder, "effects"), "utf8").split("\n").slice(0, -1)) ran.set(tool, (ran.get(tool) ?? 0) + 1);
  const seen = new Map<string, number>();
  const all = await views();
  for (const { tool, state, votes } of all) {
    const runs = ran.get(tool) ?? 0;
    expect(runs, tool).toBeLessThanOrEqual(1);
    // Its effect is there: it is over for good. It is not: it can still be decided or used, or nobody claims to know.
    expect(runs === 1 ? ["done", "indeterminate"] : ["pending", "approved", "indeterminate"], `${tool} ran ${runs} times`).toContain(state);
    if (state !== "pending") expect(votes).toHaveLength(1);
    seen.set(state, (seen.get(state) ?? 0) + 1);
  }
  expect([...ran.keys()].filter((tool) => !all.some((view) => view.tool === tool))).toEqual([]);
  expect(rounds).toBeGreaterThan(3);
  expect(seen.get("done")).toBeGreaterThan(CYCLES / 2);
  expect(existsSync(join(folder, "problems"))).toBe(false);
}, 300_000);

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { listApprovals } from "../../src/govern/approval-list.ts";
import { createKey } from "../../src/govern/keys.ts";
import { killedDriver } from "./approval-crash-kit.ts";

const CYCLES = 500;
/** In memory where there is such a place: a killed process loses nothing that a disk would have kept. */
const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "regate-crash-"));
const stateDir = join(folder, "state");

beforeAll(() => void createKey({ stateDir, keysDir: join(folder, "keys") }, { name: "anna", owner: "anna", now: new Date() }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function byTool<View extends { readonly tool: string }>(views: readonly View[]): Map<string, View[]> {
  const groups = new Map<string, View[]>();
  for (const view of views) groups.set(view.tool, [...(groups.get(view.tool) ?? []), view]);
  return groups;
}

it("kill -9 at any point: no call runs twice on one approval, and none that ran can run again [issue 6]", async () => {
  let rounds = 0;
  const files = openApprovalFiles(stateDir);
  const views = () => listApprovals(files, { now: new Date() });
  while ((await views()).filter(({ state }) => state !== "pending").length < CYCLES) {
    await Promise.all([killedDriver([folder, String(rounds)], 40), killedDriver([folder, String(rounds + 1)], 40)]);
    rounds += 2;
  }
  const ran = new Map<string, number>();
  for (const tool of readFileSync(join(folder, "effects"), "utf8").split("\n").slice(0, -1)) ran.set(tool, (ran.get(tool) ?? 0) + 1);
  const all = await views();
  for (const [tool, requests] of byTool(all)) {
    const runs = ran.get(tool) ?? 0;
    const count = (states: readonly string[]): number => requests.filter(({ state }) => states.includes(state)).length;
    expect(runs, tool).toBeLessThanOrEqual(1);
    // Its effect is there: an approval is over for good. It is not: none is done. What follows a run is a request of its own that waits.
    expect(count(["done", "indeterminate"]), `${tool} ran ${runs} times`).toBeGreaterThanOrEqual(runs);
    expect(count(["done"]), `${tool} ran ${runs} times`).toBeLessThanOrEqual(runs);
    expect(count(["pending", "approved", "done", "indeterminate"]), tool).toBe(requests.length);
    expect(count(["approved", "done", "indeterminate"]), tool).toBeLessThanOrEqual(1);
  }
  for (const { state, votes } of all) if (state !== "pending") expect(votes).toHaveLength(1);
  expect([...ran.keys()].filter((tool) => !all.some((view) => view.tool === tool))).toEqual([]);
  expect(rounds).toBeGreaterThan(3);
  expect(all.filter(({ state }) => state === "done").length).toBeGreaterThan(CYCLES / 2);
  expect(existsSync(join(folder, "problems"))).toBe(false);
}, 300_000);

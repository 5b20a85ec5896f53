import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { lazyExplanations } from "../../src/cli/admin-explain.ts";
import type { Explanations } from "../../src/cli/admin-explain.ts";
import { temporaryFolder } from "../audit/kit.ts";

const threads = (): number => Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);

function open(): Explanations["explain"] {
  const args = { values: new Map([["state-dir", temporaryFolder()]]), lists: new Map(), switches: new Set<string>(), words: [] };
  const { explain, close } = lazyExplanations(args, () => undefined);
  onTestFinished(close);
  return explain;
}

it("one explanation is made at a time: an interpreter of its own shows the conditions of each", async () => {
  const explain = open();
  const denied = () => explain({ tool: "run_shell", arguments: { command: "rm -rf build" } });
  await denied();
  const before = threads();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, threads())), 10);
  onTestFinished(() => clearInterval(watch));
  expect((await Promise.all([denied(), denied(), denied()])).map(({ outcome }) => outcome)).toEqual(["denied", "denied", "denied"]);
  expect(most).toBeLessThanOrEqual(before + 1);
});

it("so many wait for one; more are refused, and whoever asks later is answered", async () => {
  const explain = open();
  const allowed = () => explain({ tool: "whoami", arguments: {} });
  const answers = await Promise.allSettled(Array.from({ length: 10 }, allowed));
  expect(answers.map(({ status }) => status)).toEqual([...Array<string>(8).fill("fulfilled"), "rejected", "rejected"]);
  expect(answers[9]).toMatchObject({ reason: { status: 429 } });
  expect((await allowed()).outcome).toBe("allowed");
});

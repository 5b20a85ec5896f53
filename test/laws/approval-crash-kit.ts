import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";

/**
 * Lets the driver (`approval-crash.mjs`) go through some cycles, and kills it wherever it is then.
 * @param words of the driver: its folder, the round, perhaps the URL of a Redis
 * @param most cycles, and milliseconds after them
 */
export async function killedDriver(words: readonly string[], most: number): Promise<void> {
  const driver = join(import.meta.dirname, "approval-crash.mjs");
  const child = spawn(process.execPath, [driver, ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const wanted = Math.floor(Math.random() * most);
  let cycles = 0;
  const enough = new Promise<void>((resolve) => {
    child.stdout.on("data", (dots: Buffer) => {
      cycles += dots.length;
      if (cycles > wanted) resolve();
    });
  });
  await Promise.race([enough, exited]);
  await setTimeout(Math.random() * most);
  child.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openOutputPipes } from "../../src/shell/output-pipe.ts";
import { endAllGroups, watchGroup } from "../../src/shell/process-group.ts";

describe("openOutputPipes", () => {
  test("what is in the pipe when it is finished is taken, with a writer still there", async () => {
    const { stdout, stderr } = await openOutputPipes();
    const chunks: string[] = [];
    stdout.onData((chunk) => chunks.push(chunk.toString()));
    writeSync(stdout.writeFd, "written before");
    stdout.finish();
    expect(chunks.join("")).toBe("written before");
    for (const pipe of [stdout, stderr]) {
      pipe.closeWriteEnd();
      pipe.closeWriteEnd();
      pipe.finish();
      pipe.finish();
    }
  });
});

describe("watchGroup", () => {
  test("a group that ignores SIGTERM is killed, without its watcher's last resort", async () => {
    const child = spawn("bash", ["-c", "trap '' TERM; echo; while :; do sleep 600; done"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child.stdout, "data");
    const group = watchGroup(child.pid as number, { onLost: () => undefined });
    child.once("exit", () => group.close());
    const exit = once(child, "exit");
    await endAllGroups();
    expect(await exit).toEqual([null, "SIGKILL"]);
  });

  test("nothing is sent to a group that is closed: its number may belong to another", async () => {
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    await once(child, "spawn");
    const group = watchGroup(child.pid as number, { onLost: () => undefined });
    group.close();
    group.kill();
    group.terminate();
    await endAllGroups();
    const exit = once(child, "exit");
    process.kill(-(child.pid as number), "SIGINT");
    expect(await exit).toEqual([null, "SIGINT"]);
  });
});

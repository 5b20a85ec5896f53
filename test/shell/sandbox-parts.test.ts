import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCommandSlots } from "../../src/shell/command-slots.ts";
import { unconfined } from "../../src/shell/confinement.ts";
import { COMMAND_LIMITS } from "../../src/shell/sandbox-entry.ts";
import { inOrder } from "../../src/shell/sandbox-mounts.ts";
import { probeSandbox } from "../../src/shell/sandbox-probe.ts";
import { workdirProblem } from "../../src/shell/sandbox.ts";
import { listeningPaths } from "../../src/shell/sandbox-sockets.ts";
import { haveSystemPart } from "../system-part.ts";

describe("command slots", () => {
  test("as many as there are, then in turn", async () => {
    const slots = createCommandSlots(1);
    const order: string[] = [];
    const first = await slots.take(undefined);
    const second = slots.take(undefined).then((done) => {
      order.push("second");
      return done;
    });
    const third = slots.take(undefined).then(() => order.push("third"));
    first();
    first();
    (await second)();
    await third;
    expect(order).toEqual(["second", "third"]);
  });

  test("one that waits can be cancelled, and takes no place", async () => {
    const slots = createCommandSlots(1);
    const first = await slots.take(undefined);
    const stop = new AbortController();
    const waiting = slots.take(stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "shell.cancelled" });
    await expect(slots.take(stop.signal)).rejects.toMatchObject({ code: "shell.cancelled" });
    first();
    (await slots.take(undefined))();
  });
});

test("listening sockets with an absolute path are found, others are not", () => {
  const table = [
    "Num       RefCount Protocol Flags    Type St Inode Path",
    "0000000000000000: 00000002 00000000 00010000 0001 01 17 /run/dbus/system bus",
    "0000000000000000: 00000002 00000000 00010000 0001 01 18 @abstract",
    "0000000000000000: 00000003 00000000 00000000 0001 03 19 /run/connected",
    "0000000000000000: 00000002 00000000 00010000 0001 01 20 relative",
    "0000000000000000: 00000002 00000000 00010000 0001 01 21",
    "0000000000000000: 00000002 00000000 00010000 0005 01    22 /run/seq",
  ].join("\n");
  expect(listeningPaths(table)).toEqual(["/run/dbus/system bus", "/run/seq"]);
});

test("mounts go from the outside in, and nothing is hidden twice", () => {
  const mounts = inOrder([
    { kind: "empty", path: "/home/a/work/x" },
    { kind: "write", path: "/home/a/work" },
    { kind: "empty", path: "/home/a" },
    { kind: "empty", path: "/home/a/sockets" },
    { kind: "covered", path: "/dev/log" },
    { kind: "read", path: "/home/a" },
    { kind: "empty", path: "/home/a" },
  ]);
  expect(mounts.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["empty /home/a", "write /home/a/work", "empty /home/a/work/x"]);
});

test.each([
  ["/", "the working directory is the root of the file system"],
  ["/usr", "the working directory is `/usr`"],
  ["/var/tmp", "the working directory is the home directory"],
  ["/var/lib", "the working directory lies in the state directory"],
  ["/opt", undefined],
])("a working directory %s: %s", (workdir, problem) => {
  expect(workdirProblem({ workdir, home: "/var/tmp", hidden: ["/var/lib"] })).toBe(problem);
});

describe("without a sandbox", () => {
  const confinement = unconfined({ limits: COMMAND_LIMITS, atOnce: 1, reason: "a test" });

  test.each([{ network: false }, { write: "none" as const }])("what only a sandbox can keep is refused: %j", (wish) => {
    expect(() => confinement.launcherFor(wish)).toThrow(expect.objectContaining({ code: "shell.sandbox_missing" }));
  });

  test.each([undefined, {}, { network: true }, { write: "workdir" as const }])("other wishes are not: %j", (wish) => {
    expect(confinement.launcherFor(wish)).toBeTypeOf("function");
  });
});

describe.runIf(haveSystemPart({ program: "bwrap", package: "bubblewrap" }))("the probe", () => {
  test("keeps its promises here", async () => {
    expect(await probeSandbox("/usr/bin/bwrap")).toBeUndefined();
  });

  test("a bubblewrap that keeps no promise is found out, each promise by its name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "regate-no-sandbox-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const open = join(folder, "bwrap");
    writeFileSync(open, '#!/bin/bash\nuntil [ "$1" = --chdir ]; do shift; done\ncd "$2"; shift 3; exec "$@"\n');
    chmodSync(open, 0o700);
    const problem = await probeSandbox(open);
    expect(problem).toBe(
      "bubblewrap does not keep its promises here (key-visible, key-readable, socket-visible, network-reachable, outside-writable, " +
        "guarded-file-writable, hook-writable, processes-visible)",
    );
  });

  test("a bubblewrap that does nothing is found out", async () => {
    expect(await probeSandbox("/bin/true")).toMatch(/sandbox could not be set up/);
  });
});

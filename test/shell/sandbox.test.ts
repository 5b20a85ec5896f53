import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HomeGrant } from "../../src/call/profile-words.ts";
import { commandEnvironment } from "../../src/shell/command-environment.ts";
import type { Launcher, RunResult } from "../../src/shell/launch.ts";
import { limitLauncher } from "../../src/shell/limits.ts";
import { runCommand } from "../../src/shell/run.ts";
import { COMMAND_LIMITS } from "../../src/shell/sandbox-entry.ts";
import { sandboxLauncher, type SandboxGrant, type SandboxOptions } from "../../src/shell/sandbox.ts";
import { haveSystemPart } from "../system-part.ts";

const haveBwrap = haveSystemPart({ program: "bwrap", package: "bubblewrap" });
/** A file outside the world, of this process alone. */
const PLANTED = `regate-planted-${process.pid}`;
const GRANT: SandboxGrant = { network: false, writable: true };

/** A world outside the temporary folder, which is private by itself: a home, a working directory and a place elsewhere. */
interface World {
  readonly root: string;
  readonly home: string;
  readonly work: string;
  readonly elsewhere: string;
  readonly state: string;
}

function makeWorld(): World {
  const root = mkdtempSync(join(realpathSync("/var/tmp"), "regate-sandbox-test-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, work, elsewhere, state] = ["home", "work", "elsewhere", "state"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const folder of [home, work, elsewhere, state]) mkdirSync(folder);
  writeFileSync(join(home, "key"), "secret");
  writeFileSync(join(state, "log"), "secret");
  writeFileSync(join(elsewhere, "readable"), "plain");
  return { root, home, work, elsewhere, state };
}

function optionsOf({ work, home, state }: World, more: Partial<SandboxOptions> = {}): SandboxOptions {
  return {
    bwrap: "/usr/bin/bwrap",
    workdir: work,
    home,
    shown: [],
    hidden: [state],
    settings: [],
    kept: [],
    limits: COMMAND_LIMITS,
    ...more,
  };
}

interface Attempt {
  readonly options?: Partial<SandboxOptions>;
  readonly grant?: Partial<SandboxGrant>;
  /** Takes a protection out of the arguments of bubblewrap. */
  readonly without?: (args: readonly string[]) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

function attempt(
  world: World,
  command: string,
  { options, grant, without, env, timeoutMs = 20_000, signal }: Attempt = {},
): Promise<RunResult> {
  const sandbox = sandboxLauncher(optionsOf(world, options), { ...GRANT, ...grant });
  const launcher: Launcher = async (argv, more) => {
    const launch = await sandbox(argv, more);
    return without === undefined ? launch : { ...launch, args: without(launch.args) };
  };
  const base = { ...commandEnvironment({}), HOME: world.home, ...env };
  return runCommand({
    command,
    expected: command,
    cwd: world.work,
    env: base,
    timeoutMs,
    launcher,
    ...(signal === undefined ? {} : { signal }),
  });
}

function grantOf(path: string, write = false): HomeGrant {
  return { path, write };
}

/** Leaves out a flag with its values, wherever it stands. */
function drop(...words: readonly string[]): (args: readonly string[]) => readonly string[] {
  return (args) => {
    const left: string[] = [];
    let found = false;
    for (let at = 0; at < args.length; at += 1) {
      if (words.every((word, offset) => args[at + offset] === word)) {
        at += words.length - 1;
        found = true;
      } else left.push(args[at] as string);
    }
    if (!found) throw new Error(`there is no \`${words.join(" ")}\` to leave out`);
    return left;
  };
}

/** Leaves out what is mounted at a path, and whether the same is there as outside: for tests that an attack works without it. */
function unguard(path: string): (args: readonly string[]) => readonly string[] {
  return (args) => {
    const start = args.indexOf("--");
    const mounts = args.slice(0, start).join("\0");
    const spot = path.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    const left = mounts.replace(
      new RegExp(
        `(?:\0--size\0\\d+\0--tmpfs\0${spot}(?:\0--remount-ro\0${spot})?|\0--(?:ro-)?bind\0(?:\\/dev\\/null|${spot})\0${spot})(?=\0|$)`,
      ),
      "",
    );
    if (left === mounts) throw new Error(`nothing is mounted at ${path}`);
    return [...left.split("\0"), ...args.slice(start)];
  };
}

/** One protection: what an attack prints when it works, and what has to be taken away for it to work. */
interface Protection {
  readonly name: string;
  readonly command: (world: World) => string;
  readonly prepare?: (world: World) => void | Promise<void>;
  readonly options?: (world: World) => Partial<SandboxOptions>;
  readonly without: (world: World) => (args: readonly string[]) => readonly string[];
  readonly grant?: Partial<SandboxGrant>;
}

async function listen(path: string): Promise<void> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
}

const CONNECT = `import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print('REACHED')`;
const haveGit = (world: World, folder = world.work): void => {
  mkdirSync(folder, { recursive: true });
  execFileSync("git", ["init", "-q", folder]);
};

const PROTECTIONS: readonly Protection[] = [
  {
    name: "home is empty",
    command: ({ home }) => `cat ${home}/key && echo REACHED`,
    without: ({ home }) => unguard(home),
  },
  {
    name: "the state directory is hidden",
    command: ({ state }) => `cat ${state}/log && echo REACHED`,
    without: ({ state }) => unguard(state),
  },
  {
    name: "configuration outside the working directory is hidden",
    prepare: ({ elsewhere }) => writeFileSync(join(elsewhere, "regate.json"), "{}"),
    options: ({ elsewhere }) => ({ settings: [join(elsewhere, "regate.json")] }),
    command: ({ elsewhere }) => `cat ${elsewhere}/regate.json && echo REACHED`,
    without: ({ elsewhere }) => unguard(join(elsewhere, "regate.json")),
  },
  {
    name: "the root is read-only",
    command: ({ elsewhere }) => `echo x > ${elsewhere}/made && echo REACHED`,
    without: () => (args) => args.map((word, at) => (word === "--ro-bind" && args[at + 1] === "/" ? "--bind" : word)),
  },
  {
    name: "the temporary folder is private",
    prepare: () => {
      writeFileSync(`/tmp/${PLANTED}`, "x");
      onTestFinished(() => rmSync(`/tmp/${PLANTED}`, { force: true }));
    },
    command: () => `cat /tmp/${PLANTED} && echo REACHED`,
    without: () => unguard("/tmp"),
  },
  {
    name: "devices and shared memory are private",
    prepare: () => {
      writeFileSync(`/dev/shm/${PLANTED}`, "x");
      onTestFinished(() => rmSync(`/dev/shm/${PLANTED}`, { force: true }));
    },
    command: () => `cat /dev/shm/${PLANTED} && echo REACHED`,
    without: () => drop("--dev", "/dev"),
  },
  {
    name: "the run-time directory of the server's user is empty, wherever it lies",
    prepare: ({ elsewhere }) => writeFileSync(join(elsewhere, "token"), "x"),
    options: ({ elsewhere }) => ({ runtimeDir: elsewhere }),
    command: ({ elsewhere }) => `cat ${elsewhere}/token && echo REACHED`,
    without: ({ elsewhere }) => unguard(elsewhere),
  },
  {
    name: "/run is empty",
    command: () => '[ -n "$(ls -A /run)" ] && echo REACHED',
    without: () => unguard("/run"),
  },
  {
    name: "a folder with a listening socket is empty",
    prepare: ({ elsewhere }) => listen(join(elsewhere, "agent.sock")),
    command: ({ elsewhere }) => `python3 -c "${CONNECT}" ${elsewhere}/agent.sock`,
    without: ({ elsewhere }) => unguard(elsewhere),
  },
  {
    name: "a listening socket in the working directory is covered",
    prepare: ({ work }) => listen(join(work, "dev.sock")),
    command: ({ work }) => `python3 -c "${CONNECT}" ${work}/dev.sock`,
    without: ({ work }) => unguard(join(work, "dev.sock")),
  },
  {
    name: "capabilities are dropped",
    command: () => "grep -q 'CapBnd:.*[1-9a-f]' /proc/self/status && echo REACHED",
    without: () => drop("--cap-drop", "ALL"),
  },
  {
    name: "no new user namespaces",
    command: () => "unshare --user true && echo REACHED",
    without: () => drop("--disable-userns"),
  },
  {
    name: "a session of its own",
    command: () => "[ \"$(ps -o sid= -p $$ | tr -d ' ')\" = 0 ] && echo REACHED",
    without: () => drop("--new-session"),
  },
  ...[".gitmodules", ".envrc", ".mcp.json", ".vscode", ".claude", ".cursor", ".codex", ".husky", ".git"].map((name): Protection => ({
    name: `\`${name}\`, which does not exist yet, cannot be made`,
    command: () => `mkdir -p ${name} && echo x > ${name}/x && echo REACHED`,
    without: ({ work }) => unguard(join(work, name)),
  })),
  ...[".envrc", ".mcp.json", ".gitmodules"].map((name): Protection => ({
    name: `\`${name}\`, which exists, cannot be changed`,
    prepare: ({ work }) => writeFileSync(join(work, name), "old"),
    command: () => `echo x > ${name} && echo REACHED`,
    without: ({ work }) => unguard(join(work, name)),
  })),
  {
    name: "a folder of settings, which exists, cannot be changed",
    prepare: ({ work }) => mkdirSync(join(work, ".claude")),
    command: () => "echo x > .claude/settings.json && echo REACHED",
    without: ({ work }) => unguard(join(work, ".claude")),
  },
  {
    name: "the configuration of git cannot be changed",
    prepare: haveGit,
    command: () => "echo '[core]' >> .git/config && echo REACHED",
    without: ({ work }) => unguard(join(work, ".git", "config")),
  },
  {
    name: "hooks of git cannot be made",
    prepare: haveGit,
    command: () => "echo x > .git/hooks/pre-commit && echo REACHED",
    without: ({ work }) => unguard(join(work, ".git", "hooks")),
  },
  {
    name: "the folder of git cannot be moved away",
    prepare: haveGit,
    command: () => "mv .git old && echo REACHED",
    without:
      ({ work }) =>
      (args) =>
        unguard(join(work, ".git"))(args),
  },
  {
    name: "hooks in a nested repository cannot be made",
    prepare: (world) => haveGit(world, join(world.work, "a", "b")),
    command: () => "echo x > a/b/.git/hooks/pre-commit && echo REACHED",
    without: ({ work }) => unguard(join(work, "a", "b", ".git", "hooks")),
  },
  {
    name: "settings in a nested repository cannot be made",
    prepare: (world) => haveGit(world, join(world.work, "a", "b")),
    command: () => "mkdir -p a/b/.claude && echo x > a/b/.claude/settings.json && echo REACHED",
    without: ({ work }) => unguard(join(work, "a", "b", ".claude")),
  },
  {
    name: "a folder above a nested repository cannot be moved away",
    prepare: (world) => haveGit(world, join(world.work, "a", "b")),
    command: () => "mv a old && echo REACHED",
    without: ({ work }) => unguard(join(work, "a")),
  },
  {
    name: "files of the gate in the working directory cannot be changed",
    prepare: ({ work }) => {
      mkdirSync(join(work, "gate"));
      writeFileSync(join(work, "gate", "tools.txt"), "audit_log\n");
    },
    options: ({ work }) => ({ settings: [join(work, "gate", "tools.txt")] }),
    command: () => "cat gate/tools.txt; echo run_shell >> gate/tools.txt && echo REACHED",
    without: ({ work }) => unguard(join(work, "gate", "tools.txt")),
  },
  {
    name: "a folder above files of the gate cannot be moved away",
    prepare: ({ work }) => {
      mkdirSync(join(work, "gate"));
      writeFileSync(join(work, "gate", "tools.txt"), "audit_log\n");
    },
    options: ({ work }) => ({ settings: [join(work, "gate", "tools.txt")] }),
    command: () => "mv gate old && echo REACHED",
    without: ({ work }) => unguard(join(work, "gate")),
  },
];

describe.runIf(haveBwrap)("protections", () => {
  test.each(PROTECTIONS.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const world = makeWorld();
    await row.prepare?.(world);
    const options = row.options?.(world) ?? {};
    const held = await attempt(world, row.command(world), { options, grant: row.grant ?? {} });
    expect(held.stdout).not.toContain("REACHED");
    const open = await attempt(world, row.command(world), { options, grant: row.grant ?? {}, without: row.without(world) });
    expect({ stdout: open.stdout, stderr: open.stderr }).toEqual({
      stdout: expect.stringContaining("REACHED"),
      stderr: expect.any(String),
    });
  });

  test("the network is not there, and is when policy grants it", async () => {
    const world = makeWorld();
    const server = createServer((socket) => socket.end());
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    onTestFinished(() => void server.close());
    const command = `exec 9<>/dev/tcp/127.0.0.1/${port} && echo REACHED`;
    expect((await attempt(world, command)).stdout).toBe("");
    expect((await attempt(world, command, { grant: { network: true } })).stdout).toBe("REACHED\n");
  });

  test("processes of the host are not there, and are with the host's own", async () => {
    const world = makeWorld();
    const command = "ls -d /proc/[0-9]* | wc -l";
    const seen = Number((await attempt(world, command)).stdout);
    expect(seen).toBeLessThanOrEqual(5);
    expect(Number((await attempt(world, command, { without: drop("--proc", "/proc") })).stdout)).toBeGreaterThan(seen);
  });

  test("with `write: none` the working directory is read-only", async () => {
    const world = makeWorld();
    const command = "echo x > file && echo REACHED";
    expect((await attempt(world, command, { grant: { writable: false } })).stdout).toBe("");
    expect((await attempt(world, command)).stdout).toBe("REACHED\n");
  });

  test("only what is granted of the home directory is shown, read-only", async () => {
    const world = makeWorld();
    mkdirSync(join(world.home, ".cache"));
    writeFileSync(join(world.home, ".cache", "a"), "granted");
    const shown = [join(world.home, ".cache"), join(world.home, "missing")];
    const result = await attempt(world, "ls -A ~; cat ~/.cache/a; echo x > ~/.cache/b", { options: { shown } });
    expect(result).toMatchObject({ stdout: ".cache\ngranted", stderr: expect.stringContaining("Read-only file system") });
  });

  test("what the profile grants of the home directory: read-only, writable when it is marked, and nothing beside it", async () => {
    const world = makeWorld();
    for (const name of [".config/gh", ".cache/uv", ".ssh"]) mkdirSync(join(world.home, name), { recursive: true });
    writeFileSync(join(world.home, ".config", "gh", "a"), "granted\n");
    writeFileSync(join(world.home, ".ssh", "id"), "secret");
    writeFileSync(join(world.home, ".npmrc"), "line\n");
    const home = [grantOf(".config/gh"), grantOf(".npmrc"), grantOf(".cache/uv", true), grantOf(".missing", true)];
    const command =
      "cd; find . -type f | sort; cat .config/gh/a .npmrc; for f in .config/gh/b .npmrc .cache/uv/b; do echo x >> $f && echo $f; done";
    const { stdout } = await attempt(world, command, { grant: { home } });
    expect(stdout.split("\n").filter((line) => line !== "")).toEqual(["./.config/gh/a", "./.npmrc", "granted", "line", ".cache/uv/b"]);
    expect(readFileSync(join(world.home, ".cache", "uv", "b"), "utf8")).toBe("x\n");
    expect(readFileSync(join(world.home, ".npmrc"), "utf8")).toBe("line\n");
    expect(existsSync(join(world.home, ".missing"))).toBe(false);
    expect((await attempt(world, "ls -A ~")).stdout).toBe("");
  });

  test("with `write: none` nothing that the profile grants is writable", async () => {
    const world = makeWorld();
    mkdirSync(join(world.home, ".cache"));
    const grant = { home: [grantOf(".cache", true)] };
    expect((await attempt(world, "echo x > ~/.cache/a", { grant })).exit_code).toBe(0);
    expect((await attempt(world, "cat ~/.cache/a; echo x > ~/.cache/b", { grant: { ...grant, writable: false } })).stdout).toBe("x\n");
    expect(readdirSync(join(world.home, ".cache"))).toEqual(["a"]);
  });

  test.each<[string, (world: World) => HomeGrant]>([
    ["goes through a symbolic link", ({ home }) => (symlinkSync(join(home, ".ssh"), join(home, "link")), grantOf("link"))],
    ["goes through a symbolic link", ({ home }) => (symlinkSync(".", join(home, "self")), grantOf("self/.ssh"))],
    ["goes through a symbolic link", ({ home }) => (symlinkSync("/etc", join(home, "etc")), grantOf("etc"))],
    ["holds what commands must not change", () => grantOf(".local", true)],
    ["holds what commands must not change", () => grantOf(".config", true)],
    ["holds the working directory", () => grantOf("src", true)],
    ["lies in the working directory", () => grantOf("src/work/part")],
  ])("a grant that %s: nothing is executed", async (problem, make) => {
    const world = makeWorld();
    const [state, work] = [join(world.home, ".local", "state", "regate"), join(world.home, "src", "work")];
    for (const folder of [state, join(work, "part"), join(world.home, ".ssh"), join(world.home, ".config")])
      mkdirSync(folder, { recursive: true });
    const grant = { home: [make(world)] };
    const options = { hidden: [state], workdir: work, shown: [join(world.home, ".config", "shown")] };
    await expect(attempt({ ...world, work }, "echo x > ran", { options, grant })).rejects.toThrow(problem);
    expect(existsSync(join(work, "ran"))).toBe(false);
    expect((await attempt({ ...world, work }, "echo x > ran", { options })).exit_code).toBe(0);
  });

  test("something else stands at a granted place than what was looked at: nothing is executed", async () => {
    const world = makeWorld();
    mkdirSync(join(world.home, ".cache"));
    mkdirSync(join(world.home, ".ssh"));
    const without = (args: readonly string[]): readonly string[] => {
      rmSync(join(world.home, ".cache"), { recursive: true });
      symlinkSync(join(world.home, ".ssh"), join(world.home, ".cache"));
      return args;
    };
    const grant = { home: [grantOf(".cache", true)] };
    await expect(attempt(world, "echo x > ran", { grant, without })).rejects.toMatchObject({ code: "shell.sandbox_failed" });
    expect(existsSync(join(world.work, "ran"))).toBe(false);
  });

  test("a grant shows nothing of the state directory", async () => {
    const world = makeWorld();
    expect((await attempt(world, `cat ${world.state}/log`, { options: { shown: [join(world.state, "log"), world.root] } })).stdout).toBe(
      "",
    );
  });

  test("sockets, buses and daemons have no variable", async () => {
    const names = ["SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "XDG_RUNTIME_DIR"];
    const env = commandEnvironment(Object.fromEntries(names.map((name) => [name, "x"])));
    const { stdout } = await attempt(makeWorld(), "env", { env });
    for (const name of names) expect(stdout).not.toContain(name);
    const open = await attempt(makeWorld(), "env", { env: { ...env, ...Object.fromEntries(names.map((name) => [name, "x"])) } });
    for (const name of names) expect(open.stdout).toContain(`${name}=x`);
  });
});

describe.runIf(haveBwrap)("what is left behind", () => {
  test("no placeholder, and no file outside the working directory", async () => {
    const world = makeWorld();
    haveGit(world);
    haveGit(world, join(world.work, "nested"));
    const before = [readdirSync(world.root), readdirSync(world.elsewhere), readdirSync(world.home)];
    const { exit_code: exit } = await attempt(world, "echo a > ~/a; echo b > /tmp/b; echo c > /run/c; echo d > d; ls -A nested");
    expect(exit).toBe(0);
    expect([readdirSync(world.root), readdirSync(world.elsewhere), readdirSync(world.home)]).toEqual(before);
    expect(readdirSync(world.work).sort()).toEqual([".git", "d", "nested"]);
    expect(readdirSync(join(world.work, "nested"))).toEqual([".git"]);
    expect(existsSync("/tmp/b") || existsSync("/run/c")).toBe(false);
  });

  test("a placeholder stays while another command needs it", async () => {
    const world = makeWorld();
    const slow = attempt(world, "until [ -e go ]; do sleep 0.02; done; mkdir .claude/x && echo REACHED");
    await expect.poll(() => existsSync(join(world.work, ".claude"))).toBe(true);
    await attempt(world, "true");
    expect(existsSync(join(world.work, ".claude"))).toBe(true);
    writeFileSync(join(world.work, "go"), "");
    expect((await slow).stdout).toBe("");
    expect(readdirSync(world.work)).toEqual(["go"]);
  });

  test("a `commondir`, which would give git another configuration, is removed", async () => {
    const world = makeWorld();
    haveGit(world);
    await attempt(world, "echo ../evil > .git/commondir");
    expect(existsSync(join(world.work, ".git", "commondir"))).toBe(false);
  });

  test("git works in it", async () => {
    const world = makeWorld();
    haveGit(world);
    const git = "git -c user.name=a -c user.email=a@example.com";
    const result = await attempt(world, `echo a > a && git add -A && ${git} commit -qm x && git status --porcelain && git ls-files`);
    expect(result).toMatchObject({ exit_code: 0, stdout: "a\n" });
  });
});

describe.runIf(haveBwrap)("what cannot be protected", () => {
  test.each([".claude", ".git", ".git/hooks"])("a link at `%s`: nothing is executed", async (name) => {
    const world = makeWorld();
    if (name === ".git/hooks") {
      haveGit(world);
      rmSync(join(world.work, name), { recursive: true });
    }
    symlinkSync(world.elsewhere, join(world.work, name));
    await expect(attempt(world, "echo x > ran")).rejects.toMatchObject({ code: "shell.sandbox_failed" });
    expect(existsSync(join(world.work, "ran"))).toBe(false);
  });

  test("bubblewrap fails: the command is not run without it", async () => {
    const world = makeWorld();
    const without = (args: readonly string[]): readonly string[] => ["--no-such-option", ...args];
    await expect(attempt(world, "echo x > ran", { without })).rejects.toMatchObject({ code: "shell.sandbox_failed" });
    expect(existsSync(join(world.work, "ran"))).toBe(false);
  });

  test("another file stands at a protected place than the one that was looked at: nothing is executed", async () => {
    const world = makeWorld();
    writeFileSync(join(world.work, ".envrc"), "");
    const without = (args: readonly string[]): readonly string[] => {
      rmSync(join(world.work, ".envrc"));
      symlinkSync(join(world.home, "key"), join(world.work, ".envrc"));
      return args;
    };
    await expect(attempt(world, "cat .envrc > ran", { without })).rejects.toMatchObject({ code: "shell.sandbox_failed" });
    expect(existsSync(join(world.work, "ran"))).toBe(false);
  });
});

/** Command lines of living processes that hold a word. */
function living(word: string): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return line.includes(word) ? [line] : [];
      } catch {
        return [];
      }
    });
}

async function noneLiving(word: string): Promise<void> {
  await expect.poll(() => living(word)).toEqual([]);
}

/** Seconds that no other process sleeps. */
const nap = (number: number): string => `${process.pid}${number}`;

/** Runs a command that says that it has begun into its time limit: one that is long enough for that on this machine. */
async function outOfTime(command: string, isBegun = ({ stdout }: RunResult) => stdout !== ""): Promise<RunResult> {
  for (let timeoutMs = 300; ; timeoutMs *= 3) {
    const result = await attempt(makeWorld(), command, { timeoutMs });
    if (isBegun(result)) return result;
  }
}

describe.runIf(haveBwrap)("how it ends", () => {
  test.each<[string, number | null, string | null]>([
    ["exit 0", 0, null],
    ["exit 3", 3, null],
    ["exit 137", 137, null],
    ["exit 143", 143, null],
    ["exit 255", 255, null],
    ["kill -TERM $$", null, "SIGTERM"],
    ["kill -9 $$", null, "SIGKILL"],
    ["kill -ABRT $$", null, "SIGABRT"],
    ["kill -SEGV $$", null, "SIGSEGV"],
    ["exit 130", 130, null],
    ["exit 141", 141, null],
    ["kill -HUP $$", null, "SIGHUP"],
    ["kill -USR1 $$", null, "SIGUSR1"],
    ["exec python3 -c 'import os; os.abort()'", null, "SIGABRT"],
    // The shell of the command exits, with the code that says so.
    ["bash -c 'kill -9 $$'; exit", 137, null],
    ["trap 'exit 143' TERM; kill -TERM $$", 143, null],
    ["(until grep -q 'State:.T' /proc/$$/status; do sleep 0.02; done; kill -CONT $$) & kill -STOP $$; exit 5", 5, null],
    ["trap '' TERM HUP; kill -TERM -1; kill -HUP -1; sleep 0.2; exit 6", 6, null],
  ])("`%s`: exit code %s, signal %s, as without a sandbox", async (command, exit, signal) => {
    const expected = { exit_code: exit, signal, stdout: "", timed_out: false };
    const inside = await attempt(makeWorld(), command);
    expect(inside).toMatchObject(expected);
    if (!command.startsWith("bash")) expect(inside.stderr).toBe("");
    if (command.includes(" -1;")) return;
    const options = { command, expected: command, cwd: "/", env: commandEnvironment({}), timeoutMs: 20_000 };
    expect(await runCommand({ ...options, launcher: limitLauncher(COMMAND_LIMITS) })).toMatchObject({
      ...expected,
      stderr: expect.any(String),
    });
  });

  test.each([
    ["kill -INT $$", 130],
    ["kill -PIPE $$", 141],
  ])("`%s` cannot be told from an exit with that code, and is told as one", async (command, exit) => {
    expect(await attempt(makeWorld(), command)).toMatchObject({ exit_code: exit, signal: null, stderr: "" });
  });

  test("a command that ends by itself at the time limit, with the code of a signal", async () => {
    const result = await outOfTime(`trap 'exit 143' TERM; echo began; sleep ${nap(7653)} & wait`);
    expect(result).toMatchObject({ exit_code: 143, signal: null, timed_out: true });
    expect(await outOfTime(`echo began; sleep ${nap(7653)}`)).toMatchObject({ exit_code: null, signal: "SIGTERM", timed_out: true });
    await noneLiving(nap(7653));
  });

  test("sleep past the timeout, with grandchildren in sessions of their own that hold the output and ignore SIGTERM", async () => {
    const [one, two, three] = [1, 2, 3].map((part) => `sleep ${nap(7654)}.${part}`);
    const result = await outOfTime(`trap '' TERM; setsid ${one} & setsid -f ${two}; echo began; ${three}`);
    expect(result).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: true });
    await noneLiving(`${nap(7654)}.`);
  });

  test("SIGTERM reaches the command itself", async () => {
    const result = await outOfTime(`trap 'echo ended; exit 3' TERM; echo began; sleep ${nap(7655)} & wait`);
    expect(result).toMatchObject({ exit_code: 3, stdout: "began\nended\n", timed_out: true });
    await noneLiving(nap(7655));
  });

  test("a cancellation", async () => {
    const [world, stop] = [makeWorld(), new AbortController()];
    const running = attempt(world, `touch began; setsid sleep ${nap(7656)}`, { signal: stop.signal });
    await expect.poll(() => existsSync(join(world.work, "began"))).toBe(true);
    stop.abort();
    expect(await running).toMatchObject({ exit_code: null, timed_out: false });
    await noneLiving(nap(7656));
  });

  test("background children are gone when the command is over, in whatever session", async () => {
    expect(await attempt(makeWorld(), `setsid -f sleep ${nap(7657)}; (sleep ${nap(7657)}.5 &); echo done`)).toMatchObject({
      exit_code: 0,
      stdout: "done\n",
    });
    await noneLiving(nap(7657));
  });

  test("bubblewrap is killed: so is everything in it", async () => {
    const world = makeWorld();
    const running = attempt(world, `touch began; sleep ${nap(7658)}`);
    await expect.poll(() => existsSync(join(world.work, "began"))).toBe(true);
    const [pid] = execFileSync("pgrep", ["-o", "-f", `bwrap.*${world.root}`], { encoding: "utf8" }).split("\n");
    process.kill(Number(pid), "SIGKILL");
    expect(await running).toMatchObject({ signal: "SIGKILL" });
    await noneLiving(nap(7658));
  });
});

/** Runs a command in the sandbox from another process and kills that process as nothing can resist. */
async function orphan(world: World, word: string, without: readonly string[] = []): Promise<void> {
  const modules = ["run", "sandbox"].map((name) => pathToFileURL(join(import.meta.dirname, `../../dist/shell/${name}.js`)).href);
  const command = `touch began; sleep ${word}`;
  const script = `import { runCommand } from ${JSON.stringify(modules[0])}; import { sandboxLauncher } from ${JSON.stringify(modules[1])};
    const sandbox = sandboxLauncher(${JSON.stringify(optionsOf(world))}, ${JSON.stringify(GRANT)});
    const launcher = async (argv, more) => {
      const launch = await sandbox(argv, more);
      return { ...launch, args: launch.args.filter((word) => !${JSON.stringify(without)}.includes(word)) };
    };
    const command = ${JSON.stringify(command)};
    await runCommand({ command, expected: command, cwd: ${JSON.stringify(world.work)}, env: { PATH: "/usr/bin:/bin" }, timeoutMs: 60000, launcher });`;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
  await expect.poll(() => existsSync(join(world.work, "began"))).toBe(true);
  server.kill("SIGKILL");
  await once(server, "exit");
}

describe.runIf(haveBwrap)("when the server is killed with SIGKILL", () => {
  test("its command dies with it, and does not without `--die-with-parent`", { timeout: 60_000 }, async () => {
    const [one, two] = [`${nap(7659)}.1`, `${nap(7659)}.2`];
    await orphan(makeWorld(), two, ["--die-with-parent"]);
    await orphan(makeWorld(), one);
    await noneLiving(one);
    expect(living(two)).not.toEqual([]);
    execFileSync("pkill", ["-KILL", "-f", `^sleep ${two}$`]);
  });
});

describe.runIf(haveBwrap)("what wants too much", () => {
  const limits = { processes: 64, fileMb: 1, memoryMb: 256 };

  test("a fork bomb", async () => {
    const world = makeWorld();
    const result = await attempt(world, "bomb() { bomb | bomb & }; bomb; sleep 600", { options: { limits }, timeoutMs: 5_000 });
    expect(result.exit_code === null || result.timed_out).toBe(true);
    expect(await attempt(world, "echo fine")).toMatchObject({ stdout: "fine\n" });
  }, 60_000);

  test("a memory bomb", async () => {
    const result = await attempt(makeWorld(), `python3 -c "bytearray(1 << 30)"`, { options: { limits } });
    expect(result).toMatchObject({ exit_code: 1, stderr: expect.stringContaining("MemoryError") });
  });

  test("a file without end", async () => {
    const result = await attempt(makeWorld(), "head -c 100M /dev/zero > file; stat -c %s file", { options: { limits } });
    expect(Number(result.stdout)).toBeLessThanOrEqual(1024 * 1024);
  });

  test("output without end, and `yes | head`", async () => {
    const endless = await outOfTime("yes", ({ stdout }) => stdout.length === 65_536);
    expect(endless).toMatchObject({ timed_out: true, truncated: true });
    expect(await attempt(makeWorld(), "yes | head -n 2")).toMatchObject({ exit_code: 0, stdout: "y\ny\n", truncated: false });
  });
});

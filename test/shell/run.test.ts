import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { commandEnvironment } from "../../src/shell/command-environment.ts";
import { endAllCommands, runCommand } from "../../src/shell/run.ts";
import type { RunResult } from "../../src/shell/launch.ts";
import type { RunOptions } from "../../src/shell/run.ts";

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "regate-run-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(command: string, more: Partial<RunOptions> = {}): Promise<RunResult> {
  return runCommand({
    command,
    expected: command,
    cwd: tmpdir(),
    env: commandEnvironment({ HOME: "/nowhere" }),
    timeoutMs: 30_000,
    ...more,
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie waits for whoever has inherited it; it runs no more.
  const status = existsSync("/proc/self/status") ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return !/^State:\s+Z/m.test(status);
}

/** Waits until a condition holds; the test's own timeout is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("results", () => {
  test("exit code, stdout and stderr; a non-zero exit is a result", async () => {
    const { duration_ms: duration, ...result } = await run("echo out; echo err >&2; exit 3");
    expect(result).toEqual({ exit_code: 3, signal: null, timed_out: false, truncated: false, stdout: "out\n", stderr: "err\n" });
    expect(Number.isSafeInteger(duration)).toBe(true);
  });

  test("a command that a signal ended", async () => {
    expect(await run("kill -9 $$")).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: false });
  });

  test("stdin is empty", async () => {
    expect(await run("cat; read x; echo $?")).toMatchObject({ stdout: "1\n" });
  });

  test("it is bash, without start-up files, in the working directory", async () => {
    const cwd = temporaryFolder();
    const result = await run("shopt -q login_shell; echo $?; [[ a < b ]] && echo {x,y} $0; pwd; alias", { cwd });
    expect(result.stdout).toMatch(new RegExp(`^1\nx y /\\S*/bash\n${cwd}\n$`));
  });

  test("output can be opened again by name, as with a terminal or a pipe", async () => {
    expect(await run("echo a > /dev/stderr; echo b | tee /dev/stdout; echo c >> /dev/fd/1")).toMatchObject({
      exit_code: 0,
      stdout: "b\nb\nc\n",
      stderr: "a\n",
    });
  });
});

describe("environment", () => {
  test("holds the allow-list and nothing else", async () => {
    const source = {
      PATH: "/evil",
      HOME: "/h",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      TZ: "UTC",
      USER: "me",
      SECRET_TOKEN: "x",
      BASH_ENV: "/evil",
      LD_PRELOAD: "x",
      REGATE_AGENT_ID: "a",
    };
    expect(commandEnvironment(source)).toEqual({
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      TERM: "dumb",
      REGATE_AGENT_CHILD: "1",
      HOME: "/h",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      TZ: "UTC",
      USER: "me",
    });
    const { stdout } = await run("env | cut -d= -f1 | sort | tr '\\n' ' '", { env: commandEnvironment(source) });
    // bash itself sets the rest.
    expect(stdout).toBe("HOME LANG LC_ALL PATH PWD REGATE_AGENT_CHILD SHLVL TERM TZ USER _ ");
  });

  test.each([
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "IFS",
    "PROMPT_COMMAND",
    "BASH_FUNC_ls%%",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_X",
    "a=b",
    "",
    "1x",
    "x y",
  ])("%j is refused, whoever adds it", async (name) => {
    await expect(run("true", { env: { PATH: "/bin", [name]: "x" } })).rejects.toThrow(code("shell.environment_refused"));
  });

  test("a value with a NUL is refused", async () => {
    await expect(run("true", { env: { X: "a\0b" } })).rejects.toThrow(code("shell.environment_refused"));
  });
});

describe("what is not executed", () => {
  const marker = (): { file: string; command: string } => {
    const file = join(temporaryFolder(), "ran");
    return { file, command: `touch ${file}` };
  };

  test.each<[string, (command: string) => string]>([
    ["a NUL", (command) => `${command}\0`],
    ["65,537 bytes", (command) => command.padEnd(65_537, " ")],
    ["65,536 characters of more bytes", (command) => `${command} ${"é".repeat(40_000)}`],
    ["a lone surrogate", (command) => `${command} \ud800`],
  ])("a command with %s", async (_name, change) => {
    const { file, command } = marker();
    await expect(run(change(command))).rejects.toThrow(code("shell.command_refused"));
    expect(existsSync(file)).toBe(false);
  });

  test("65,536 bytes are fine", async () => {
    expect(await run("echo fine #".padEnd(65_536, "x"))).toMatchObject({ stdout: "fine\n" });
  });

  test("a command other than the one that was decided", async () => {
    const { file, command } = marker();
    await expect(run(command, { expected: `${command} ` })).rejects.toThrow(code("shell.command_changed"));
    expect(existsSync(file)).toBe(false);
  });

  test("a command that was cancelled before", async () => {
    const { file, command } = marker();
    await expect(run(command, { signal: AbortSignal.abort() })).rejects.toThrow(code("shell.cancelled"));
    expect(existsSync(file)).toBe(false);
  });

  test("a working directory that is missing or is a file", async () => {
    const { file, command } = marker();
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    await expect(run(command, { cwd: join(folder, "none") })).rejects.toThrow(code("shell.workdir_missing"));
    await expect(run(command, { cwd: join(folder, "file") })).rejects.toThrow(code("shell.workdir_missing"));
    expect(existsSync(file)).toBe(false);
  });

  test("a launch that the system refuses", async () => {
    const launcher = (): { file: string; args: string[]; env: Record<string, string> } => ({
      file: "/nonexistent/program",
      args: [],
      env: {},
    });
    await expect(run("true", { launcher })).rejects.toThrow(code("shell.spawn_failed"));
  });
});

describe("output caps", () => {
  test("each stream keeps its beginning; the rest is drained and `truncated` says so", async () => {
    const result = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2", { outputCapBytes: 1000 });
    expect(result).toMatchObject({ exit_code: 0, truncated: true, stdout: "x".repeat(1000), stderr: "end\n" });
  });

  test("exactly the cap is not truncated", async () => {
    expect(await run("printf '%01000d' 0", { outputCapBytes: 1000 })).toMatchObject({ truncated: false, stdout: "0".repeat(1000) });
  });

  test("65,536 bytes unless given", async () => {
    expect((await run("head -c 65536 /dev/zero | tr '\\0' x")).truncated).toBe(false);
    expect((await run("head -c 65537 /dev/zero | tr '\\0' x")).truncated).toBe(true);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])("a cap of %d bytes cuts between characters", async (outputCapBytes) => {
    const { stdout } = await run("printf 'é€😀'", { outputCapBytes });
    const kept = ["é", "€", "😀"].reduce((text, next) => (Buffer.byteLength(text + next) <= outputCapBytes ? text + next : text), "");
    expect(stdout).toBe(kept);
  });

  test("a character in two writes is whole; bytes that are no UTF-8 become U+FFFD", async () => {
    expect((await run("printf '\\xe2\\x82'; sleep 0.05; printf '\\xac'")).stdout).toBe("€");
    expect((await run("printf 'a\\xffb\\xe2\\x82'")).stdout).toBe("a\ufffdb\ufffd");
  });
});

/** Runs a command that says that it has begun into its time limit: one that is long enough for that on this machine. */
async function outOfTime(command: string): Promise<RunResult> {
  for (let timeoutMs = 100; ; timeoutMs *= 3) {
    const result = await run(command, { timeoutMs });
    if (result.stdout !== "") return result;
  }
}

describe("the end of a command", () => {
  test("its own exit counts, also while a background child holds the output; what is left is killed", async () => {
    const result = await run("sleep 600 & echo $!");
    expect(result).toMatchObject({ exit_code: 0, timed_out: false, truncated: false });
    await until(() => !isAlive(Number(result.stdout)));
  });

  test("everything that it wrote before its exit is there, also when a stranger to the group holds the output", async () => {
    const file = join(temporaryFolder(), "pid");
    const result = await run(`setsid sleep 600 & echo $! > ${file}; head -c 60000 /dev/zero | tr '\\0' x`);
    expect(result).toMatchObject({ exit_code: 0, truncated: false, stdout: "x".repeat(60_000) });
    process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
  });

  test("a timeout ends the whole group, also one that ignores SIGTERM", async () => {
    const polite = await run("sleep 600 & sleep 600", { timeoutMs: 100 });
    expect(polite).toMatchObject({ exit_code: null, signal: "SIGTERM", timed_out: true });
    const stubborn = await outOfTime("trap '' TERM; sleep 600 & echo $!; while :; do sleep 600; done");
    expect(stubborn).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: true });
    await until(() => !isAlive(Number(stubborn.stdout)));
  });

  test("a command may end by itself when it is told to", async () => {
    expect(await outOfTime("trap 'echo bye; exit 7' TERM; echo began; sleep 600 & wait")).toMatchObject({
      exit_code: 7,
      signal: null,
      timed_out: true,
      stdout: "began\nbye\n",
    });
  });

  test("a cancellation takes the same path", async () => {
    const controller = new AbortController();
    const file = join(temporaryFolder(), "pid");
    const running = run(`echo $$ > ${file}.part; mv ${file}.part ${file}; sleep 600 & sleep 600`, { signal: controller.signal });
    await until(() => existsSync(file));
    controller.abort();
    expect(await running).toMatchObject({ exit_code: null, signal: "SIGTERM", timed_out: false });
    expect(isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test("endAllCommands ends all that run, and leaves the runner usable", async () => {
    const file = join(temporaryFolder(), "started");
    const running = [run(`echo >> ${file}; sleep 600`), run(`echo >> ${file}; sleep 600`)];
    await until(() => existsSync(file) && readFileSync(file, "utf8") === "\n\n");
    await endAllCommands();
    expect((await Promise.all(running)).map(({ signal }) => signal)).toEqual(["SIGTERM", "SIGTERM"]);
    expect(await run("echo again")).toMatchObject({ stdout: "again\n" });
    await endAllCommands();
  });

  test("no pipe is left behind in the file system", async () => {
    const folder = temporaryFolder();
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    try {
      await run("true", { cwd: "/" });
      await expect(run("true", { cwd: "/", launcher: () => ({ file: "/nonexistent", args: [], env: {} }) })).rejects.toThrow(Error);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("whatever ends the server's process ends its commands", async () => {
  const file = join(temporaryFolder(), "pid");
  const module = pathToFileURL(join(import.meta.dirname, "../../dist/shell/run.js")).href;
  const command = `echo $$ > ${file}.part; mv ${file}.part ${file}; sleep 600 & wait`;
  const script = `import { existsSync } from "node:fs"; import { runCommand } from ${JSON.stringify(module)};
    const command = ${JSON.stringify(command)};
    void runCommand({ command, expected: command, cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 60000 });
    setInterval(() => { if (existsSync(${JSON.stringify(file)})) process.exit(0); }, 10);`;
  expect(spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 }).status).toBe(0);
  const pid = Number(readFileSync(file, "utf8"));
  await until(() => !isAlive(pid));
}, 60_000);

test("a launcher wraps the command line, and nothing else changes", async () => {
  const wrapper = join(temporaryFolder(), "wrapper");
  writeFileSync(wrapper, '#!/bin/bash\necho "wrapped: $*"\nexec "$@"\n');
  chmodSync(wrapper, 0o700);
  const result = await run("echo inner $WORD", {
    launcher: (argv, { cwd, env }) => ({ file: wrapper, args: argv, env: { ...env, WORD: cwd } }),
    cwd: "/",
  });
  expect(result.stdout).toMatch(/^wrapped: \/\S*\/bash --noprofile --norc -c echo inner \$WORD\ninner \/\n$/);
});

test("a command whose processes cannot be counted is ended, and the server goes on", async () => {
  const launcher: RunOptions["launcher"] = ([file = "", ...args], { env }) => ({
    file,
    args,
    env,
    isOverfull() {
      throw new Error("EMFILE: too many open files");
    },
  });
  expect(await run("sleep 20", { launcher })).toMatchObject({ exit_code: null, signal: "SIGKILL", timed_out: false });
});

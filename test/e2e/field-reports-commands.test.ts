import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { haveSystemPart } from "../system-part.ts";
import { connect } from "./client.ts";

const SECRET = "planted-secret";

interface World {
  readonly home: string;
  readonly work: string;
  readonly marker: string;
}

/** A home with secrets, a working directory, and a place that a command must not reach, outside the temporary folder. */
function makeWorld(): World {
  const root = mkdtempSync(join(realpathSync("/var/tmp"), "regate-field-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, work] = [join(root, "home"), join(root, "work")];
  for (const folder of [join(home, ".ssh"), join(home, ".aws"), work]) mkdirSync(folder, { recursive: true });
  for (const name of [".env", ".ssh/id_ed25519", ".aws/credentials"]) writeFileSync(join(home, name), SECRET);
  return { home, work, marker: join(root, "marker") };
}

async function start({ home, work }: World, ...flags: readonly string[]) {
  const session = await connect(["--bundle", "agent-session", "--workdir", work, ...flags], { HOME: home });
  return async (command: string, more: object = {}) => await session.call("run_shell", { command, ...more });
}

describe.each([["auto"], ["none"]])("with --sandbox %s", (sandbox) => {
  it("an assignment that chooses another program needs a dry run (A03)", async () => {
    const run = await start(makeWorld(), "--sandbox", sandbox, "--require-agent-dry-run");
    const commands = [
      "PATH=/tmp/tools cat notes.txt",
      "GIT_SSH_COMMAND='touch /srv/app/x' git fetch",
      "NODE_OPTIONS=--require=/tmp/x.js node -v",
      "BASH_ENV=./x bash -c true",
      "LD_PRELOAD=./x.so ls",
    ];
    for (const command of commands) expect([command, await run(command)]).toMatchObject([command, { code: "agent.dry_run_required" }]);
    const plan = await run(commands[0] as string, { dry_run: true });
    expect(plan.structured).toMatchObject({ verdict: "unverifiable", findings: [{ rule: "unverifiable.environment" }] });
  });

  it("a risk that the model writes itself is no argument, and nothing is executed (P03)", async () => {
    const world = makeWorld();
    writeFileSync(join(world.work, "kept"), "");
    const run = await start(world, "--sandbox", sandbox);
    expect(await run("rm -r kept", { risk: "read", requires_approval: false, confirm: true })).toMatchObject({ isError: true });
    expect(existsSync(join(world.work, "kept"))).toBe(true);
  });
});

it("a compound of allowed parts is allowed, and one part that is not refuses the whole (C04)", async () => {
  const session = await connect(["--bundle", "shell-commands"]);
  const run = async (command: string) => await session.call("run_shell", { command });
  expect((await run("ls | head -n 3; pwd && echo a | wc -l; true || cat x")).isError).toBe(false);
  for (const command of ["ls; git push", "ls && rm x", "echo $(id)", "PATH=/x ls", "> x", "x=1", "cat x > y"])
    expect([command, await run(command)]).toMatchObject([command, { isError: true }]);
});

it("another spelling of a tool's name is another tool, for the allowlist and for policy (P10)", async () => {
  const list = join(makeWorld().work, "tools.txt");
  writeFileSync(list, "run_shell\n");
  const session = await connect(["--bundle", "agent-session", "--agent-tools-file", list]);
  const others = [
    "Run_Shell",
    "RUN_SHELL",
    "run_shell ",
    "run_shell\u200b",
    "\uff52un_shell",
    "run_she\u217c\u217c",
    "run_shell.",
    "./run_shell",
  ];
  for (const name of others)
    expect([name, await session.call(name, { command: "true" })]).toMatchObject([name, { code: "agent.not_entitled" }]);
  expect((await session.call("run_shell", { command: "true" })).isError).toBe(false);
});

it("without a sandbox a git command, which may run what the repository names, needs a dry run (C03)", async () => {
  const run = await start(makeWorld(), "--sandbox", "none", "--require-agent-dry-run");
  for (const command of ["git status", "git diff", "git log"]) expect(await run(command)).toMatchObject({ code: "agent.dry_run_required" });
});

describe.runIf(haveSystemPart({ program: "bwrap", package: "bubblewrap" }))("in the sandbox", () => {
  it("programs that a repository names change nothing outside the working directory (C03)", async () => {
    const world = makeWorld();
    const git = (...words: readonly string[]) =>
      execFileSync("git", ["-C", world.work, "-c", "user.name=a", "-c", "user.email=a@example.com", ...words]);
    git("init", "-q");
    writeFileSync(join(world.work, "a"), "a\n");
    git("add", "a");
    git("commit", "-qm", "one");
    writeFileSync(join(world.work, "a"), "b\n");
    for (const name of ["core.fsmonitor", "diff.external", "core.pager"]) git("config", name, `touch ran ${world.marker} #`);
    const run = await start(world, "--require-sandbox");
    for (const command of ["git status", "git diff", "git --paginate log"]) await run(command);
    // They do run, contained: that is what the classifier trusts the sandbox with.
    expect(existsSync(join(world.work, "ran"))).toBe(true);
    expect(existsSync(world.marker)).toBe(false);
    await run(`git config core.hooksPath ${world.work}/hooks`);
    expect(readFileSync(join(world.work, ".git", "config"), "utf8")).not.toContain("hooksPath");
  });

  it.each([
    ["grep -r . ~/.env"],
    ["cat ~/.e*"],
    [`python3 -c 'import os; print(open(os.path.expanduser("~/" + chr(46) + "env")).read())'`],
  ])("a hidden path is hidden however it is spelled: %s (P08)", async (command) => {
    const world = makeWorld();
    const { structured } = await (await start(world, "--require-sandbox"))(command);
    expect(JSON.stringify(structured)).not.toContain(SECRET);
    expect(structured).toMatchObject({ stdout: "" });
  });

  it("keys and credentials in the home directory cannot be read (S04)", async () => {
    const run = await start(makeWorld(), "--require-sandbox");
    expect((await run("cat ~/.ssh/id_ed25519 ~/.aws/credentials")).structured).toMatchObject({ stdout: "" });
    const { structured } = await run("tar c ~ 2>/dev/null | head -c 4000 | base64 -w0");
    expect(Buffer.from(String(structured?.["stdout"]), "base64").toString()).not.toContain(SECRET);
  });

  it("the host's settings, which name the gate, cannot be changed (S03)", async () => {
    const world = makeWorld();
    writeFileSync(join(world.work, ".mcp.json"), '{"mcpServers":{"regate":{}}}');
    const run = await start(world, "--require-sandbox");
    const { structured } = await run("sed -i s/regate// .mcp.json; echo {} > .mcp.json; rm -f .mcp.json; mv .mcp.json x");
    expect(structured?.["stderr"]).toMatch(/Read-only file system|busy/);
    expect(readFileSync(join(world.work, ".mcp.json"), "utf8")).toBe('{"mcpServers":{"regate":{}}}');
  });
});

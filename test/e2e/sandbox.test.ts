import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { haveSystemPart } from "../system-part.ts";
import { connect, temporaryFolder } from "./client.ts";
import { regate } from "./run.ts";

const sandboxOf = (event: Record<string, unknown> | undefined): unknown =>
  (event?.["input"] as { environment?: object } | undefined)?.environment;

describe("without a sandbox", () => {
  it("the operator's shell tables count at the gate, and the start warns when a command could change them", async () => {
    const workdir = realpathSync(temporaryFolder());
    const tables = join(workdir, "tables.json");
    writeFileSync(tables, '{"destructive":["zap-cluster"]}');
    const flags = ["--bundle", "agent-session", "--sandbox", "none", "--workdir", workdir, "--require-agent-dry-run"];
    const session = await connect([...flags, "--shell-tables", tables]);
    await expect.poll(() => session.stderr()).toContain(`shell tables file \`${tables}\``);
    expect(await session.call("run_shell", { command: "zap-cluster x" })).toMatchObject({ code: "agent.dry_run_required" });
    expect((await session.call("run_shell", { command: "echo a" })).isError).toBe(false);
  });

  it("the start line says so, and why; every decision records it", async () => {
    const session = await connect(["--bundle", "agent-session", "--sandbox", "none"]);
    expect((await session.call("run_shell", { command: "echo a" })).isError).toBe(false);
    await expect.poll(() => session.stderr()).toContain("sandbox: none (switched off)");
    expect(sandboxOf(session.events()[0])).toEqual({ sandbox: "none" });
  });

  it("`--require-sandbox` is exit code 2 with one line, before the state directory is made", () => {
    const stateDir = join(temporaryFolder(), "state");
    const run = regate(["serve", "--sandbox", "none", "--require-sandbox", "--state-dir", stateDir]);
    expect(run).toMatchObject({ status: 2, stdout: "", lines: ["regate: `--require-sandbox`: commands cannot be confined: switched off"] });
    expect(existsSync(stateDir)).toBe(false);
  });

  it("a git command is unverifiable", async () => {
    const session = await connect(["--bundle", "agent-session", "--sandbox", "none", "--require-agent-dry-run"]);
    expect(await session.call("run_shell", { command: "git status" })).toMatchObject({ code: "agent.dry_run_required" });
  });
});

describe.runIf(haveSystemPart({ program: "bwrap", package: "bubblewrap" }))("in the sandbox", () => {
  it("commands write the working directory alone; every decision records it", async () => {
    const workdir = realpathSync(temporaryFolder());
    mkdirSync(join(workdir, "gate"));
    writeFileSync(join(workdir, "gate", "tools.txt"), "run_shell\n");
    writeFileSync(join(workdir, "gate", "tables.json"), '{"destructive":["zap"]}');
    const flags = [
      "--bundle",
      "agent-session",
      "--require-sandbox",
      "--workdir",
      workdir,
      "--agent-tools-file",
      join(workdir, "gate", "tools.txt"),
      "--shell-tables",
      join(workdir, "gate", "tables.json"),
    ];
    const session = await connect(flags, { SSH_AUTH_SOCK: "/x", DOCKER_HOST: "unix:///x", XDG_RUNTIME_DIR: "/x" });
    await expect.poll(() => session.stderr()).toContain("sandbox: bwrap");
    expect(session.stderr()).not.toContain("warning");
    const command = `ls -A ~; echo a > made; echo audit_log >> gate/tools.txt; echo {} > gate/tables.json; mv gate old; cat ${session.stateDir}/decisions/*; env`;
    const answer = await session.call("run_shell", { command });
    expect(String(answer.structured?.["stdout"])).not.toMatch(/decision_id|SSH_AUTH_SOCK|DOCKER_HOST|XDG_RUNTIME_DIR/);
    expect(readdirSync(workdir).sort()).toEqual(["gate", "made"]);
    expect(readFileSync(join(workdir, "gate", "tools.txt"), "utf8")).toBe("run_shell\n");
    expect(readFileSync(join(workdir, "gate", "tables.json"), "utf8")).toBe('{"destructive":["zap"]}');
    expect(sandboxOf(session.events()[0])).toEqual({ sandbox: "bwrap" });
  });

  it("a profile's home paths are there while it is active, and go with it", async () => {
    const home = mkdtempSync(join(realpathSync("/var/tmp"), "regate-home-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, ".cache", "uv"), { recursive: true });
    writeFileSync(join(home, ".npmrc"), "granted\n");
    writeFileSync(join(home, "key"), "secret");
    const profiles = join(temporaryFolder(), "profiles.json");
    const grants = [".npmrc", { path: ".cache/uv", write: true }];
    writeFileSync(profiles, JSON.stringify({ profiles: [{ label: "build", home: grants }, { label: "bare" }] }));
    const flags = ["--bundle", "agent-session", "--require-sandbox", "--workdir", temporaryFolder(), "--profiles-file", profiles];
    const session = await connect(flags, { HOME: home });
    const look = async (): Promise<unknown> => {
      const { structured } = await session.call("run_shell", {
        command: "cd; find . -type f | sort -r; echo x > .npmrc; echo x >> .cache/uv/made",
      });
      return structured?.["stdout"];
    };
    expect(await look()).toBe("");
    expect(readdirSync(join(home, ".cache", "uv"))).toEqual([]);
    await session.call("config_switch", { label: "build" });
    expect(await look()).toBe("./.npmrc\n");
    expect(readdirSync(join(home, ".cache", "uv"))).toEqual(["made"]);
    expect(session.events().at(-1)).toMatchObject({
      custom: { regate: { outcome: { facts: { profile_home: [".npmrc", ".cache/uv (write)"] } } } },
    });
    await session.call("config_profile_rename", { label: "build", new_label: "built" });
    expect(await look()).toBe("./.npmrc\n./.cache/uv/made\n");
    await session.call("config_switch", { label: "bare" });
    expect(await look()).toBe("");
    expect(readFileSync(join(home, ".npmrc"), "utf8")).toBe("granted\n");
  });

  it("a git command is not unverifiable", async () => {
    const session = await connect(["--bundle", "agent-session", "--require-agent-dry-run", "--workdir", temporaryFolder()]);
    expect((await session.call("run_shell", { command: "git status" })).isError).toBe(false);
  });
});

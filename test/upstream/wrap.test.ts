import { createHash } from "node:crypto";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FIXTURE, folder } from "./gateway-kit.ts";

const run = (...args: string[]) =>
  spawnSync(process.execPath, ["bin/regate.js", ...args], { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "" } });

const OPENING = [
  { id: 1, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
];

/** What a gateway answers to a list of tools and a call; its stdin ends when the last of them is answered. */
async function ask(args: readonly string[], calls: readonly { readonly id: number }[]): Promise<string> {
  const messages: readonly { readonly id?: number }[] = [...OPENING, ...calls];
  const child = spawn(process.execPath, ["bin/regate.js", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "close");
  child.stdin.on("error", () => undefined);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    if (messages.every(({ id }) => id === undefined || stdout.includes(`"id":${id},`))) child.stdin.end();
  });
  child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  await closed;
  return stdout;
}

describe("regate wrap", () => {
  const host = {
    theme: "dark",
    mcpServers: {
      a: { command: "npx", args: ["-y", "x"] },
      B: { command: "y", env: { KEY: "k" } },
      web: { url: "http://h/mcp" },
      done: { command: "regate", args: ["proxy"] },
    },
  };

  it("a file that is a link stays one: what it leads to is edited", () => {
    const at = folder();
    const [real, link] = [join(at, "dotfiles.json"), join(at, "mcp.json")];
    writeFileSync(real, JSON.stringify(host), { mode: 0o600 });
    symlinkSync(real, link);
    expect(run("wrap", "--write", "--bundle", "agent-session", "--state-dir", join(at, "state"), link).status).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain('"regate"');
    expect(statSync(real).mode & 0o777).toBe(0o600);
  });

  it("prints what the file would become, and edits it with a backup", () => {
    const at = folder();
    const [file, state] = [join(at, "mcp.json"), join(at, "state")];
    writeFileSync(file, JSON.stringify(host), { mode: 0o600 });
    const printed = run("wrap", "--bundle", "agent-session", "--state-dir", state, file);
    expect(printed.status).toBe(0);
    const own = (name: string): string =>
      join(state, "hosts", `${name}-${createHash("sha256").update(`${file}\0${name}`).digest("hex").slice(0, 8)}`);
    expect(JSON.parse(printed.stdout)).toMatchObject({
      theme: "dark",
      mcpServers: {
        a: {
          command: "regate",
          args: ["proxy", "--bundle", "agent-session", "--state-dir", state, "--pins", join(own("a"), "pins.json"), "--", "npx", "-y", "x"],
        },
        B: { command: "regate", args: expect.arrayContaining(["--config", join(own("B"), "mcp.json")]) as string[] },
        web: { command: "regate" },
        done: { command: "regate", args: ["proxy"] },
      },
    });
    expect(readFileSync(file, "utf8")).toBe(JSON.stringify(host));
    expect(run("wrap", "--bundle", "agent-session", "--state-dir", state, "--write", file).status).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(printed.stdout);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const backup = readdirSync(at).find((name) => name.startsWith("mcp.json.before-regate-")) ?? "";
    expect(readFileSync(join(at, backup), "utf8")).toBe(JSON.stringify(host));
    expect(JSON.parse(readFileSync(join(own("B"), "mcp.json"), "utf8"))).toEqual({
      mcpServers: { b: { command: "y", args: [], env: { KEY: "k" } } },
    });
    // A second time changes nothing.
    expect(run("wrap", "--bundle", "agent-session", "--state-dir", state, file).stdout).toBe(printed.stdout);
    expect(run("wrap", "--bundle", "agent-session", "--state-dir", state, "--write", file).stdout).toBe(`${file} needs no change\n`);
    expect(readdirSync(at).filter((name) => name.startsWith("mcp.json.before-regate-"))).toEqual([backup]);
  });

  it("keeps servers apart that two hosts call by one name", () => {
    const [at, state] = [folder(), folder()];
    const files = ["cursor.json", "claude.json"].map((name) => join(at, name));
    for (const [index, file] of files.entries()) {
      writeFileSync(file, JSON.stringify({ mcpServers: { db: { command: `server-${index}`, env: { KEY: `secret-${index}` } } } }));
      expect(run("wrap", "--bundle", "agent-session", "--state-dir", state, "--write", file).status).toBe(0);
    }
    const kept = files.map((file) => {
      const { args } = (JSON.parse(readFileSync(file, "utf8")) as { mcpServers: { db: { args: string[] } } }).mcpServers.db;
      return (JSON.parse(readFileSync(args.at(-1) ?? "", "utf8")) as { mcpServers: { db: object } }).mcpServers.db;
    });
    expect(kept).toEqual([
      { command: "server-0", args: [], env: { KEY: "secret-0" } },
      { command: "server-1", args: [], env: { KEY: "secret-1" } },
    ]);
  });

  it("stops and pins are found in the one state directory", async () => {
    const [at, state] = [folder(), folder()];
    const places = ["--state-dir", state, "--keys-dir", folder()];
    const gateways = ["cursor.json", "claude.json"].map((host) => {
      const file = join(at, host);
      writeFileSync(file, JSON.stringify({ mcpServers: { db: { command: process.execPath, args: [FIXTURE, join(at, `${host}.log`)] } } }));
      expect(run("wrap", "--bundle", "agent-session", "--state-dir", state, "--write", file).status).toBe(0);
      return (JSON.parse(readFileSync(file, "utf8")) as { mcpServers: { db: { args: string[] } } }).mcpServers.db.args;
    });
    for (const args of gateways) expect(await ask(args, [])).toContain('"tools":[{');
    const shown = run("pins", "show", "--state-dir", state).stdout;
    const heads = shown.match(/^server upstream in `.*\/hosts\/db-[0-9a-f]{8}\/pins\.json` \(`--pins`\): \d+ pinned, no difference$/gm);
    expect(heads).toHaveLength(2);
    expect(run("keys", "create", "anna", ...places).status).toBe(0);
    expect(run("stop", "--all", "--reason", "x", "--key", "anna", ...places).status).toBe(0);
    const call = { id: 3, method: "tools/call", params: { name: "echo", arguments: {} } };
    for (const args of gateways) expect(await ask(args, [call])).toContain("gate: stopped, nothing was executed");
  });

  it("names a bundle so that the host finds it from wherever it starts the gate, and refuses one that is not there", () => {
    const at = folder();
    const file = join(at, "mcp.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: "npx" } } }));
    expect(run("wrap", "--bundle", "wasm/agent-session", file).stdout).toContain(JSON.stringify(join(process.cwd(), "wasm/agent-session")));
    const refused = run("wrap", "--bundle", "agent-sesion", "--write", file);
    expect(refused).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("bundle `agent-sesion` does not exist") as string,
    });
    expect(readdirSync(at)).toEqual(["mcp.json"]);
  });

  it("refuses what is no configuration", () => {
    const file = join(folder(), "mcp.json");
    writeFileSync(file, "{}");
    expect(run("wrap", "--bundle", "agent-session", file)).toMatchObject({ status: 2, stdout: "" });
    expect(run("wrap", file)).toMatchObject({ status: 2, stdout: "" });
  });
});

describe("regate risk scaffold", () => {
  it("writes rows that only tighten", () => {
    const { status, stdout } = run("risk", "scaffold", "--", process.execPath, FIXTURE, "-");
    expect(status).toBe(0);
    const { risk } = (JSON.parse(stdout) as { regate: { risk: Record<string, object> } }).regate;
    expect(risk["upstream__wipe"]).toEqual({ read_only: false, destructive: true, handoff: false, live_write: false, open_world: false });
    expect(risk["upstream__look"]).toMatchObject({ read_only: false });
  });
});

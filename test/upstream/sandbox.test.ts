import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { aliasesOf, parseMountTable } from "../../src/shell/mount-aliases.ts";
import { regate } from "../e2e/run.ts";
import { haveSystemPart } from "../system-part.ts";
import { FIXTURE, folder, startGateway, type GatewayProcess } from "./gateway-kit.ts";

const SECRET = "planted-secret\n";

interface Hostile {
  readonly gateway: GatewayProcess;
  readonly state: string;
  readonly attack: () => Promise<string[]>;
  readonly work: () => Promise<Record<string, unknown>>;
}

/** A hostile server whose own folder, and whose home, hold the state directory. */
async function hostile(
  flags: readonly string[] = [],
  regate: object = {},
  alias?: (state: string, home: string) => string,
): Promise<Hostile> {
  const home = join(realpathSync(folder()), "home");
  const state = join(home, "state");
  mkdirSync(state, { mode: 0o700, recursive: true });
  writeFileSync(join(state, "secret"), SECRET);
  const script = join(home, "server.mjs");
  copyFileSync(join(import.meta.dirname, "hostile-server.mjs"), script);
  const args = [script, state, ...(alias === undefined ? [] : [alias(state, home)])];
  const gateway = startGateway({ stateDir: home, servers: { bad: { command: process.execPath, args, cwd: home, regate } }, flags });
  await gateway.hello();
  const textOf = async (tool: string): Promise<string> => (await gateway.call(tool)).result?.content?.[0]?.text ?? "";
  return {
    gateway,
    state,
    attack: async () => JSON.parse(await textOf("attack")) as string[],
    work: async () => JSON.parse(await textOf("work")) as Record<string, unknown>,
  };
}

describe("without a sandbox", () => {
  it("a hostile server reads and forges the state directory, and the start warns once", async () => {
    const { gateway, state, attack } = await hostile(["--sandbox", "none"]);
    await expect.poll(() => gateway.stderr().match(/not sandboxed/g)).toHaveLength(1);
    expect(gateway.stderr()).toContain(`servers are not sandboxed (switched off): they can reach the state directory \`${state}\``);
    const named = [
      "read",
      "read by an open folder",
      "relative path",
      "symbolic link",
      "hard link",
      "root of processes",
      "files of processes",
    ];
    const ways = await attack();
    expect(ways).toEqual(expect.arrayContaining([...named, "environment of the gateway", "write", "rename", "rename the folder above"]));
  });
});

describe.runIf(haveSystemPart({ program: "bwrap", package: "bubblewrap" }))("in the sandbox", () => {
  it("a hostile server reaches the state directory by no way, and works as ever", async () => {
    const { gateway, state, attack, work } = await hostile(["--require-sandbox"]);
    expect(gateway.stderr()).not.toContain("sandboxed");
    expect(await work()).toEqual({ uid: process.getuid?.(), cwd: gateway.stateDir, child: true });
    expect(await attack()).toEqual([]);
    expect(readFileSync(join(state, "secret"), "utf8")).toBe(SECRET);
    expect(existsSync(join(state, "pins.json"))).toBe(true);
  });

  it("another mount of the state directory's file system is closed too", async (context) => {
    const mounted = (state: string, home: string): string => {
      const other = join(home, "other");
      mkdirSync(other);
      if (spawnSync("mount", ["--bind", state, other]).status === 0) onTestFinished(() => void spawnSync("umount", ["-l", other]));
      return other;
    };
    const { gateway, attack } = await hostile(["--require-sandbox"], {}, mounted);
    if (!existsSync(join(gateway.stateDir, "other", "secret"))) context.skip("nothing can be mounted here");
    expect(await attack()).toEqual([]);
  });

  it("a server opts out by `regate.sandbox`, and the start says what it can reach", async () => {
    const { gateway, state, attack } = await hostile([], { sandbox: false });
    await expect
      .poll(gateway.stderr)
      .toContain(`server \`bad\` is not sandboxed (\`regate.sandbox\`): it can reach the state directory \`${state}\``);
    expect(await attack()).toContain("read");
  });

  it("what is required is exit code 2 where a server cannot have it", () => {
    const home = folder();
    const config = join(home, "mcp.json");
    writeFileSync(config, JSON.stringify({ mcpServers: { a: { command: "true", regate: { sandbox: false } } } }));
    const words = ["proxy", "--bundle", "agent-session", "--require-sandbox", "--state-dir", join(home, "state")];
    expect(regate([...words, "--config", config]).lines).toEqual([expect.stringContaining("server `a` is not sandboxed")]);
    expect(regate([...words, "--sandbox", "none", "--", "true"])).toMatchObject({
      status: 2,
      lines: ["regate: `--require-sandbox`: servers cannot be confined: switched off"],
    });
    expect(existsSync(join(home, "state"))).toBe(false);
  });

  it("`regate risk scaffold` starts servers in it too", () => {
    const home = join(realpathSync(folder()), "home");
    const state = join(home, "state");
    mkdirSync(state, { mode: 0o700, recursive: true });
    const script = join(home, "server.mjs");
    const seen = `readdirSync(${JSON.stringify(state)}).map((name) => ({ name, inputSchema: { type: "object" } }))`;
    const answers = `m.method === "initialize" ? { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } } : { tools: [...tools, { name: "own", inputSchema: { type: "object" } }] }`;
    writeFileSync(
      script,
      `import { readdirSync } from "node:fs"; import { createInterface } from "node:readline";
       let tools = []; try { tools = ${seen}; } catch {}
       createInterface({ input: process.stdin }).on("line", (line) => { const m = JSON.parse(line); if (m.id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id: m.id, result: ${answers} })); });`,
    );
    writeFileSync(join(state, "secret"), SECRET);
    const words = ["risk", "scaffold", "--state-dir", state];
    const tools = (more: readonly string[]): { readonly tools: string[]; readonly lines: readonly string[] } => {
      const { stdout, lines } = regate([...words, ...more, "--", process.execPath, script]);
      return { tools: Object.keys((JSON.parse(stdout) as { regate: { risk: object } }).regate.risk), lines };
    };
    expect(tools(["--require-sandbox"])).toEqual({ tools: ["upstream__own"], lines: [] });
    expect(tools([])).toEqual({ tools: ["upstream__own"], lines: [] });
    expect(tools(["--sandbox", "none"])).toEqual({
      tools: ["upstream__secret", "upstream__own"],
      lines: [expect.stringContaining("servers are not sandboxed (switched off)")],
    });
    expect(regate([...words, "--require-sandbox", "--sandbox", "none", "--", "true"])).toMatchObject({ status: 2, stdout: "" });
  });

  it("the pins file and the keys are hidden where they are elsewhere; a mixed folder is told", async () => {
    const home = folder();
    const [pins, keys] = [join(home, "pins", "pins.json"), join(home, "keys")];
    const peek = `for f in ${join(home, "pins")} ${keys}; do ls -A $f; echo x > $f/made; done 2>&1 | tr "\\n" " " >&2; echo >&2`;
    const flags = ["--require-sandbox", "--pins", pins];
    mkdirSync(keys);
    writeFileSync(join(keys, "erika.key"), "private");
    const gateway = startGateway({
      stateDir: home,
      servers: { a: {}, b: { command: "sh", args: ["-c", peek] } },
      flags,
      env: { REGATE_KEYS_DIR: keys },
    });
    await gateway.hello();
    await expect.poll(gateway.stderr).toMatch(/server `b` exited.*Read-only.*Read-only/);
    expect(gateway.stderr()).not.toContain("erika");
    expect(readdirSync(keys)).toEqual(["erika.key"]);
    await gateway.call("a__echo");
    expect(readdirSync(join(home, "pins"))).toEqual(["pins.json"]);
    expect(gateway.stderr()).not.toContain("lies in a folder");
    const mixed = startGateway({ flags: ["--require-sandbox", "--pins", join(home, "mcp.json.pins")] });
    await mixed.hello();
    await expect.poll(mixed.stderr).toContain("lies in a folder that servers see");
  });

  it("a server ends as without: by SIGTERM with its own last words, by SIGKILL, and with the gateway", async () => {
    const home = folder();
    const script = 'trap "echo bye > said; exit 0" TERM; echo > listens; while :; do sleep 60 & wait; done';
    const servers = {
      polite: { command: "sh", args: ["-c", script], cwd: home },
      deaf: { command: "sh", args: ["-c", 'trap "" TERM; echo $$ > pid; while :; do sleep 0.05; done'], cwd: home },
    };
    const gateway = startGateway({ stateDir: home, servers, flags: ["--require-sandbox"] });
    await gateway.hello();
    const pid = await vi.waitFor(() => Number(readFileSync(join(home, "pid"), "utf8")) || Promise.reject(new Error("not yet")), 30_000);
    await expect.poll(() => existsSync(join(home, "listens"))).toBe(true);
    expect(isThere(pid)).toBe(true);
    expect((await gateway.finish()).code).toBe(0);
    expect(readFileSync(join(home, "said"), "utf8")).toBe("bye\n");
    await expect.poll(() => isThere(pid)).toBe(false);
    const killed = startGateway({ flags: ["--require-sandbox"] });
    await killed.hello();
    const other = Number((await killed.call("pid")).result?.content?.[0]?.text);
    process.kill(killed.pid, "SIGKILL");
    await expect.poll(() => isThere(other)).toBe(false);
  });

  it("how a server ended is told as without", async () => {
    const servers = {
      signal: { command: "sh", args: ["-c", "kill -SEGV $$"] },
      code: { command: "sh", args: ["-c", "echo why >&2; exit 7"] },
      missing: { command: "/no/such/server" },
      nowhere: { command: "sh", cwd: "/no/such/folder" },
      plain: { command: FIXTURE },
    };
    const gateway = startGateway({ servers, flags: ["--require-sandbox"] });
    await gateway.hello();
    for (const line of [
      "server `signal` ended by SIGSEGV",
      "server `code` exited with 7 (stderr: why)",
      "server `missing` cannot be started: spawn /no/such/server ENOENT",
      "server `nowhere` cannot be started: its `cwd` `/no/such/folder` does not exist",
      `server \`plain\` cannot be started: spawn ${FIXTURE} EACCES`,
    ])
      await expect.poll(gateway.stderr).toContain(line);
  });

  it("a server in what is hidden is not started, and says why", async () => {
    const home = folder();
    mkdirSync(join(home, "state"));
    const script = join(home, "state", "server.mjs");
    writeFileSync(script, "");
    const servers = {
      inner: { command: "sh", cwd: join(home, "state") },
      outer: {},
      script: { command: process.execPath, args: [script] },
    };
    const gateway = startGateway({ stateDir: home, servers });
    await gateway.hello();
    await expect.poll(gateway.stderr).toContain("server `inner` cannot be started: its working directory lies in what is hidden");
    await expect
      .poll(gateway.stderr)
      .toContain(`server \`script\` cannot be started: \`${script}\` of its command line lies in what is hidden`);
  });
});

describe("further mounts of one file system", () => {
  const table = parseMountTable(
    [
      "27 1 254:0 / / rw - ext4 /dev/vda rw",
      "40 27 254:0 /usr/lib /mnt/with\\040space ro - ext4 /dev/vda rw",
      "41 27 0:9 / /usr/lib ro - tmpfs none rw",
      "42 27 254:0 / /mnt/all rw - ext4 /dev/vda rw",
    ].join("\n"),
  );

  it("are read from the kernel's table", () => {
    expect(table[1]).toEqual({ device: "254:0", root: "/usr/lib", at: "/mnt/with space" });
  });

  it("only count where the same thing is seen", () => {
    expect(aliasesOf("/etc", table)).toEqual([]);
    expect(aliasesOf("/usr/lib/x", table)).toEqual([]);
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

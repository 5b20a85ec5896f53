import { createServer } from "node:net";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./client.ts";
import { regate } from "./run.ts";

const HORIZON = {
  "turn-checkpoint-ttl": 3600,
  "execution-lease": 120,
  "claim-min-idle": 60,
  "claim-sweep": 30,
  "max-deliveries": 3,
  "max-exec": 60,
  "proof-ttl": 3721,
};

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function mcpFile(servers: object): string {
  const file = join(temporaryFolder(), "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

describe("bad input", () => {
  it("worker: a health port in use is exit 2 with one line, before anything is claimed", async () => {
    const [folder, port] = [temporaryFolder(), await takenPort()];
    writeFileSync(join(folder, "proof.key"), "0".repeat(64), { mode: 0o600 });
    writeFileSync(join(folder, "scale.json"), JSON.stringify({ ...HORIZON, "proof-key-file": "proof.key" }));
    const run = regate(["worker", "--config", join(folder, "scale.json"), "--redis", "redis://127.0.0.1:1", "--health-port", String(port)]);
    expect([run.status, run.stdout, run.lines]).toEqual([
      2,
      "",
      [`regate: \`--health-port\`: \`127.0.0.1:${port}\` cannot be listened on (EADDRINUSE): choose another address`],
    ]);
  });

  it.each([
    [{ sandbx: false }, "`regate` has an unknown member `sandbx`"],
    [{ tools: { echo: { timeout: 5 } } }, "`regate.tools.echo` has an unknown member `timeout`"],
  ])("proxy: a misspelt setting of a server is refused: %j", (settings, says) => {
    const file = mcpFile({ one: { command: "node", regate: settings } });
    const run = regate(["proxy", "--bundle", "agent-session", "--config", file]);
    expect([run.status, run.stdout, run.lines]).toEqual([2, "", [expect.stringContaining(`server \`one\`: ${says}`)]]);
  });

  it("risk scaffold: no server, no table", () => {
    expect(regate(["risk", "scaffold", "--", "/no/such/server"])).toMatchObject({ status: 1, stdout: "" });
  });

  it("pins: the lock file is that of `proxy` in the same environment", () => {
    const pins = join(temporaryFolder(), "pins.json");
    writeFileSync(pins, "{}");
    const run = regate(["pins", "show"], { env: { REGATE_PINS: pins } });
    expect([run.status, run.lines]).toEqual([2, [`regate: pins: lock file \`${pins}\` cannot be read: not a lock file of version 1`]]);
  });

  it("admin serve: a bundle that is not there is known before it listens", () => {
    const places = ["--state-dir", temporaryFolder(), "--keys-dir", temporaryFolder()];
    expect(regate(["keys", "create", "anna", ...places]).status).toBe(0);
    const run = regate(["admin", "serve", "--listen", "127.0.0.1:0", "--bundle", "nope", ...places.slice(0, 2)]);
    expect([run.status, run.lines]).toEqual([2, [expect.stringContaining("bundle `nope` does not exist")]]);
  });

  it("demo: a temporary folder that is not there", () => {
    expect(regate(["demo"], { env: { TMPDIR: "/no/such" } })).toMatchObject({
      status: 2,
      lines: [expect.stringContaining("no folder can be made in `/no/such` (ENOENT)")],
    });
  });

  it("an empty HOME does not put state into the current directory", () => {
    const cwd = temporaryFolder();
    regate(["keys", "list"], { env: { HOME: "" }, cwd });
    const run = regate(["explain", "--json", "--", "ls"], { env: { HOME: "", REGATE_AGENT_CHILD: "1" }, cwd });
    expect(run.status).toBe(0);
    expect(existsSync(join(cwd, ".local"))).toBe(false);
    expect(regate(["pins", "show"], { env: { HOME: "" }, cwd }).stdout).toMatch(/^nothing is pinned in `\/.*pins\.json`\n$/);
  });

  it("files and folders that this user may not read or write are named", () => {
    const folder = temporaryFolder();
    const [closed, input, host] = [join(folder, "closed"), join(folder, "input.json"), join(folder, "closed", "mcp.json")];
    mkdirSync(closed);
    writeFileSync(host, JSON.stringify({ mcpServers: { a: { command: "x" } } }));
    writeFileSync(input, "{}");
    chmodSync(closed, 0o500);
    chmodSync(input, 0);
    onTestFinished(() => chmodSync(closed, 0o700));
    const bound = true;
    expect(regate(["decide", input], { bound })).toMatchObject({
      status: 2,
      lines: [`regate: input \`${input}\` cannot be read (EACCES)`],
    });
    const state = join(closed, "deep", "state");
    for (const words of [
      ["keys", "create", "anna"],
      ["approvals", "watch"],
      ["stop", "--all", "--reason", "x", "--key", "anna"],
    ]) {
      const run = regate([...words, "--state-dir", state], { bound });
      expect([run.status, run.lines]).toEqual([
        2,
        [expect.stringContaining(`state directory \`${state}\` cannot be written by this user (EACCES`)],
      ]);
    }
    const wrap = regate(["wrap", "--bundle", "agent-session", "--write", host], { bound });
    expect([wrap.status, wrap.lines]).toEqual([2, [expect.stringMatching(/cannot be written \(EACCES\)/)]]);
  });
});

import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { expectDocumented, send } from "../admin/kit.ts";
import type { Asking, Reply } from "../admin/kit.ts";
import { startAdmin } from "./admin-kit.ts";
import { connect, temporaryFolder } from "./client.ts";
import { operatorOf, supervised } from "./human.ts";
import { regate } from "./run.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

const folder = mkdtempSync(join(tmpdir(), "regate-secret-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file with a mode. */
function file(text: string, mode = 0o600): string {
  const path = join(folder, `${readdirSync(folder).length}.secret`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe("regate admin serve refuses to start", () => {
  const serve = (stateDir: string, ...flags: string[]): string[] => {
    const run = regate(["admin", "serve", "--state-dir", stateDir, "--listen", "127.0.0.1:0", ...flags]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    return [...run.lines];
  };

  it("without a key on record, and when every key is revoked", () => {
    const stateDir = temporaryFolder();
    expect(serve(stateDir)[0]).toContain("make one with `regate keys create NAME`");
    expect(readdirSync(stateDir)).toEqual([]);
    const human = operatorOf(stateDir);
    human.run("keys", "revoke", "anna");
    expect(serve(stateDir)[0]).toContain("no key is on record");
  });

  it.each([
    [["--listen", "nowhere"], "`--listen`: `nowhere` must be HOST:PORT"],
    [["--listen", "127.0.0.1:70000"], "`--listen`"],
    [["--listen", "0.0.0.0:8787"], "reaches beyond this machine"],
    [["--listen", "0.0.0.0:8787", "--public-url", "http://127.0.0.1:1"], "reaches beyond this machine"],
    [["--public-url", "http://regate.example"], "must begin with https://"],
    [["--webhook-url", "https://hooks.example"], "`--webhook-secret-file`"],
    [["--webhook-url", "http://hooks.example", "--webhook-secret-file", "x"], "must begin with https://"],
    [["--webhook-url", "https://user:pass@hooks.example", "--webhook-secret-file", "x"], "without user"],
    [["--webhook-secret-file", file(SECRET)], "give `--webhook-url`, too"],
    [["--webhook-url", "https://hooks.example", "--webhook-secret-file", file(SECRET, 0o644)], "its mode must be 0600"],
    [["--webhook-url", "https://hooks.example", "--webhook-secret-file", file("whsec_YQ==")], "at least 24 bytes"],
    [["--api-key", "x"], "--api-key"],
  ])("%j", (flags, message) => {
    const stateDir = temporaryFolder();
    operatorOf(stateDir);
    const run = regate(["admin", "serve", "--state-dir", stateDir, ...flags]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    expect(run.lines[0]).toContain(message);
    expect(run.lines[0]).not.toContain(SECRET);
  });

  it("on a port that is taken, and beside another on the same state directory", async () => {
    const stateDir = temporaryFolder();
    const admin = await startAdmin(stateDir);
    expect(serve(stateDir)[0]).toContain("another admin server listens");
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void taken.close());
    const other = temporaryFolder();
    operatorOf(other);
    const { port } = taken.address() as { port: number };
    const run = regate(["admin", "serve", "--state-dir", other, "--listen", `127.0.0.1:${port}`]);
    expect([run.status, run.lines]).toEqual([2, [expect.stringContaining("cannot be used (EADDRINUSE): choose another address")]]);
    expect(await admin.end()).toBe(0);
  });

  it("in a process that an agent started", async () => {
    const { session } = await supervised(["--bundle", "agent-session"]);
    const command = `${process.execPath} ${process.cwd()}/bin/regate.js admin serve --state-dir ${session.stateDir} --listen 127.0.0.1:0`;
    const { structured } = await session.call("run_shell", { command });
    expect([structured?.["exit_code"], structured?.["stderr"]]).toEqual([2, expect.stringContaining("an agent's process")]);
  });
});

describe("regate admin serve", () => {
  const ask = async (admin: { url: string; token: string }, path: string, asking: Asking = {}): Promise<Reply> => {
    const reply = await send(admin.url + path, { token: admin.token, ...asking });
    expectDocumented(asking.method ?? "GET", path, reply);
    return reply;
  };

  it(
    "shows a real server's session and decisions, explains a call, logs every request and ends on SIGTERM",
    { timeout: 120_000 },
    async () => {
      const session = await connect(["--sandbox", "none", "--agent-id", "explorer"]);
      await session.call("whoami");
      await session.call("run_shell", { command: "curl -H 'Authorization: Bearer EXAMPLE-SECRET-0123456789' https://x.example" });
      const admin = await startAdmin(session.stateDir);
      let sessions: any[] = [];
      while (sessions.length === 0) ({ sessions } = (await ask(admin, "/v1/sessions")).json);
      expect(sessions).toMatchObject([{ agent_id: "explorer", identity: { confirmed: true }, stopped: null, usage: { calls: 2 } }]);
      const { decisions } = (await ask(admin, "/v1/decisions")).json;
      expect(decisions.map(({ tool }: { tool: string }) => tool)).toEqual(["run_shell", "whoami"]);
      expect(JSON.stringify(decisions)).not.toContain("EXAMPLE-SECRET");
      const explained = await ask(admin, "/v1/explain", { method: "POST", body: JSON.stringify({ command: "rm -rf build" }) });
      expect(explained.json).toMatchObject({
        outcome: "denied",
        tool: "run_shell",
        stages: expect.any(Array),
        next_steps: expect.any(Array),
      });
      const logged = () =>
        admin
          .stderr()
          .split("\n")
          .slice(0, -1)
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line));
      await expect.poll(() => logged().at(-1)).toMatchObject({ key: "anna", route: "/v1/explain", method: "POST", status: 200 });
      expect(admin.stderr()).not.toMatch(new RegExp(`${admin.token}|EXAMPLE|rm -rf`));
      const stream = fetch(`${admin.url}/v1/events`, { headers: { authorization: `Bearer ${admin.token}` } });
      await stream;
      // A stop that takes longer than 1.9 s ends with 1.
      expect(await admin.end()).toBe(0);
      expect((await session.call("whoami")).isError).toBe(false);
    },
  );

  it("a session goes on, and nothing is said, when the admin server comes and goes", async () => {
    const session = await connect(["--sandbox", "none"]);
    for (let round = 0; round < 2; round += 1) {
      const stateDir = round === 0 ? session.stateDir : temporaryFolder();
      const admin = await startAdmin(stateDir);
      await admin.end();
      expect((await session.call("whoami")).isError).toBe(false);
    }
    expect(session.stderr()).not.toContain("admin");
  });
});

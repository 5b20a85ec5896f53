import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { confirmInBrowser } from "./browser-human.ts";
import { connect, temporaryFolder } from "./client.ts";
import { regate } from "./run.ts";

async function authorizationServer(): Promise<string> {
  const child = spawn(process.execPath, ["test/e2e/authorization-server.mjs"], { stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return line.toString().trim();
}

/** Every file below a folder, but one. */
function everythingIn(folder: string, except: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && join(entry.parentPath, entry.name) !== except)
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

describe("identity_device_login against a real authorization server", { timeout: 120_000 }, () => {
  it.each(["url elicitation", "log notification"])("[003-login-stores] [003-login-result] [003-login-user] through %s", async (how) => {
    const issuer = await authorizationServer();
    const stateDir = temporaryFolder("regate-state-");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [
        "bin/regate.js",
        "serve",
        "--bundle",
        "agent-session",
        "--state-dir",
        stateDir,
        "--workdir",
        temporaryFolder(),
        "--device-issuer",
        issuer,
        "--device-client-id",
        "regate",
      ],
      env: { PATH: process.env["PATH"] ?? "", HOME: temporaryFolder("regate-home-") },
      stderr: "pipe",
    });
    let stderr = "";
    transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const client = new Client({ name: "t", version: "1" }, { capabilities: how === "url elicitation" ? { elicitation: { url: {} } } : {} });
    const shown: string[] = [];
    const human = async (address: string, message: string) => {
      shown.push(message);
      const code = /enter the code (\S+)/.exec(message)?.[1] ?? "";
      await confirmInBrowser(address, { user_code: code, login: "erik", password: "x" });
    };
    if (how === "url elicitation")
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        await human((params as { url: string }).url, params.message);
        return { action: "accept" };
      });
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      const message = String(params.data);
      void human(/open (\S+)/.exec(message)?.[1] ?? "", message);
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const login = await client.callTool({ name: "identity_device_login", arguments: { duration: "1m" } }, undefined, {
      timeout: 110_000,
    });
    expect(shown).toHaveLength(1);
    const stored = login.structuredContent as { token_file: string; fingerprint: string };
    expect(Object.keys(stored).sort()).toEqual(["fingerprint", "token_file"]);
    const bearer = readFileSync(stored.token_file, "utf8");
    expect(bearer.length).toBeGreaterThan(20);
    expect(statSync(stored.token_file).mode & 0o777).toBe(0o600);
    expect(stored.fingerprint).toBe(createHash("sha256").update(bearer).digest("hex"));
    const status = await client.callTool({ name: "identity_status", arguments: {} });
    expect(status.structuredContent).toMatchObject({ user: "erik.r", principals: [] });
    const answers = [login, status];
    for (const name of ["admin_list_sessions", "admin_list_recordings", "audit_log", "list_sessions"])
      answers.push(await client.callTool({ name, arguments: {} }));
    expect(JSON.stringify(answers)).not.toContain(bearer);
    expect(everythingIn(stateDir, stored.token_file)).not.toContain(bearer);
    expect(stderr).not.toContain(bearer);
  });

  it("[003-login-duration] a bad duration is device_login_failed and does not dial", async () => {
    const session = await connect(["--bundle", "agent-session", "--device-issuer", "http://127.0.0.1:1", "--device-client-id", "x"]);
    for (const duration of ["0", "-1s", "25h", "abc", ""]) {
      const answer = await session.call("identity_device_login", { duration });
      expect([answer.isError, answer.text.startsWith("device_login_failed: the duration must be")]).toEqual([true, true]);
    }
    const without = await connect(["--bundle", "agent-session"]);
    expect((await without.call("identity_device_login", { duration: "0" })).text).toMatch(/^device_login_failed: the duration/);
    expect((await without.call("identity_device_login")).text).toBe("device_login_failed: no authorization server is configured");
  });

  it("[003-login-server] no argument names an authorization server", async () => {
    const session = await connect(["--bundle", "agent-session"]);
    const answer = await session.call("identity_device_login", { issuer: "http://127.0.0.1:1" });
    expect([answer.code, answer.text]).toEqual([
      "call.arguments_invalid",
      "call: arguments do not match the tool's schema: `issuer` is not an argument of this tool",
    ]);
  });

  it.each([
    [["--device-issuer", "http://id.example", "--device-client-id", "x"], "`--device-issuer`: `http://id.example` must be an https URL"],
    [["--device-issuer", "https://u:p@id.example", "--device-client-id", "x"], "must be an https URL"],
    [["--device-issuer", "https://id.example"], "`--device-issuer` needs `--device-client-id`"],
    [["--device-client-id", "x"], "`--device-client-id` needs `--device-issuer`"],
  ])("refuses to start with %j", (flags, line) => {
    const run = regate(["serve", "--state-dir", temporaryFolder(), ...flags]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    expect(run.stderr).toContain(line);
  });
});

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openApprovalDesk } from "../../src/govern/approval-desk.ts";
import { openApprovalFiles } from "../../src/govern/approval-files.ts";
import { DECLARED_RISK } from "../../src/call/risk-table.ts";
import { ROUTES } from "../../src/admin/routes/table.ts";
import { factsOf, idOf, TERMS } from "../govern/approval-kit.ts";
import { startAdmin } from "./admin-kit.ts";
import { connect, temporaryFolder } from "./client.ts";
import type { Session } from "./client.ts";
import { supervised, type Operator } from "./human.ts";

const BUNDLE = ["--bundle", "agent-session"] as const;
const LISTS = ["admin_list_sessions", "admin_list_approvals", "admin_list_recordings", "admin_list_elevations", "admin_list_leases"];
const GOVERNED: readonly (readonly [string, Record<string, unknown>])[] = [
  ...LISTS.map((name) => [name, {}] as const),
  ["admin_explain", { command: "ls" }],
  ["identity_status", {}],
  ["identity_device_login", { duration: "0" }],
];

/** Files a request as the gate of that session does. */
async function fileRequest(session: Session, sessionId: string, args: Record<string, string>): Promise<string> {
  const desk = openApprovalDesk({ store: openApprovalFiles(session.stateDir), now: () => new Date(), report: () => undefined });
  return idOf(await desk.ask({ facts: factsOf({ session_id: sessionId, arguments: args }), terms: TERMS }));
}

describe("governed tools", () => {
  it("[003-governed-registered] all eight are registered, listed where policy shows them, and pass the gate", async () => {
    const session = await connect(BUNDLE);
    const { tools } = await session.client.listTools();
    for (const [name] of GOVERNED) {
      const tool = tools.find((listed) => listed.name === name);
      expect([name, tool !== undefined, tool?.annotations?.readOnlyHint]).toEqual([name, true, name !== "identity_device_login"]);
      expect(JSON.stringify([tool?.inputSchema, tool?.outputSchema])).not.toContain("$schema");
      expect(DECLARED_RISK.get(name)?.read_only).toBe(name !== "identity_device_login");
    }
    for (const [name, args] of GOVERNED) await session.call(name, args);
    const decided = session.events().filter((event) => event["input"] !== undefined);
    expect(decided.map((event) => event["input"].command)).toEqual(GOVERNED.map(([name]) => name));
    expect(decided.every((event) => event["custom"].regate.code === null)).toBe(true);
  });

  it.each(["ai-agent", "default"])("[003-governed-denied] under %s all eight are denied and none is listed", async (bundle) => {
    const session = await connect(["--bundle", bundle]);
    const { tools } = await session.client.listTools();
    for (const [name, args] of GOVERNED) {
      const answer = await session.call(name, args);
      expect([name, answer.isError, answer.code, answer.structured]).toEqual([name, true, "policy.denied", undefined]);
    }
    expect(tools.map(({ name }) => name).filter((name) => /^(?:admin_|identity_)/.test(name))).toEqual([]);
  });

  it("[003-no-decide-tool] there is no tool that approves, denies, grants or provisions", async () => {
    const { tools } = await (await connect(BUNDLE)).client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => /approve|deny|decide|grant|enrol|provision|resume|revoke/.test(name))).toEqual(
      [],
    );
  });

  it("[003-admin-sessions] [003-identity-status] show the sessions of this process and who this one is", async () => {
    const { session, sessionId } = await supervised([...BUNDLE, "--agent-id", "robot"]);
    const listed = (await session.call("admin_list_sessions")).structured as { sessions: Record<string, unknown>[] };
    expect(listed.sessions).toMatchObject([{ id: sessionId, agent_id: "robot" }]);
    expect(Object.keys(listed.sessions[0] ?? {}).sort()).toEqual(["agent_id", "created", "id", "principals", "user"]);
    const status = (await session.call("identity_status")).structured as Record<string, unknown>;
    expect(Object.keys(status).sort()).toEqual(["principals", "session_id", "user"]);
    expect(status["session_id"]).toBe(sessionId);
  });

  it("[003-admin-approvals] [003-no-token] lists public ids without token and arguments", async () => {
    const { session, sessionId } = await supervised(BUNDLE);
    const id = await fileRequest(session, sessionId, { command: "git push planted-command" });
    const answer = await session.call("admin_list_approvals");
    const { approvals } = answer.structured as { approvals: Record<string, unknown>[] };
    expect(approvals).toMatchObject([{ id, state: "pending", tool: "run_shell", session_id: sessionId, rule: TERMS.rule }]);
    expect(Object.keys(approvals[0] ?? {}).sort()).toEqual([
      "agent_id",
      "created_at",
      "expires_at",
      "id",
      "rule",
      "session_id",
      "state",
      "tool",
    ]);
    expect(answer.text).not.toContain("planted-command");
  });

  it("[003-admin-recordings] lists regular JSONL recordings, without links, folders and foreign files", async () => {
    const { session, sessionId } = await supervised(BUNDLE);
    await session.call("run_shell", { command: "echo hi" });
    const folder = join(session.stateDir, "recordings");
    symlinkSync("/etc/passwd", join(folder, "mcp-1000000000000000002.jsonl"));
    mkdirSync(join(folder, "mcp-1000000000000000003.jsonl"));
    for (const name of ["gateway_connections.jsonl", "mcp-1000000000000000004.txt", "mcp-1.jsonl"])
      writeFileSync(join(folder, name), "{}\n");
    const { recordings } = (await session.call("admin_list_recordings")).structured as { recordings: Record<string, unknown>[] };
    expect(recordings).toMatchObject([{ name: `${sessionId}.jsonl`, session_id: sessionId, event_count: 3 }]);
    const off = await connect([...BUNDLE, "--recordings", "off"]);
    await off.call("run_shell", { command: "echo hi" });
    expect(existsSync(join(off.stateDir, "recordings"))).toBe(false);
  });

  it("[003-admin-elevations] lists chain and active grants; a missing or a cut chain is an error", async () => {
    const { session, operator, sessionId } = await supervised(BUNDLE);
    const missing = await session.call("admin_list_elevations");
    expect([missing.isError, missing.text]).toEqual([
      true,
      "govern.chain_missing: there is no chain of elevations: nothing was ever granted",
    ]);
    const grant = () => operator.sign("elevation", "grant", "--session", sessionId, "--tool", "run_shell", "--for", "5m");
    const id = grant();
    operator.sign("elevation", "drop", grant());
    const { chain, active } = (await session.call("admin_list_elevations")).structured as Record<string, Record<string, unknown>[]>;
    expect(chain?.map(({ kind }) => kind)).toEqual(["grant", "grant", "drop"]);
    expect(active).toMatchObject([{ id, session: sessionId, tools: ["run_shell"], granted_by: "anna" }]);
    const file = join(session.stateDir, "elevations.jsonl");
    truncateSync(file, readFileSync(file, "utf8").lastIndexOf("\n", statSync(file).size - 2) + 1);
    const cut = await session.call("admin_list_elevations");
    expect([cut.isError, cut.text.startsWith("govern.chain_broken: ")]).toEqual([true, true]);
  });

  it("[003-admin-leases] lists metadata of leases: no secret, no source, no command", async () => {
    const { session, operator, sessionId } = await supervised(BUNDLE, { env: { PLANTED_SOURCE: "EXAMPLE-lease-value-77" } });
    const id = operator.sign("lease", "grant", "--session", sessionId, "--from", "env:PLANTED_SOURCE", "--as", "TOKEN");
    const answer = await session.call("admin_list_leases");
    expect((answer.structured as { leases: unknown[] }).leases).toMatchObject([
      { id, session: sessionId, source_type: "env", destination: "TOKEN", state: "active" },
    ]);
    expect(answer.text).not.toMatch(/PLANTED_SOURCE|EXAMPLE-lease/);
  });

  it("[003-admin-explain] [003-explain-words] explains a denial, splits on whitespace, executes nothing", async () => {
    const { session } = await supervised([...BUNDLE, "--require-agent-dry-run"]);
    const marker = join(temporaryFolder(), "marker");
    const answer = await session.call("admin_explain", { command: `rm  "a\tb"   '${marker}'; touch ${marker}` });
    expect(answer.structured).toMatchObject({
      outcome: "denied",
      tool: "run_shell",
      command: "rm",
      args: ['"a', 'b"', `'${marker}';`, "touch", marker],
    });
    const { stages } = answer.structured as { stages: Record<string, string>[] };
    expect(stages.map(({ stage, status }) => `${stage}: ${status}`)).toEqual([
      "admission: allowed",
      "entitlement: not_configured",
      "dry_run: denied",
      "policy: allowed",
      "approval: not_required",
      "confirm: not_required",
    ]);
    const real = await session.call("run_shell", { command: `rm ${marker}` });
    expect(stages[2]).toMatchObject({ code: real.code, reason: real.text });
    expect(existsSync(marker)).toBe(false);
    const calls = session.events().filter((event) => event["input"] !== undefined);
    expect(calls.map((event) => event["input"].command)).toEqual(["admin_explain", "run_shell"]);
    expect((await session.call("admin_explain", { command: " \n" })).text).toBe("explain: command is required");
  });

  it("[003-no-provision] none of them starts a process, and none makes a store", async () => {
    const session = await connect([...BUNDLE, "--recordings", "off"]);
    for (const [name, args] of GOVERNED) await session.call(name, args);
    expect(readdirSync(session.stateDir).filter((name) => !["decisions", "locks", "sessions", "profiles.json"].includes(name))).toEqual([]);
  });
});

/** Every file below a folder that an agent's tools can show something of. */
function stored(folder: string, names: readonly string[]): string {
  return names
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).map((name) => readFileSync(join(path, name), "utf8")))
    .join("\n");
}

/** Every answer of the admin server to a GET, the first events of its stream, and its log. */
async function shownByAdmin(stateDir: string, operator: Operator): Promise<string> {
  const admin = await startAdmin(stateDir, [], operator);
  const headers = { authorization: `Bearer ${admin.token}` };
  const paths = ROUTES.filter(({ method, path }) => method === "GET" && !path.includes("{")).map(({ path }) => path);
  expect(paths.length).toBeGreaterThan(7);
  const answers: string[] = [];
  for (const path of new Set([...paths, "/healthz", "/metrics", "/openapi.json", "/"])) {
    const answer = await fetch(admin.url + path, { headers });
    expect([path, answer.status]).toEqual([path, 200]);
    answers.push(await answer.text());
  }
  const stream = (await fetch(`${admin.url}/v1/events`, { headers })).body?.getReader();
  const first = await stream?.read();
  await stream?.cancel();
  return [...answers, new TextDecoder().decode(first?.value), admin.stderr()].join("\n");
}

describe("what an agent can see", () => {
  it("[003-no-token] holds none of the planted secrets, tokens, lease values and command texts (E05)", async () => {
    const secrets = {
      lease: "EXAMPLE-lease-Value-0123456789",
      argument: "EXAMPLE-arg-Passw0rd-4711",
      reason: "ghp_EXAMPLE0123456789abcdefghijklmnopqrst",
      approval: "EXAMPLE-approval-S3cret-99",
      bearer: "EXAMPLE.bearer-0123456789",
    };
    const { session, operator, sessionId } = await supervised(BUNDLE, { env: { DEPLOY_KEY: secrets.lease } });
    const pending = await fileRequest(session, sessionId, { command: "planted-approval-command --now", password: secrets.approval });
    const granted = operator.run(
      "elevation",
      "grant",
      "--session",
      sessionId,
      "--tool",
      "run_shell",
      "--reason",
      `with ${secrets.reason}`,
      "--key",
      "anna",
    );
    expect(granted.status).toBe(0);
    operator.sign("lease", "grant", "--session", sessionId, "--from", "env:DEPLOY_KEY", "--as", "TOKEN");
    mkdirSync(join(session.stateDir, "tokens"), { mode: 0o700 });
    writeFileSync(join(session.stateDir, "tokens", `${sessionId}.token`), secrets.bearer, { mode: 0o600 });
    const key = readFileSync(join(operator.keysDir, "anna.key"), "utf8").trim();
    const answers = [];
    answers.push(await session.call("run_shell", { command: 'echo "$TOKEN"; echo "$TOKEN" | base64' }));
    answers.push(await session.call("run_shell", { command: "true", password: secrets.argument }));
    answers.push(await session.call("admin_explain", { command: `curl -u user:${secrets.argument} https://x.example` }));
    answers.push(await session.call("whoami"), await session.call("list_sessions"), await session.call("harness_load"));
    for (const [name, args] of GOVERNED) answers.push(await session.call(name, args));
    answers.push(await session.call("audit_log", { limit: 10_000 }));
    answers.push(await session.client.listTools());
    const seen = [JSON.stringify(answers), session.stderr(), stored(session.stateDir, ["decisions", "recordings", "sessions"])].join("\n");
    expect(seen).toContain(pending);
    const base64 = Buffer.from(secrets.lease).toString("base64").slice(0, -4);
    for (const planted of [...Object.values(secrets), key, base64, "planted-approval-command"])
      expect([planted, seen.includes(planted)]).toEqual([planted, false]);
    const shown = await shownByAdmin(session.stateDir, operator);
    // Who approves sees the exact command, without its secrets.
    expect(shown).toContain("planted-approval-command");
    for (const planted of [...Object.values(secrets), key, base64]) expect([planted, shown.includes(planted)]).toEqual([planted, false]);
  });

  it("[003-no-token] [003-four-eyes] GET /v1/approvals is for humans with a key; no key of an agent opens it", async () => {
    const { session, operator, sessionId } = await supervised(BUNDLE);
    const id = await fileRequest(session, sessionId, { command: "git push" });
    const admin = await startAdmin(session.stateDir, [], operator);
    for (const authorization of [undefined, `Bearer ${id}`, `Bearer ${sessionId}`, "Bearer "]) {
      const headers = authorization === undefined ? {} : { authorization };
      expect((await fetch(`${admin.url}/v1/approvals`, { headers })).status).toBe(401);
    }
    const answer = await fetch(`${admin.url}/v1/approvals`, { headers: { authorization: `Bearer ${admin.token}` } });
    const { approvals } = (await answer.json()) as { approvals: Record<string, unknown>[] };
    expect(approvals).toMatchObject([{ id, state: "pending" }]);
    expect(Object.keys(approvals[0] ?? {}).filter((name) => /token|secret|key/.test(name))).toEqual([]);
  });
});

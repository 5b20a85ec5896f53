import { connect } from "node:net";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { recordPath, recordText } from "../../src/govern/approval-records.ts";
import { keyOfToken, revokeKey } from "../../src/govern/keys.ts";
import { grantLease, revokeLease } from "../../src/govern/leases.ts";
import { publishSession } from "../../src/govern/session-feed.ts";
import type { SessionSnapshot } from "../../src/govern/session-feed-form.ts";
import { sessionPublisher } from "../../src/server/session-publisher.ts";
import type { SessionView } from "../../src/session/session.ts";
import { openSessionBook } from "../../src/admin/session-book.ts";
import { temporaryFolder } from "../audit/kit.ts";
import { fileRequest } from "./approval-file.ts";
import { makeToken, send, startKit } from "./kit.ts";
import type { AdminKit } from "./kit.ts";

const SNAPSHOT: SessionSnapshot = {
  v: 1,
  session_id: "mcp-1796000000000000001",
  agent_id: "agent-1",
  user: "bot",
  pid: 4711,
  started_at: "2026-11-30T12:00:00.000Z",
  client: { name: "a client", version: "1" },
  bundle: "default",
  workdir: "/srv/app",
  identity: { confirmed: false, confirmed_profile: null, epoch: 0 },
  active_profile: null,
  usage: { calls: 0, denied: 0, running: 0, calls_last_minute: 0 },
};

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** What a reader of the event stream sees. */
function readEvents(kit: AdminKit, token = kit.token): { readonly events: { event: string; data: any }[]; readonly isOver: () => boolean } {
  const events: { event: string; data: any }[] = [];
  let over = false;
  void (async () => {
    const { body } = await fetch(`${kit.server.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } });
    let text = "";
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString("utf8");
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, event = "", data = "{}"] = /^event: (\w+)\ndata: (.*)$/m.exec(part) ?? [];
        if (event !== "") events.push({ event, data: JSON.parse(data) });
      }
    }
    over = true;
  })().catch(() => (over = true));
  return { events, isOver: () => over };
}

describe("approvals", () => {
  it("[003-human-approves] [003-no-token] are listed with the exact text, approved with a signed vote, and decided once", async () => {
    const kit = await startKit();
    const { id, shown } = fileRequest(kit.stateDir, { text: "run_shell\n\n  echo ok \\u{202e}; rm\n" });
    const list = (await kit.ask("/v1/approvals?state=pending")).json;
    expect(list).toMatchObject({ total: 1, approvals: [{ id, state: "pending", shown, requester: { user: "bot" } }] });
    expect((await kit.ask(`/v1/approvals/${id}`)).json).toEqual(list.approvals[0]);
    const approved = await kit.post(`/v1/approvals/${id}/approve`, { reason: "looks right", shown: shown.digest });
    expect(approved.json).toMatchObject({
      state: "approved",
      votes: [{ owner: "anna", key: "anna", decision: "approve", reason: "looks right" }],
    });
    const again = await kit.post(`/v1/approvals/${id}/deny`, { reason: "no", shown: shown.digest });
    expect([again.status, again.json.code]).toEqual([409, "govern.already_decided"]);
  });

  it("P09: a vote on another text than the one that was shown is a conflict", async () => {
    const kit = await startKit();
    const { id } = fileRequest(kit.stateDir);
    for (const verb of ["approve", "deny"]) {
      const reply = await kit.post(`/v1/approvals/${id}/${verb}`, { reason: "x", shown: "0".repeat(64) });
      expect([reply.status, reply.json.code]).toEqual([409, "admin.shown_differs"]);
    }
    expect((await kit.ask(`/v1/approvals/${id}`)).json).toMatchObject({ state: "pending", votes: [] });
  });

  it("the requester and those who are not named decide nothing; two named owners are two", async () => {
    const kit = await startKit();
    const own = fileRequest(kit.stateDir, { requester: { user: "anna", uid: 1 } });
    expect((await kit.post(`/v1/approvals/${own.id}/approve`, { reason: "", shown: own.shown.digest })).status).toBe(403);
    const named = fileRequest(kit.stateDir, { approvers: ["carla", "bert"], quorum: 2 });
    const vote = { reason: "", shown: named.shown.digest };
    expect((await kit.post(`/v1/approvals/${named.id}/approve`, vote)).status).toBe(403);
    const states: string[] = [];
    for (const name of ["bert", "carla"])
      states.push((await kit.post(`/v1/approvals/${named.id}/approve`, vote, makeToken(kit, name))).json.state);
    expect(states).toEqual(["pending", "approved"]);
  });

  it("a denial needs a reason; an expired request is over", async () => {
    const kit = await startKit();
    const { id, shown } = fileRequest(kit.stateDir);
    expect((await kit.post(`/v1/approvals/${id}/deny`, { reason: " ", shown: shown.digest })).status).toBe(400);
    expect((await kit.post(`/v1/approvals/${id}/deny`, { reason: "no", shown: shown.digest })).json.state).toBe("denied");
    const late = fileRequest(kit.stateDir, { created_at: "2026-01-01T00:00:00.000Z", expires_at: "2026-01-01T00:10:00.000Z" });
    const reply = await kit.post(`/v1/approvals/${late.id}/approve`, { reason: "", shown: late.shown.digest });
    expect([reply.status, reply.json.code]).toEqual([409, "govern.already_decided"]);
  });

  it("two approvers at once: one decides, nothing is decided twice", async () => {
    const kit = await startKit();
    const other = makeToken(kit, "bert");
    const { id, shown } = fileRequest(kit.stateDir);
    const replies = await Promise.all([
      kit.post(`/v1/approvals/${id}/approve`, { reason: "", shown: shown.digest }),
      kit.post(`/v1/approvals/${id}/deny`, { reason: "no", shown: shown.digest }, other),
    ]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  it("ten thousand of them are counted, listed in part, and decided one by one", { timeout: 120_000 }, async () => {
    const stateDir = temporaryFolder();
    const one = fileRequest(stateDir);
    for (let n = 0; n < 10_000; n += 1) {
      const record = { ...one, id: n.toString(16).padStart(32, "0") };
      writeFileSync(recordPath(stateDir, "pending", record.id), recordText(record), { mode: 0o600 });
    }
    const kit = await startKit({}, stateDir);
    const { json } = await kit.ask("/v1/approvals?state=pending&limit=200");
    expect([json.total, json.approvals.length]).toEqual([10_001, 200]);
    expect((await kit.post(`/v1/approvals/${one.id}/approve`, { reason: "", shown: one.shown.digest })).json.state).toBe("approved");
  });

  it("a file that cannot be read is told once and hides no other request", async () => {
    const kit = await startKit();
    const good = fileRequest(kit.stateDir);
    const bad = fileRequest(kit.stateDir);
    const path = join(kit.stateDir, "approvals", "pending", `${bad.id}.json`);
    writeFileSync(path, "{");
    for (let n = 0; n < 3; n += 1)
      expect((await kit.ask("/v1/approvals")).json.approvals.map(({ id }: { id: string }) => id)).toEqual([good.id]);
    chmodSync(path, 0o644);
    expect((await kit.ask(`/v1/approvals/${bad.id}`)).status).toBe(503);
    expect(kit.notes.filter((note) => note.includes("not what this program wrote"))).toHaveLength(1);
  });

  it("come over the event stream as they are filed, decided and expire; the stream ends with its key", async () => {
    const kit = await startKit();
    const bert = makeToken(kit, "bert");
    const stream = readEvents(kit, bert);
    await until(() => stream.events.length > 0);
    const { id, shown } = fileRequest(kit.stateDir);
    const kinds = (): string[] => stream.events.filter(({ data }) => data.id === id).map(({ data }) => data.kind);
    await until(() => kinds().length === 1);
    await kit.post(`/v1/approvals/${id}/approve`, { reason: "", shown: shown.digest });
    await until(() => kinds().length === 2);
    expect(kinds()).toEqual(["pending", "decided"]);
    const brief = fileRequest(kit.stateDir, { expires_at: new Date(Date.now() + 300).toISOString() });
    await until(() => stream.events.some(({ data }) => data.id === brief.id && data.kind === "expired"));
    revokeKey(kit.stateDir, "bert", new Date());
    fileRequest(kit.stateDir);
    await until(stream.isOver);
  });
});

describe("stops", () => {
  it("U03: are placed and lifted with the bearer's key, and seen at every session", async () => {
    const kit = await startKit();
    const end = publishSession({ stateDir: kit.stateDir, snapshot: () => SNAPSHOT, everyMs: 20 });
    onTestFinished(end);
    await until(async () => (await kit.ask("/v1/sessions")).json.sessions.length === 1);
    expect((await kit.ask("/v1/sessions")).json.sessions[0]).toMatchObject({ ...SNAPSHOT, stopped: null });
    for (const scope of [{ all: true }, { session: SNAPSHOT.session_id }, { agent: SNAPSHOT.agent_id }]) {
      const stopped = await kit.post("/v1/stops", { action: "stop", scope, reason: "wrong host", end_running: true });
      expect(stopped.json).toMatchObject({ broken: null, stops: [{ scope, reason: "wrong host", key: "anna", end_running: true }] });
      expect((await kit.ask("/v1/sessions")).json.sessions[0].stopped).toEqual(stopped.json.stops[0]);
      expect((await kit.post("/v1/stops", { action: "resume", scope, reason: "mended" })).json.stops).toEqual([]);
    }
    expect((await kit.post("/v1/stops", { action: "stop", scope: { session: "a", agent: "b" }, reason: "x" })).status).toBe(400);
    expect((await kit.post("/v1/stops", { action: "stop", scope: { all: true }, reason: " " })).status).toBe(400);
  });

  it("a halt that cannot be read is shown at its session, and hides nothing else", async () => {
    const kit = await startKit();
    onTestFinished(publishSession({ stateDir: kit.stateDir, snapshot: () => SNAPSHOT, everyMs: 20 }));
    await until(async () => (await kit.ask("/v1/sessions")).json.sessions.length === 1);
    mkdirSync(join(kit.stateDir, "halts"), { mode: 0o700 });
    writeFileSync(join(kit.stateDir, "halts", `${SNAPSHOT.session_id}.json`), "{", { mode: 0o600 });
    const order = { action: "stop", scope: { agent: "agent-2" }, reason: "wrong host" };
    const { status, json } = await kit.post("/v1/stops", order);
    expect([status, json.stops.length]).toEqual([200, 2]);
    expect(json.stops[1]).toMatchObject({ scope: { session: SNAPSHOT.session_id }, key: null });
    expect(json.stops[1].reason).toContain("is not the record of a halt");
    expect((await kit.ask("/v1/sessions")).json.sessions[0].stopped).toEqual(json.stops[1]);
  });

  it("a broken chain is shown, not hidden", async () => {
    const kit = await startKit();
    await kit.post("/v1/stops", { action: "stop", scope: { all: true }, reason: "x" });
    writeFileSync(join(kit.stateDir, "stops.jsonl"), "", { mode: 0o600 });
    expect((await kit.ask("/v1/stops")).json.broken).toContain("does not hold");
    expect((await kit.post("/v1/stops", { action: "resume", scope: { all: true }, reason: "x" })).status).toBe(503);
  });
});

describe("the other lists", () => {
  it("are empty in a fresh state directory", async () => {
    const kit = await startKit();
    expect((await kit.ask("/v1/elevations")).json).toEqual({ chain: { state: "missing", reason: null, entries: 0 }, active: [] });
    expect((await kit.ask("/v1/leases")).json).toEqual({ leases: [] });
    expect((await kit.ask("/v1/recordings")).json).toEqual({ recordings: [] });
    expect((await kit.ask("/v1/decisions")).json).toMatchObject({ decisions: [], next: null });
  });
});

describe("leases", () => {
  it("E05: one that was revoked is listed as documented, and a secret in the reason of its end is taken out", async () => {
    const kit = await startKit();
    const by = { key: keyOfToken(kit.stateDir, kit.token), now: new Date() };
    const request = { session: SNAPSHOT.session_id, source: "env:DEPLOY", destination: "DEPLOY_TOKEN", seconds: 60, reason: "release" };
    const { id } = grantLease(kit.stateDir, request, by);
    revokeLease(kit.stateDir, { id, reason: "ghp_0123456789abcdefghijABCDEFGHIJ012345 has leaked" }, by);
    const { text, json } = await kit.ask("/v1/leases");
    expect(text).not.toContain("ghp_");
    expect(json.leases).toMatchObject([{ id, state: "revoked", revoked_by: "anna", revoke_reason: "[REDACTED] has leaked" }]);
  });
});

describe("sessions of other processes", () => {
  it("come, change and go; a server that starts first finds the admin server later", async () => {
    const stateDir = temporaryFolder();
    let calls = 0;
    const end = publishSession({ stateDir, snapshot: () => ({ ...SNAPSHOT, usage: { ...SNAPSHOT.usage, calls } }), everyMs: 10 });
    onTestFinished(end);
    const kit = await startKit({}, stateDir);
    const sessions = async (): Promise<any[]> => (await kit.ask("/v1/sessions")).json.sessions;
    await until(async () => (await sessions()).length === 1);
    calls = 7;
    await until(async () => (await sessions())[0]?.usage.calls === 7);
    end();
    await until(async () => (await sessions()).length === 0);
    expect(await sessions()).toEqual([]);
  });

  it("the socket is 0600, a stale one is replaced, a second server is refused", async () => {
    const stateDir = temporaryFolder();
    const first = await openSessionBook(stateDir, () => undefined);
    const path = join(stateDir, "admin.sock");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(openSessionBook(stateDir, () => undefined)).rejects.toThrow("another admin server listens");
    await first.close();
    writeFileSync(path, "");
    await expect(openSessionBook(stateDir, () => undefined)).rejects.toThrow("is no socket");
  });

  it("a path that is too long for a socket is said, not tried", async () => {
    const stateDir = join(temporaryFolder(), "x".repeat(100));
    await expect(openSessionBook(stateDir, () => undefined)).rejects.toThrow("is too long for a socket");
    expect(publishSession({ stateDir, snapshot: () => SNAPSHOT })()).toBeUndefined();
  });

  it.each([
    ["no JSON", "x\n"],
    ["a foreign form", '{"v":1}\n'],
    ["a field too many", `${JSON.stringify({ ...SNAPSHOT, command: "x" })}\n`],
    ["a line without end", "x".repeat(200_000)],
    ["a name that is no session id", `${JSON.stringify({ ...SNAPSHOT, session_id: "../x" })}\n`],
  ])("whoever sends %s is hung up on and not listed", async (_name, bytes) => {
    const stateDir = temporaryFolder();
    const book = await openSessionBook(stateDir, () => undefined);
    onTestFinished(() => book.close());
    const socket = connect(join(stateDir, "admin.sock"));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.write(bytes);
    await closed;
    expect(book.list()).toEqual([]);
  });

  it("P09: what a server calls its agent comes with visible escapes", async () => {
    const kit = await startKit();
    onTestFinished(publishSession({ stateDir: kit.stateDir, snapshot: () => ({ ...SNAPSHOT, agent_id: "a\u202eb" }), everyMs: 10 }));
    await until(async () => (await kit.ask("/v1/sessions")).json.sessions.length === 1);
    expect((await kit.ask("/v1/sessions")).json.sessions[0].agent_id).toBe(String.raw`a\u{202e}b`);
  });
});

describe("what a client calls itself", () => {
  const VIEW: SessionView = {
    claim: { sessionId: SNAPSHOT.session_id, agentId: "agent-1" },
    user: "bot",
    groups: [],
    identity: { identity_confirmed: false, confirmed_profile: null, epoch: 0 },
    profile: { active: null },
    variables: {},
    client: { elicitation: false },
    usage: { calls: 0, tool_calls: 0, calls_last_minute: 0, running: 0, denied: 0, elapsed_seconds: 0 },
  };

  it.each([
    ["comes with visible escapes (P09)", "a\u202eb", String.raw`a\u{202e}b`],
    ["hides no session by its length", "x".repeat(100_000), "x".repeat(256)],
    ["hides no session by the length of its escapes", "\u202e".repeat(256), String.raw`\u{202e}`.repeat(256)],
  ])("%s", async (_what, name, shown) => {
    const kit = await startKit();
    const view: SessionView = { ...VIEW, client: { elicitation: false, name, version: name } };
    const publish = sessionPublisher({ stateDir: kit.stateDir, startedAt: new Date(), bundle: "b".repeat(1_000) });
    onTestFinished(publish(() => view));
    await until(async () => (await kit.ask("/v1/sessions")).json.sessions.length === 1);
    expect((await kit.ask("/v1/sessions")).json.sessions[0].client).toEqual({ name: shown, version: shown });
  });
});

describe("openapi.json", () => {
  it("is OpenAPI 3.1, names every route, and every reference in it leads somewhere", async () => {
    const kit = await startKit();
    const { json } = await kit.ask("/openapi.json");
    expect(json.openapi).toBe("3.1.0");
    const refs = [...JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) => ref);
    const names = new Set(Object.keys(json.components.schemas).map((name) => `#/components/schemas/${name}`));
    expect(refs.filter((ref) => !names.has(ref))).toEqual([]);
    expect(Object.keys(json.paths).toSorted()).toEqual([
      "/healthz",
      "/metrics",
      "/v1/approvals",
      "/v1/approvals/{id}",
      "/v1/approvals/{id}/approve",
      "/v1/approvals/{id}/deny",
      "/v1/decisions",
      "/v1/elevations",
      "/v1/events",
      "/v1/explain",
      "/v1/key",
      "/v1/leases",
      "/v1/recordings",
      "/v1/sessions",
      "/v1/stops",
    ]);
    const ids = Object.values<any>(json.paths).flatMap((path) => Object.values<any>(path).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
    expect((await send(`${kit.server.url}/openapi.json`, {})).status).toBe(401);
  });
});

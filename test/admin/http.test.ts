import { connect } from "node:net";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { revokeKey } from "../../src/govern/keys.ts";
import { makeKey } from "../../src/govern/key-pair.ts";
import { DEFAULT_LIMITS } from "../../src/admin/limits.ts";
import { fileRequest } from "./approval-file.ts";
import { makeToken, send, startKit } from "./kit.ts";

const EVERY_PATH = [
  "/v1/sessions",
  "/v1/approvals",
  "/v1/recordings",
  "/v1/elevations",
  "/v1/leases",
  "/v1/stops",
  "/v1/decisions",
  "/v1/key",
  "/metrics",
  "/openapi.json",
  "/v1/events",
];

describe("without a key on record", () => {
  it("every route but /healthz and the page answers the same 401, whatever is wrong with the key", async () => {
    const kit = await startKit({ limits: { ...DEFAULT_LIMITS, failures: 1_000 } });
    const revoked = makeToken(kit, "revoked");
    revokeKey(kit.stateDir, "revoked", new Date());
    const tokens = [
      null,
      "",
      "x",
      "rgk_anna_",
      `${kit.token}x`,
      kit.token.slice(0, -1),
      makeKey("anna").token,
      makeKey("nobody").token,
      revoked,
      "../../etc",
      `rgk_../${"A".repeat(43)}`,
    ];
    const seen = new Set<string>();
    for (const path of EVERY_PATH) {
      for (const token of tokens) {
        const { status, text, headers } = await kit.ask(path, { token });
        seen.add(`${status} ${text} ${headers["www-authenticate"]}`);
      }
    }
    expect([...seen]).toEqual(['401 {"error":"unauthorized"} Bearer']);
    const other = await send(`${kit.server.url}/v1/key`, { headers: { authorization: `Basic ${kit.token}` } });
    expect(other.status).toBe(401);
    expect((await kit.ask("/healthz", { token: null })).json).toEqual({ ok: true });
    expect((await kit.ask("/", { token: null })).headers["content-type"]).toContain("text/html");
    expect((await kit.ask("/v1/key")).json).toEqual({ key: "anna", owner: "anna" });
  });

  it("nothing is decided, and nothing of a body is read", async () => {
    const kit = await startKit();
    const { id, shown } = fileRequest(kit.stateDir);
    const { status } = await kit.post(`/v1/approvals/${id}/approve`, { reason: "", shown: shown.digest }, makeKey("anna").token);
    expect(status).toBe(401);
    expect((await kit.ask(`/v1/approvals/${id}`)).json.state).toBe("pending");
  });
});

describe("requests of other sites", () => {
  const refused = { error: "forbidden: this host or origin is not this server's" };
  it.each([
    ["a rebound name", { host: "evil.example" }],
    ["another port", { host: "127.0.0.1:1" }],
    ["a prefix of the name", { host: "localhost.evil.example:PORT" }],
    ["another origin", { origin: "https://evil.example" }],
    ["another port's origin", { origin: "http://127.0.0.1:1" }],
    ["a sandboxed page", { origin: "null" }],
  ])("%s: 403 on every path, with the right key too", async (_name, headers) => {
    const kit = await startKit();
    const { port } = new URL(kit.server.url);
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace("PORT", port)]));
    for (const path of ["/", "/healthz", "/v1/key", "/v1/approvals", "/nothing"]) {
      const reply = await kit.ask(path, { headers: own });
      expect([reply.status, reply.json]).toEqual([403, refused]);
    }
  });

  it("its own names and its own origin are let in, and a public URL is one of them", async () => {
    const kit = await startKit({ publicUrl: "https://regate.example/" });
    const { port } = new URL(kit.server.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`, "regate.example"])
      expect((await kit.ask("/v1/key", { headers: { host } })).status, host).toBe(200);
    for (const origin of [kit.server.url, `http://localhost:${port}`, "https://regate.example"])
      expect((await kit.ask("/v1/key", { headers: { origin } })).status, origin).toBe(200);
    expect((await kit.ask("/v1/key", { headers: { origin: "http://regate.example" } })).status).toBe(403);
  });
});

describe("what is asked badly", () => {
  it.each([
    "/nothing",
    "/v1",
    "/v1/approvals/",
    "/v1/approvals/..%2f..%2fkeys%2fanna",
    "/../package.json",
    "/assets/../../../package.json",
    "/%2e%2e/package.json",
    "/index.html",
    "/v1/approvals/xx",
    "/v1/approvals/constructor-__proto__",
  ])("%s is not found", async (path) => {
    const kit = await startKit();
    const reply = await kit.ask(path);
    expect([reply.status, reply.json]).toEqual([404, { error: "not found" }]);
  });

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "POST"])("%s on a route that does not take it is not found", async (method) => {
    const kit = await startKit();
    expect((await send(`${kit.server.url}/v1/sessions`, { method, token: kit.token })).status).toBe(404);
  });

  it.each([
    ["not JSON", "{", /^invalid json: /],
    ["a key twice", '{"reason":"a","reason":"b","shown":"x"}', /^invalid json: /],
    ["no object", "[]", /expected object/i],
    ["a field too many", JSON.stringify({ reason: "x", shown: "a".repeat(64), approver: "eve" }), /approver/],
    ["no digest", JSON.stringify({ reason: "x" }), /^shown: /],
    ["a reason that is too long", JSON.stringify({ reason: "x".repeat(2_001), shown: "a".repeat(64) }), /^reason: /],
  ])("a vote with %s: 400", async (_name, body, message) => {
    const kit = await startKit();
    const { id } = fileRequest(kit.stateDir);
    const reply = await kit.post(`/v1/approvals/${id}/approve`, body);
    expect([reply.status, reply.json.error]).toEqual([400, expect.stringMatching(message)]);
  });

  it("a body of more than 1 MiB: 413, with and without its length", async () => {
    const kit = await startKit();
    const { id } = fileRequest(kit.stateDir);
    const body = JSON.stringify({ reason: "x".repeat(1_048_576), shown: "" });
    expect((await kit.post(`/v1/approvals/${id}/approve`, body)).status).toBe(413);
    const chunked = await send(`${kit.server.url}/v1/approvals/${id}/approve`, {
      method: "POST",
      token: kit.token,
      body,
      headers: { "transfer-encoding": "chunked" },
    });
    expect(chunked.status).toBe(413);
  });

  it.each(["?limit=0", "?limit=x", "?limit=1&limit=2", "?nothing=1", "?cursor=x", "?since=yesterday", "?allowed=maybe"])(
    "decisions%s: 400",
    async (query) => {
      const kit = await startKit();
      expect((await kit.ask(`/v1/decisions${query}`)).status).toBe(400);
    },
  );

  it("a client that never ends its headers is hung up on", { timeout: 60_000 }, async () => {
    const kit = await startKit();
    const socket = connect(Number(new URL(kit.server.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
    await once(socket.resume(), "close");
    expect((await kit.ask("/healthz", { token: null })).status).toBe(200);
  });
});

describe("limits", () => {
  it("too many wrong keys get 429 and when to come back; the right key still passes", async () => {
    const kit = await startKit({ limits: { failures: 3, perAddress: 100, perKey: 100 } });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await kit.ask("/v1/key", { token: "wrong" })).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(Number((await kit.ask("/v1/key", { token: "wrong" })).headers["retry-after"])).toBeGreaterThan(0);
    expect((await kit.ask("/v1/key")).status).toBe(200);
  });

  it("too many requests at all: 429, for each key and for those without", async () => {
    const kit = await startKit({ limits: { failures: 3, perAddress: 4, perKey: 5 } });
    const other = makeToken(kit, "bert");
    const ask = async (token: string | null, times: number): Promise<number[]> => {
      const statuses: number[] = [];
      for (let n = 0; n < times; n += 1) statuses.push((await kit.ask("/healthz", { token })).status);
      return statuses;
    };
    expect(await ask(kit.token, 6)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(await ask(other, 2)).toEqual([200, 200]);
    expect(await ask(null, 5)).toEqual([200, 200, 200, 200, 429]);
  });
});

describe("every request", () => {
  it("has an id and strict headers, and is logged with its key, route, status and time, without token, body and path", async () => {
    const kit = await startKit();
    const { id, shown } = fileRequest(kit.stateDir);
    const reply = await kit.post(`/v1/approvals/${id}/deny`, { reason: "EXAMPLE-REASON", shown: shown.digest });
    await kit.ask("/v1/decisions?text=EXAMPLE-QUERY");
    await kit.ask("/EXAMPLE-PATH");
    await kit.ask("/v1/key", { token: "EXAMPLE-TOKEN" });
    expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect([reply.headers["cache-control"], reply.headers["x-content-type-options"], reply.headers["referrer-policy"]]).toEqual([
      "no-store",
      "nosniff",
      "no-referrer",
    ]);
    expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
    expect(kit.lines.map(({ key, method, route, status }) => [key, method, route, status])).toEqual([
      ["anna", "POST", "/v1/approvals/{id}/deny", 200],
      ["anna", "GET", "/v1/decisions", 200],
      ["anna", "GET", "(none)", 404],
      [null, "GET", "/v1/key", 401],
    ]);
    expect(kit.lines[0]?.request_id).toBe(reply.headers["x-request-id"]);
    expect(JSON.stringify(kit.lines)).not.toMatch(new RegExp(`EXAMPLE|${kit.token}|${id}`));
  });
});

describe("metrics", () => {
  it("count requests, sessions and requests for approvals", async () => {
    const kit = await startKit();
    fileRequest(kit.stateDir);
    await kit.ask("/v1/key");
    const { text, headers } = await kit.ask("/metrics");
    expect(headers["content-type"]).toContain("text/plain");
    expect(text).toContain('regate_admin_requests_total{route="/v1/key",method="GET",status="200"} 1');
    expect(text).toContain('regate_approvals{state="pending"} 1');
    expect(text).toContain("regate_sessions 0");
  });
});

describe("the end", () => {
  it("answers what was asked, ends open streams and frees port and socket", async () => {
    const kit = await startKit();
    const stream = fetch(`${kit.server.url}/v1/events`, { headers: { authorization: `Bearer ${kit.token}` } }).then((answer) =>
      answer.text(),
    );
    await expect.poll(async () => (await kit.ask("/metrics")).text).toContain("regate_admin_streams 1");
    kit.stop.abort();
    await kit.server.ended;
    await stream.catch(() => undefined);
    // Nobody there takes this key any more, whoever may listen at that port now.
    const late = await send(`${kit.server.url}/v1/key`, { token: kit.token }).catch(() => undefined);
    expect(late?.status).not.toBe(200);
    // A second server on this state directory would be refused while the first one listens at its socket.
    const again = await startKit({}, kit.stateDir, "bert");
    expect((await again.ask("/healthz", { token: null })).status).toBe(200);
  });
});

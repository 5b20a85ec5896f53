import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import { describe, expect, it } from "vitest";
import { fixtureEntry } from "../upstream/gateway-kit.ts";
import { temporaryFolder } from "./client.ts";
import { hello, modern, openSession, send, startHttp, toolCall, type HttpServer, type Sent } from "./http-kit.ts";

// Rows of known vulnerabilities that concern the HTTP front of the gateway, with logging servers behind it.

interface Front {
  readonly gateway: HttpServer;
  /** Every byte that a server got. */
  readonly got: (id: string) => string;
}

async function front(flags: readonly string[] = [], bundle = "agent-session"): Promise<Front> {
  const path = temporaryFolder("regate-front-");
  const log = (id: string): string => join(path, `${id}.log`);
  const servers = Object.fromEntries(["one", "two"].map((id) => [id, fixtureEntry(log(id))]));
  writeFileSync(join(path, "mcp.json"), JSON.stringify({ mcpServers: servers }));
  const gateway = await startHttp(["proxy", "--bundle", bundle, "--config", join(path, "mcp.json"), ...flags]);
  return { gateway, got: (id) => (existsSync(log(id)) ? readFileSync(log(id), "utf8") : "") };
}

/** Headers by which gateways elsewhere chose a server, skipped a check or took an identity (GHSA-g53w-w6mj-hrpp). */
const INTERNAL: readonly string[] = [
  "x-mcp-server",
  "x-mcp-servername",
  "x-mcp-toolname",
  "x-mcp-authorized",
  "x-mcp-init-host",
  "mcp-init-host",
  "router-key",
  "x-upstream",
  "x-target-url",
  "x-forwarded-host",
  "x-forwarded-user",
  "x-original-url",
  "x-original-method",
  "x-http-method-override",
  "x-rewrite-url",
  "x-real-ip",
  "x-user",
  "x-regate-upstream",
  "x-regate-bypass",
  "regate-agent-id",
  "mcp-method",
  "mcp-name",
];

describe("[gateway:http] what the client says in headers and addresses", () => {
  it("selects no server and skips no policy (GHSA-g53w-w6mj-hrpp)", async () => {
    const [allowed, denied] = [await front(), await front([], "ai-agent")];
    const session = await openSession(allowed.gateway.port);
    const other = await openSession(denied.gateway.port);
    await session.call(1, "two__echo", { s: "before" });
    const before = allowed.got("two");
    for (const name of INTERNAL) {
      for (const value of ["two", "true"]) {
        const reply = await session.post(toolCall(2, "one__echo", { s: name }), { [name]: value });
        expect([name, reply.status, reply.messages[0]?.result?.["isError"]]).toEqual([name, 200, undefined]);
        const refused = await other.post(toolCall(2, "one__echo", { s: name }), { [name]: value });
        expect([name, refused.messages[0]?.result?.["_meta"]["regate/decision"].code]).toEqual([name, "policy.denied"]);
      }
    }
    expect(allowed.got("two")).toBe(before);
    expect(allowed.got("one").split('"tools/call"')).toHaveLength(2 * INTERNAL.length + 1);
    for (const id of ["one", "two"]) expect(denied.got(id)).not.toContain("tools/call");
  });

  it("starts no program, on any path (CVE-2025-49596, CVE-2026-30623, CVE-2026-30615)", async () => {
    const { gateway, got } = await front();
    const session = await openSession(gateway.port);
    await session.call(1, "one__echo");
    await expect.poll(() => got("two")).toContain("tools/list");
    const marker = join(temporaryFolder(), "marker");
    const command = `transportType=stdio&command=touch&args=${encodeURIComponent(marker)}`;
    const body = { command: "touch", args: [marker], transportType: "stdio", mcpServers: { x: { command: "touch", args: [marker] } } };
    const before = [await children(gateway), got("one"), got("two")];
    for (const path of ["/sse", "/stdio", "/message", "/api/mcp/connect", "/api/servers", "/config", "/proxy", "/mcp/x", "/"]) {
      for (const method of ["GET", "POST", "PUT", "DELETE"]) {
        const reply = await send(gateway.port, { method, path: `${path}?${command}`, ...(method === "POST" ? { body } : {}) });
        expect([method, path, reply.status]).toEqual([method, path, 404]);
      }
    }
    const asked = [
      session.post({ jsonrpc: "2.0", id: 2, method: "x/spawn", params: body }),
      session.post({ jsonrpc: "2.0", id: 3, method: "initialize", params: body }),
      session.post(toolCall(4, "touch", body)),
      send(gateway.port, { path: `/mcp?${command}`, body: { jsonrpc: "2.0", id: 5, method: "ping" } }),
    ];
    await Promise.all(asked);
    expect([await children(gateway), got("one"), got("two")]).toEqual(before);
    expect(existsSync(marker)).toBe(false);
  });
});

/** Number of processes that a gateway has started. */
async function children({ child }: HttpServer): Promise<number> {
  const ps = spawn("ps", ["-o", "pid=", "--ppid", String(child.pid)], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  ps.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(ps, "close");
  return text.split("\n").filter((line) => line.trim() !== "").length;
}

describe("[gateway:http] tokens before the gateway", () => {
  const [issuer, audience] = ["https://issuer.example", "https://gate.example/mcp"];

  async function guarded(): Promise<Front & { bearer: (claims?: JWTPayload) => Promise<NonNullable<Sent["headers"]>> }> {
    const keys = await generateKeyPair("ES256", { extractable: true });
    const file = join(temporaryFolder(), "keys.json");
    writeFileSync(file, JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256", use: "sig" }] }));
    const tokens = ["--auth-issuer", issuer, "--auth-audience", audience, "--auth-jwks-file", file];
    const bearer = async (claims: JWTPayload = {}): Promise<NonNullable<Sent["headers"]>> => {
      const now = Math.floor(Date.now() / 1_000);
      const all = { iss: issuer, aud: audience, sub: "ada", client_id: "desk", iat: now, exp: now + 600, ...claims };
      const token = await new SignJWT(all).setProtectedHeader({ alg: "ES256", kid: "one" }).sign(keys.privateKey);
      return { authorization: `Bearer ${token}` };
    };
    return { ...(await front(tokens)), bearer };
  }

  it("are asked for on every route and verb, and nothing else reaches a server (CVE-2026-33032, CVE-2026-32211, M18, M20)", async () => {
    const { gateway, got, bearer } = await guarded();
    const session = await openSession(gateway.port, {}, await bearer());
    await session.call(1, "one__echo", { s: "mine" });
    await expect.poll(() => got("two")).toContain("tools/list");
    const before = [got("one"), got("two")];
    const evil = toolCall(2, "one__echo", { s: "evil" });
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const smuggled = modern("tools/call", { name: "one__echo", arguments: { s: "evil" } });
    for (const [status, headers] of [
      [401, { authorization: undefined }],
      [401, { authorization: "Bearer x" }],
      [401, await bearer({ aud: "https://gate.example" })],
      [401, await bearer({ aud: "https://gate.example/MCP" })],
      [401, await bearer({ iss: "https://other.example" })],
      [404, await bearer({ sub: "mallory" })],
      [404, await bearer({ client_id: "other" })],
    ] as const) {
      for (const body of [evil, cancel, { jsonrpc: "2.0", id: "regate-x-1", result: {} }]) {
        expect((await session.post(body, headers)).status).toBe(status);
      }
      expect((await session.get(headers).head).status).toBe(status);
      expect((await session.delete(headers)).status).toBe(status);
      if (status === 404) continue;
      for (const method of ["POST", "GET", "DELETE", "PUT", "OPTIONS"]) {
        const reply = await send(gateway.port, { method, headers, ...(method === "POST" ? { body: hello() } : {}) });
        expect([method, reply.status]).toEqual([method, 401]);
      }
      expect((await send(gateway.port, { ...smuggled, headers: { ...smuggled.headers, ...headers } })).status).toBe(401);
    }
    expect([got("one"), got("two")]).toEqual(before);
    expect((await session.call(3, "one__echo", { s: "still mine" })).result?.["structuredContent"]).toEqual({ s: "still mine" });
    const slash = await openSession(gateway.port, {}, await bearer({ aud: `${audience}/` }));
    expect((await slash.call(1, "one__echo", { s: "x" })).result?.["structuredContent"]).toEqual({ s: "x" });
  });
});

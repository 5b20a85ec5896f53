import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "./client.ts";
import { hello, modern, openSession, send, startHttp, type HttpServer, type Sent } from "./http-kit.ts";
import { regate } from "./run.ts";

const ISSUER = "https://issuer.example";
const AUDIENCE = "https://gate.example/mcp";
const METADATA = "https://gate.example/.well-known/oauth-protected-resource/mcp";

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
});

let server: HttpServer;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let foreign: Awaited<ReturnType<typeof generateKeyPair>>;
let set: { keys: JWK[] };

const inSet = async (): Promise<string> => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "keys.json"), JSON.stringify(set));
  return join(folder, "keys.json");
};
const flags = (file: string, ...more: string[]): string[] => {
  const tokens = ["--auth-issuer", ISSUER, "--auth-audience", `${AUDIENCE}/`, "--auth-jwks-file", file];
  return ["serve", "--bundle", "identity-gate", ...tokens, ...more];
};

beforeAll(async () => {
  [keys, foreign] = [await generateKeyPair("ES256", { extractable: true }), await generateKeyPair("ES256")];
  set = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256", use: "sig" }] };
  const folder = mkdtempSync(join(tmpdir(), "regate-keys-"));
  ends.push(async () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "keys.json"), JSON.stringify(set));
  server = await startHttp(flags(join(folder, "keys.json")), (end) => ends.push(end));
});

/** A token of Ada, with whatever is to be different; `undefined` leaves a claim out. */
async function token(claims: JWTPayload = {}, { key = keys.privateKey, alg = "ES256" } = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const usual = { iss: ISSUER, aud: AUDIENCE, sub: "ada", client_id: "desk", iat: now, exp: now + 600 };
  const all = Object.fromEntries(Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined));
  return await new SignJWT(all).setProtectedHeader({ alg, kid: "one" }).sign(key);
}

const bearer = (text: string): NonNullable<Sent["headers"]> => ({ authorization: `Bearer ${text}` });
const opening = async (claims: JWTPayload, how?: Parameters<typeof token>[1]): Promise<number> =>
  (await send(server.port, { body: hello(), headers: bearer(await token(claims, how)) })).status;

describe("[gateway:http] a front with tokens", () => {
  it("asks for one on every verb, and says where its metadata is", async () => {
    for (const method of ["POST", "GET", "DELETE", "PUT", "OPTIONS"]) {
      const reply = await send(server.port, { method, ...(method === "POST" ? { body: hello() } : {}) });
      expect([reply.status, reply.headers["www-authenticate"]]).toEqual([401, `Bearer resource_metadata="${METADATA}"`]);
    }
    expect((await send(server.port, modern("tools/list"))).status).toBe(401);
  });
  it("shows everybody its metadata (RFC 9728), with the one form of its name", async () => {
    for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
      const reply = await send(server.port, { method: "GET", path });
      expect([reply.status, JSON.parse(reply.text)]).toEqual([
        200,
        { resource: AUDIENCE, authorization_servers: [ISSUER], bearer_methods_supported: ["header"] },
      ]);
    }
    expect((await send(server.port, { method: "GET", path: "/.well-known/other" })).status).toBe(404);
  });
  it("may be reached under the name of its audience, and of no other", async () => {
    const status = async (headers: Sent["headers"]): Promise<number> =>
      (await send(server.port, { method: "GET", path: "/.well-known/oauth-protected-resource", headers: { ...headers } })).status;
    expect(await status({ host: "gate.example" })).toBe(200);
    expect(await status({ host: "gate.example", origin: "https://gate.example" })).toBe(200);
    expect(await status({ host: "gate.example:8443" })).toBe(403);
    expect(await status({ host: "gate.example", origin: "http://gate.example" })).toBe(403);
    expect(await status({ host: "evil.example" })).toBe(403);
  });

  it.each<[string, number, string | readonly string[]]>([
    ["no scheme", 401, "abc"],
    ["another scheme", 401, "Basic YWRhOmFkYQ=="],
    ["nonsense", 401, "Bearer abc"],
    ["two headers", 400, ["Bearer a", "Bearer b"]],
  ])("%s is %i", async (_what, status, authorization) => {
    expect((await send(server.port, { body: hello(), headers: { authorization } })).status).toBe(status);
  });
  it("takes no token from the address", async () => {
    expect((await send(server.port, { path: `/mcp?access_token=${await token()}`, body: hello() })).status).toBe(401);
  });

  // Times are those of the test that runs, not of the file's collection.
  const fromNow = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
  it.each<[string, number, JWTPayload | (() => JWTPayload)]>([
    ["a good one", 200, {}],
    ["the audience with a slash at its end", 200, { aud: `${AUDIENCE}/` }],
    ["the audience among others", 200, { aud: ["https://other.example", AUDIENCE] }],
    ["two slashes", 401, { aud: `${AUDIENCE}//` }],
    ["the origin alone", 401, { aud: "https://gate.example" }],
    ["another path", 401, { aud: `${AUDIENCE}/a` }],
    ["another letter case of the path", 401, { aud: "https://gate.example/MCP" }],
    ["another letter case of the host", 401, { aud: "https://GATE.example/mcp" }],
    ["the default port spelled out", 401, { aud: "https://gate.example:443/mcp" }],
    ["no audience", 401, { aud: undefined as never }],
    ["another issuer", 401, { iss: "https://issuer.example.evil" }],
    ["the issuer with a slash", 401, { iss: `${ISSUER}/` }],
    ["no expiry", 401, { exp: undefined as never }],
    ["expired a minute ago", 401, () => ({ exp: fromNow(-60) })],
    ["expired within the skew", 200, () => ({ exp: fromNow(-5) })],
    ["not yet valid", 401, () => ({ nbf: fromNow(600) })],
    ["no subject", 401, { sub: undefined as never }],
    ["an empty subject", 401, { sub: "" }],
    ["groups that are no list", 401, { groups: "admins" }],
  ])("[M20] %s: %i", async (_what, status, claims) => {
    expect(await opening(typeof claims === "function" ? claims() : claims)).toBe(status);
  });
  it("a key of somebody else, a shared secret and no signature are 401", async () => {
    expect(await opening({}, { key: foreign.privateKey })).toBe(401);
    const [head, body] = [{ alg: "none" }, JSON.parse(Buffer.from((await token()).split(".")[1] ?? "", "base64url").toString())];
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = `${part(head)}.${part(body)}.`;
    expect((await send(server.port, { body: hello(), headers: bearer(unsigned) })).status).toBe(401);
    const secret = new TextEncoder().encode(JSON.stringify(set.keys[0]));
    const shared = await new SignJWT(body).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret);
    const reply = await send(server.port, { body: hello(), headers: bearer(shared) });
    expect([reply.status, reply.headers["www-authenticate"]]).toEqual([
      401,
      `Bearer resource_metadata="${METADATA}", error="invalid_token"`,
    ]);
  });
});

describe("[gateway:http] [M18] a session belongs to the principal that opened it", () => {
  it.each<[string, JWTPayload]>([
    ["another subject", { sub: "mallory" }],
    ["another client of the same subject", { client_id: "other" }],
    ["no client id", { client_id: undefined }],
  ])("%s gets 404 for every verb, and it is logged", async (_what, claims) => {
    const session = await openSession(server.port, { elicitation: {} }, bearer(await token()));
    await session.call(1, "whoami");
    const theirs = bearer(await token(claims));
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "run_shell", arguments: { command: "true" } } };
    for (const body of [
      call,
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } },
      { ...call, method: "ping" },
    ]) {
      expect((await session.post(body, theirs)).status).toBe(404);
    }
    expect((await session.post({ jsonrpc: "2.0", id: "regate-x-0", result: {} }, theirs)).status).toBe(404);
    const stream = session.get(theirs);
    expect((await stream.head).status).toBe(404);
    expect((await session.delete(theirs)).status).toBe(404);
    await expect.poll(() => server.stderr()).toContain("used the session of another principal");
    const answer = await session.call(3, "run_shell", { command: "true" });
    expect(answer.result?.["_meta"]["regate/decision"].code).toBeUndefined();
  });
  it("a new token of the same principal goes on with it", async () => {
    const session = await openSession(server.port, {}, bearer(await token()));
    expect((await session.post({ jsonrpc: "2.0", id: 1, method: "ping" }, bearer(await token({ jti: "second" })))).status).toBe(200);
    expect((await session.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { authorization: undefined })).status).toBe(401);
  });
  it("a confirmed identity of 2026-07-28 is the principal's own", async () => {
    const code = async (claims: JWTPayload, name: string, args: object): Promise<unknown> => {
      const { headers, body } = modern("tools/call", { name, arguments: args });
      const reply = await send(server.port, { body, headers: { ...headers, ...bearer(await token(claims)) } });
      return reply.messages[0]?.result?.["_meta"]["regate/decision"].code;
    };
    await code({ sub: "first" }, "whoami", {});
    expect(await code({ sub: "first" }, "run_shell", { command: "true" })).toBeUndefined();
    expect(await code({ sub: "second" }, "run_shell", { command: "true" })).toBe("identity.unconfirmed");
  });
  it("policy and log see the user and the groups of the token, and no token", async () => {
    const text = await token({ sub: "grace", groups: ["navy", "compilers"] });
    const session = await openSession(server.port, {}, bearer(text));
    await session.call(1, "whoami");
    const folder = join(server.stateDir, "decisions");
    const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    const own = logs.find((log) => log.includes('"grace"')) ?? "";
    expect(JSON.parse(own.split("\n")[0] ?? "").input).toMatchObject({ user: "grace", groups: ["compilers", "navy"] });
    expect([...logs, server.stderr()].some((log) => log.includes(text.slice(-40)))).toBe(false);
  });
  it("a GET stream ends with the token that opened it", async () => {
    const session = await openSession(server.port, {}, bearer(await token()));
    const stream = session.get(bearer(await token({ exp: Math.floor(Date.now() / 1_000) + 1 })));
    expect((await stream.head).status).toBe(200);
    await stream.ended;
    expect((await session.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(200);
  });
});

describe("[gateway:http] settings of tokens", () => {
  it("a device login replaces no user whom a token authenticated", async () => {
    const words = flags(await inSet(), "--device-issuer", "http://127.0.0.1:1", "--device-client-id", "x");
    const supervised = await startHttp(words.map((word) => (word === "identity-gate" ? "agent-session" : word)));
    const session = await openSession(supervised.port, {}, bearer(await token()));
    const login = await session.call(1, "identity_device_login");
    expect(JSON.stringify(login.result)).toContain("device_login_failed: the user of this session was authenticated by its token");
    const status = await session.call(2, "identity_status");
    expect(status.result?.["structuredContent"]).toMatchObject({ user: "ada" });
  });

  it("a scope that is needed and lacks is 403", async () => {
    const scoped = await startHttp(flags(await inSet(), "--auth-scope", "mcp:use"));
    const reply = await send(scoped.port, { body: hello(), headers: bearer(await token({ scope: "mcp:user other" })) });
    expect([reply.status, reply.headers["www-authenticate"]]).toEqual([
      403,
      `Bearer resource_metadata="${METADATA}", error="insufficient_scope", scope="mcp:use"`,
    ]);
    expect((await send(scoped.port, { body: hello(), headers: bearer(await token({ scope: "other mcp:use" })) })).status).toBe(200);
  });
  it("keys by their address: fetched once, and 503 while they cannot be had", async () => {
    let asked = 0;
    let status = 500;
    const issuer = createServer((_request, response) => {
      asked += 1;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(set));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void issuer.close());
    await new Promise((resolve) => issuer.once("listening", resolve));
    const url = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`;
    const words = ["serve", "--bundle", "identity-gate", "--auth-issuer", ISSUER, "--auth-audience", AUDIENCE, "--auth-jwks-url", url];
    const own = await startHttp(words);
    const status1 = async (): Promise<number> => (await send(own.port, { body: hello(), headers: bearer(await token()) })).status;
    expect(await status1()).toBe(503);
    status = 200;
    expect([await status1(), await status1()]).toEqual([200, 200]);
    expect(asked).toBe(2);
  });
  it.each<[string, readonly string[], string]>([
    ["an issuer alone", ["--auth-issuer", ISSUER], "--auth-audience"],
    ["no issuer", ["--auth-audience", AUDIENCE], "--auth-issuer"],
    ["no keys", ["--auth-issuer", ISSUER, "--auth-audience", AUDIENCE], "--auth-jwks-file"],
    ["keys over http", ["--auth-jwks-url", "http://issuer.example/jwks"], "https"],
    [
      "a missing file",
      ["--auth-issuer", ISSUER, "--auth-audience", AUDIENCE, "--auth-jwks-file", "/nowhere/keys.json"],
      "/nowhere/keys.json",
    ],
  ])("%s: exit 2 with one line", (_what, words, says) => {
    const run = regate(["serve", "--listen", "0.0.0.0:0", ...words]);
    expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
    expect(run.lines[0]).toContain(says);
  });
  it("a key set with a private key is exit 2", async () => {
    const file = join(temporaryFolder(), "keys.json");
    writeFileSync(file, JSON.stringify({ keys: [await exportJWK(keys.privateKey)] }));
    const run = regate([
      "serve",
      "--listen",
      "127.0.0.1:0",
      "--auth-issuer",
      ISSUER,
      "--auth-audience",
      AUDIENCE,
      "--auth-jwks-file",
      file,
    ]);
    expect([run.status, run.lines.length]).toEqual([2, 1]);
    expect(run.lines[0]).toContain("public keys only");
  });
});

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { deviceLogin } from "../../src/govern/device-login.ts";
import type { DeviceLoginParts, LoginNotice } from "../../src/govern/device-login.ts";
import { MAX_ANSWER_BYTES, isAllowedUrl } from "../../src/govern/device-http.ts";

const root = mkdtempSync(join(tmpdir(), "regate-device-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close().closeAllConnections()));

const BEARER = "EXAMPLE.opaque-bearer_1234567890";
const SESSION = "mcp-1796055600000000001";
type Say = (response: ServerResponse, request: IncomingMessage) => void;

const json =
  (body: unknown, status = 200): Say =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(typeof body === "string" ? body : JSON.stringify(body));
  };
const oauthError = (error: string): Say => json({ error }, 400);
const page: Say = (response) => void response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
const token: Say = json({ access_token: BEARER, token_type: "Bearer", expires_in: 60 });

/** An authorization server that says what it is told, and keeps when it was asked. */
async function hostile(say: { device?: object; token?: Say[]; userinfo?: Say; discovery?: (base: string) => object } = {}) {
  const asked: { path: string; at: number }[] = [];
  const answers = [...(say.token ?? [token])];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    asked.push({ path, at: performance.now() });
    if (path === "/.well-known/openid-configuration") json(say.discovery?.(base) ?? discovery(base))(response, request);
    else if (path === "/device")
      json({ device_code: "d", user_code: "ABCD-EFGH", verification_uri: `${base}/go`, expires_in: 60, interval: 1, ...say.device })(
        response,
        request,
      );
    else if (path === "/token") (answers.length > 1 ? answers.shift() : answers[0])?.(response, request);
    else if (path === "/me") (say.userinfo ?? json({ sub: "u-1", preferred_username: "erik" }))(response, request);
    else json({}, 404)(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base, asked, tokenTimes: () => asked.filter(({ path }) => path === "/token").map(({ at }) => at) };
}

const discovery = (base: string) => ({
  issuer: base,
  device_authorization_endpoint: `${base}/device`,
  token_endpoint: `${base}/token`,
  userinfo_endpoint: `${base}/me`,
});

let states = 0;
function partsFor(issuer: string | undefined, more: Partial<DeviceLoginParts> = {}) {
  const stateDir = join(root, `state-${(states += 1)}`);
  mkdirSync(stateDir);
  const notices: LoginNotice[] = [];
  const users: string[] = [];
  const parts: DeviceLoginParts = {
    issuer: issuer === undefined ? undefined : { issuer, clientId: "regate", scope: "openid" },
    stateDir,
    sessionId: SESSION,
    show: (notice) => {
      notices.push(notice);
      return Promise.resolve(true);
    },
    identify: (user) => users.push(user),
    ...more,
  };
  return { parts, notices, users, stateDir, file: join(stateDir, "tokens", `${SESSION}.token`) };
}
const never = new AbortController().signal;
const failed = (why: RegExp | string) => expect.objectContaining({ code: "device_login_failed", message: expect.stringMatching(why) });

// They wait for a server's interval most of the time: all at once.
describe.concurrent("a device login", { timeout: 120_000 }, () => {
  it("puts the bearer into a file 0600, answers with its fingerprint and sets the user", async () => {
    const { base } = await hostile();
    const { parts, users, notices, file } = partsFor(base);
    const stored = await deviceLogin(parts, { duration: "1m", signal: never });
    expect(stored).toEqual({ token_file: file, fingerprint: createHash("sha256").update(BEARER).digest("hex") });
    expect(readFileSync(file, "utf8")).toBe(BEARER);
    expect([statSync(file).mode & 0o777, statSync(join(file, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(users).toEqual(["erik"]);
    expect(notices).toMatchObject([
      { url: `${base}/go`, message: `Log in for this session: open ${base}/go and enter the code ABCD-EFGH` },
    ]);
  });

  it.each(["0", "0s", "-1s", "25h", "24h1s", "abc", "", "10", "1.5m", " 10m", "1e3s"])(
    "dials nobody for the duration `%s`",
    async (duration) => {
      const { base, asked } = await hostile();
      for (const issuer of [base, undefined]) {
        const { parts, stateDir } = partsFor(issuer);
        await expect(deviceLogin(parts, { duration, signal: never })).rejects.toEqual(failed("the duration must be"));
        expect(statSync(join(stateDir, "tokens"), { throwIfNoEntry: false })).toBeUndefined();
      }
      expect(asked).toEqual([]);
    },
  );

  it("replaces no user whom a token authenticated, and dials nobody", async () => {
    const { base, asked } = await hostile();
    const { parts, users, notices } = partsFor(base, { isAuthenticated: true });
    await expect(deviceLogin(parts, { signal: never })).rejects.toEqual(failed("was authenticated by its token and cannot be replaced"));
    expect([asked, users, notices]).toEqual([[], [], []]);
    await expect(deviceLogin(parts, { duration: "0", signal: never })).rejects.toEqual(failed("the duration must be"));
  });

  it("fails without an issuer", async () => {
    await expect(deviceLogin(partsFor(undefined).parts, { signal: never })).rejects.toEqual(
      failed("no authorization server is configured"),
    );
  });

  it("slows down for good, outlasts a proxy's page, and an interval of 0 is no busy loop (G01)", async () => {
    const { base, tokenTimes } = await hostile({
      device: { interval: 0 },
      token: [oauthError("authorization_pending"), oauthError("slow_down"), page, oauthError("authorization_pending"), token],
    });
    await deviceLogin(partsFor(base).parts, { signal: never });
    const times = tokenTimes();
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(gaps).toHaveLength(4);
    expect(gaps[0]).toBeGreaterThanOrEqual(990);
    for (const gap of gaps.slice(1)) expect(gap).toBeGreaterThanOrEqual(5_990);
  });

  it.each([
    ["access_denied", "the login was refused"],
    ["expired_token", "the code expired"],
    ["invalid_grant", "the authorization server refused the login"],
  ])("ends with %s", async (error, why) => {
    const { base } = await hostile({ token: [oauthError(error)] });
    const { parts, file, users } = partsFor(base);
    await expect(deviceLogin(parts, { signal: never })).rejects.toEqual(failed(why));
    expect([statSync(file, { throwIfNoEntry: false }), users]).toEqual([undefined, []]);
  });

  it("outlasts an answer that breaks off (G01)", async () => {
    const broken: Say = (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"access_token"');
      setImmediate(() => response.destroy());
    };
    const { base } = await hostile({ token: [broken, token] });
    const { parts, users } = partsFor(base);
    await deviceLogin(parts, { signal: never });
    expect(users).toEqual(["erik"]);
  });

  it("takes the question away from the human when it is over, however it ended", async () => {
    for (const said of [token, oauthError("access_denied")]) {
      const { base } = await hostile({ token: [said] });
      let shown: AbortSignal | undefined;
      const { parts } = partsFor(base, {
        show: (_notice, signal) => {
          shown = signal;
          return new Promise(() => undefined);
        },
      });
      await deviceLogin(parts, { signal: never }).catch(() => undefined);
      expect(shown?.aborted).toBe(true);
    }
  });

  it("fails when the code can be shown to nobody", async () => {
    const { base } = await hostile({ token: [oauthError("authorization_pending")] });
    const { parts } = partsFor(base, { show: () => Promise.reject(new Error("no channel")) });
    await expect(deviceLogin(parts, { duration: "5s", signal: never })).rejects.toEqual(failed("the code could be shown to nobody"));
  });

  it("ends when its time, or the code's, is over", async () => {
    const { base } = await hostile({ token: [oauthError("authorization_pending")] });
    await expect(deviceLogin(partsFor(base).parts, { duration: "2s", signal: never })).rejects.toEqual(failed("nobody confirmed"));
    const short = await hostile({ device: { expires_in: 2 }, token: [oauthError("authorization_pending")] });
    await expect(deviceLogin(partsFor(short.base).parts, { signal: never })).rejects.toEqual(failed("nobody confirmed"));
  });

  it("stops asking when it is cancelled, and when the human declines", async () => {
    const { base, tokenTimes } = await hostile({ token: [oauthError("authorization_pending")] });
    const stop = new AbortController();
    const { parts, file } = partsFor(base, { show: () => Promise.resolve(true) });
    const login = deviceLogin(parts, { signal: stop.signal });
    const asked = async (): Promise<void> => {
      while (tokenTimes().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const cancelled = asked().then(() => stop.abort(new Error("cancelled by the test")));
    await expect(login).rejects.toThrow("cancelled by the test");
    await cancelled;
    const count = tokenTimes().length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(tokenTimes()).toHaveLength(count);
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
    const declining = partsFor(base, { show: () => Promise.resolve(false) });
    await expect(deviceLogin(declining.parts, { signal: never })).rejects.toEqual(failed("the human declined"));
  });

  it.each<[string, Parameters<typeof hostile>[0]]>([
    ["too large an answer", { userinfo: json(`"${"x".repeat(MAX_ANSWER_BYTES)}"`) }],
    ["a redirect", { userinfo: (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end() }],
    ["a name with a blank", { userinfo: json({ sub: "u", preferred_username: "erik\nroot" }) }],
    ["no name", { userinfo: json({}) }],
    ["a bearer with a line feed", { token: [json({ access_token: "a\nb", token_type: "Bearer" })] }],
    ["a token of another type", { token: [json({ access_token: "abc", token_type: "DPoP" })] }],
    ["a code that cannot be shown", { device: { user_code: "A\u202eB" } }],
    ["an address that is no address", { device: { verification_uri: "javascript:alert(1)" } }],
    ["another issuer", { discovery: (base) => ({ ...discovery(base), issuer: "https://other.example" }) }],
    [
      "an endpoint on another machine without TLS",
      { discovery: (base) => ({ ...discovery(base), token_endpoint: "http://192.0.2.1/token" }) },
    ],
  ])("fails at %s, and stores nothing", async (_what, say) => {
    const { base } = await hostile(say);
    const { parts, file, users } = partsFor(base);
    await expect(deviceLogin(parts, { signal: never })).rejects.toEqual(failed(/^device_login_failed: /));
    expect([statSync(file, { throwIfNoEntry: false }), users]).toEqual([undefined, []]);
  });

  it("refuses a link at the place of the token or of its folder, before it dials", async () => {
    const { base, asked } = await hostile();
    const { parts, stateDir, file } = partsFor(base);
    mkdirSync(join(stateDir, "tokens"));
    symlinkSync(join(root, "elsewhere"), file);
    await expect(deviceLogin(parts, { signal: never })).rejects.toEqual(failed("not a regular file"));
    const other = partsFor(base);
    symlinkSync(root, join(other.stateDir, "tokens"));
    await expect(deviceLogin(other.parts, { signal: never })).rejects.toEqual(failed("the folder of tokens"));
    expect([asked, statSync(join(root, "elsewhere"), { throwIfNoEntry: false })]).toEqual([[], undefined]);
  });

  it("fails when nobody listens", async () => {
    await expect(deviceLogin(partsFor("http://127.0.0.1:1").parts, { signal: never })).rejects.toEqual(failed("no usable answer"));
  });
});

it("talks https, and http to this machine alone", () => {
  for (const url of ["https://id.example/x", "http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost/"])
    expect(isAllowedUrl(url)).toBe(true);
  for (const url of [
    "http://id.example/",
    "http://127.0.0.1.example/",
    "http://127.0.0.2/",
    "file:///etc/passwd",
    "https://u:p@id.example/",
    "x",
    1,
    undefined,
  ])
    expect(isAllowedUrl(url)).toBe(false);
});

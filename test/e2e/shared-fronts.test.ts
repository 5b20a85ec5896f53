import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clientOf, haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer, TestClient } from "../delegate/redis-kit.ts";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";
import { modern, open, openSession, send, startHttp, type HttpServer, type WireMessage } from "./http-kit.ts";
import { startRaw } from "./raw-server.ts";
import { regate } from "./run.ts";

const ISSUER = "https://issuer.example";
const AUDIENCE = "https://gate.example/mcp";
/** Seven calls a minute; of run_shell one at a time. */
const LIMITED = `package gate

decision := {"allow": allowed, "reasons": set(), "effect": "none", "confirm": "none"}

default allowed := false

allowed if {
	input.command == "list_sessions"
	input.usage.calls_last_minute < 7
}

allowed if {
	input.command == "run_shell"
	input.usage.running < 1
}
`;

describe.skipIf(!haveRedis)("two fronts that share state, as processes, as the user of deploy/state.users", () => {
  const ends: (() => Promise<void>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "regate-fronts-"));
  let server: RedisServer;
  let tester: TestClient;
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let state: string;
  let identity: readonly [HttpServer, HttpServer];
  let limited: readonly [HttpServer, HttpServer];

  async function front(bundle: string, ...more: string[]): Promise<HttpServer> {
    const tokens = ["--auth-issuer", ISSUER, "--auth-audience", AUDIENCE, "--auth-jwks-file", join(folder, "keys.json")];
    // On a busy machine too every evaluation ends in time.
    const patient = ["--policy-deadline-ms", "60000"];
    return await startHttp(["serve", "--bundle", bundle, ...patient, ...tokens, "--shared-state", state, ...more], (end) => ends.push(end));
  }

  beforeAll(async () => {
    const users = `${readFileSync("deploy/regate.acl", "utf8")}${readFileSync("deploy/state.users", "utf8")}user tester on >tester ~* &* +@all\n`;
    writeFileSync(join(folder, "users.acl"), users);
    server = await startRedis({ aclFile: join(folder, "users.acl"), appendOnly: true });
    state = server.url("state", "change-me-state");
    tester = await clientOf(server.url("tester", "tester"));
    keys = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256", use: "sig" };
    writeFileSync(join(folder, "keys.json"), JSON.stringify({ keys: [jwk] }));
    writeFileSync(join(folder, "limited.tar.gz"), await buildBundle({ rego: LIMITED }));
    const bundle = join(folder, "limited.tar.gz");
    identity = [await front("identity-gate"), await front("identity-gate")];
    limited = [await front(bundle), await front(bundle)];
  });
  afterAll(async () => {
    for (const end of ends) await end();
    tester.destroy();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
    await closeBuilds();
  });
  beforeEach(async () => void (await tester.flushAll()));

  async function token(sub: string): Promise<{ authorization: string }> {
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: ISSUER, aud: AUDIENCE, sub, client_id: "desk", iat: now, exp: now + 600 };
    const signed = await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "one" }).sign(keys.privateKey);
    return { authorization: `Bearer ${signed}` };
  }

  /** Calls a tool statelessly and gives `ok`, or the code of the refusal. */
  async function call(at: HttpServer, sub: string, name: string, args: object = {}): Promise<string> {
    const request = modern("tools/call", { name, arguments: args });
    const reply = await send(at.port, { ...request, headers: { ...request.headers, ...(await token(sub)) } });
    return codeOf(reply.messages.find(({ id }) => id === 1));
  }

  const codeOf = (message: WireMessage | undefined): string =>
    message?.result?.["isError"] === true
      ? (message.result["_meta"]?.["regate/decision"]?.code ?? "error")
      : message?.result === undefined
        ? "no result"
        : "ok";

  const ECHO = { command: "echo hi" };

  it("what a principal confirms on one counts on the other, for that principal alone; a switch there arms both", async () => {
    const [a, b] = identity;
    expect(await call(b, "ada", "run_shell", ECHO)).toBe("identity.unconfirmed");
    expect(await call(a, "ada", "whoami")).toBe("ok");
    expect(await call(b, "ada", "run_shell", ECHO)).toBe("ok");
    expect(await call(b, "bob", "run_shell", ECHO)).toBe("identity.unconfirmed");
    expect(await call(b, "ada", "config_switch", { label: "nobody" })).toBe("call.failed");
    expect(await call(a, "ada", "run_shell", ECHO)).toBe("identity.unconfirmed");
  });

  it("a session with an id is its own: it takes no confirmation and gives none", async () => {
    const [a, b] = identity;
    const session = await openSession(a.port, {}, await token("ada"));
    expect(codeOf(await session.call(2, "whoami"))).toBe("ok");
    expect(codeOf(await session.call(3, "run_shell", ECHO))).toBe("ok");
    expect(await call(a, "ada", "run_shell", ECHO)).toBe("identity.unconfirmed");
    expect(await call(b, "ada", "run_shell", ECHO)).toBe("identity.unconfirmed");
    await call(a, "ada", "whoami");
    expect(codeOf(await (await openSession(a.port, {}, await token("ada"))).call(2, "run_shell", ECHO))).toBe("identity.unconfirmed");
  });

  it("a limit of seven calls a minute lets seven of forty through that come at once on both", async () => {
    const codes = await Promise.all(
      Array.from({ length: 40 }, (_each, index) => call(limited[index % 2 === 0 ? 0 : 1], "ada", "list_sessions")),
    );
    expect(codes.filter((code) => code === "ok")).toHaveLength(7);
    expect(codes.filter((code) => code === "policy.denied")).toHaveLength(33);
    expect(await call(limited[1], "bob", "list_sessions")).toBe("ok");
  });

  it("what runs on a front that is killed runs no longer when its lease is over", async () => {
    const killed = await front(join(folder, "limited.tar.gz"));
    const other = limited[0];
    const request = modern("tools/call", { name: "run_shell", arguments: { command: "sleep 60" } });
    const waiting = open(killed.port, { ...request, headers: { ...request.headers, ...(await token("ada")) } });
    waiting.ended.catch(() => undefined);
    const running = async (): Promise<string> => (await tester.keys("*:running"))[0] ?? "";
    await expect.poll(running).not.toBe("");
    expect(await call(other, "ada", "run_shell", ECHO)).toBe("policy.denied");
    killed.child.kill("SIGKILL");
    expect(await call(other, "ada", "run_shell", ECHO)).toBe("policy.denied");
    const name = await running();
    const [lease] = await tester.zRangeWithScores(name, 0, -1);
    const [seconds] = await tester.sendCommand<string[]>(["TIME"]);
    expect((lease?.score ?? 0) - Number(seconds) * 1_000).toBeLessThanOrEqual(31_000);
    await tester.zAdd(name, { value: lease?.value ?? "", score: Number(seconds) * 1_000 - 1 });
    expect(await call(other, "ada", "run_shell", ECHO)).toBe("ok");
  });

  it("without Redis nothing runs on either, on record; with it both go on", async () => {
    const [a, b] = identity;
    await call(a, "ada", "whoami");
    await server.kill();
    expect([await call(a, "ada", "run_shell", ECHO), await call(b, "ada", "whoami")]).toEqual(["store.unavailable", "store.unavailable"]);
    await server.start();
    expect(await call(b, "ada", "run_shell", ECHO)).toBe("ok");
    expect(a.stderr()).not.toContain("change-me-state");
    tester.destroy();
    tester = await clientOf(server.url("tester", "tester"));
  });

  it("values that nobody wrote are refused, not guessed", async () => {
    const [a] = identity;
    await call(a, "ada", "whoami");
    const name = (await tester.keys("sg:state:identity:*")).find((each) => !each.endsWith(":switching")) ?? "";
    await tester.hSet(name, "confirmed", "yes");
    expect(await call(a, "ada", "run_shell", ECHO)).toBe("store.unavailable");
    await tester.hSet(name, "confirmed", "0");
    expect(await call(a, "ada", "run_shell", ECHO)).toBe("identity.unconfirmed");
  });

  it("servers over stdio are one session if they have a name in common", async () => {
    const start = (name?: string) => {
      const words = name === undefined ? [] : ["--shared-session", name];
      return startRaw("--bundle", "identity-gate", "--shared-state", state, ...words);
    };
    const ask = async (raw: ReturnType<typeof startRaw>, name: string, args: object = {}): Promise<string> => {
      const request = modern("tools/call", { name, arguments: args });
      return codeOf(await raw.ask(request.body as { id: number }));
    };
    const [a, b, c] = [start("desk"), start("desk"), start()];
    expect(await ask(a, "whoami")).toBe("ok");
    expect([await ask(b, "run_shell", ECHO), await ask(c, "run_shell", ECHO)]).toEqual(["ok", "identity.unconfirmed"]);
  });

  it("a front whose Redis says nothing ends all the same, before it would give Redis up, over HTTP and over stdio", async () => {
    const silent = createServer((socket) => void socket.on("error", () => undefined));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `redis://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const http = await startHttp(["serve", "--bundle", "agent-session", "--shared-state", url], (end) => ends.push(end));
    const request = modern("tools/call", { name: "list_sessions", arguments: {} });
    const waiting = [1, 2, 3].map(() => open(http.port, request));
    await new Promise((resolve) => setTimeout(resolve, 300));
    // One that were not over in time would end itself with another code.
    expect((await http.stop()).code).toBe(0);
    for (const each of waiting) each.head.catch(() => undefined);
    const stdio = startRaw("--bundle", "agent-session", "--shared-state", url);
    await stdio.ask({ jsonrpc: "2.0", id: "up", method: "ping" });
    await stdio.write(`${JSON.stringify(request.body)}\n`);
    expect((await stdio.finish()).code).toBe(0);
    const [, answer] = await stdio.lines(2);
    expect(codeOf(answer as WireMessage), "the end came before the store was given up").toBe("gate.closed");
    silent.close();
  });

  it("a server does not start on what cannot be, and says so without the password", () => {
    const wrong = regate(["serve", "--shared-state", "state:secret@10.0.0.6"]);
    expect([wrong.status, wrong.lines.length, wrong.stderr.includes("secret")]).toEqual([2, 1, false]);
    const lonely = regate(["serve", "--shared-session", "desk"]);
    expect([lonely.status, lonely.lines]).toEqual([2, ["regate: `--shared-session` needs `--shared-state`"]]);
  });

  it("the user may do these steps under these names, and nothing else; neither producer nor worker may touch them", async () => {
    expect(readFileSync("docs/scale.md", "utf8")).toContain(readFileSync("deploy/state.users", "utf8").trim());
    const user = await clientOf(state);
    const ask = async (...words: string[]): Promise<string> =>
      await user.sendCommand(words).then(
        () => "done",
        (error: unknown) => String(error).split(" ")[1] ?? "",
      );
    expect(await ask("EVAL", "return redis.call('HSET', KEYS[1], 'a', '1')", "1", "sg:state:identity:t")).toBe("done");
    for (const words of [
      ["HSET", "sg:tools:session:t", "a", "1"],
      ["EVAL", "return redis.call('GET', KEYS[1])", "1", "sg:tools:session:t"],
      ["RENAME", "sg:state:identity:t", "sg:state:identity:u"],
      ["PERSIST", "sg:state:identity:t"],
      ["GET", "sg:tools:session:t"],
      ["KEYS", "*"],
      ["FLUSHALL"],
      ["CONFIG", "GET", "*"],
      ["XADD", "sg:stream:tools", "*", "data", "{}"],
    ])
      expect([words[0], await ask(...words)]).toEqual([words[0], words[0] === "EVAL" ? expect.any(String) : "NOPERM"]);
    expect(await tester.exists("sg:tools:session:t")).toBe(0);
    for (const other of ["producer", "worker"]) {
      const client = await clientOf(server.url(other, `change-me-${other}`));
      await expect(client.sendCommand(["HSET", "sg:state:identity:t", "confirmed", "1"])).rejects.toThrow("NOPERM");
      const script = "return redis.call('HSET', KEYS[1], 'confirmed', '1')";
      await expect(client.sendCommand(["EVAL", script, "1", "sg:state:identity:t"])).rejects.toThrow(/NOPERM|can't access/);
      client.destroy();
    }
    user.destroy();
  });
});

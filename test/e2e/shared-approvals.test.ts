import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer } from "../delegate/redis-kit.ts";
import { closeBuilds } from "../policy/support/build.ts";
import { startAdmin } from "./admin-kit.ts";
import { askBundle, idIn, regateBeside } from "./approval-kit.ts";
import { connect, temporaryFolder } from "./client.ts";
import type { Session } from "./client.ts";
import { modern, send, startHttp } from "./http-kit.ts";
import type { HttpServer } from "./http-kit.ts";
import { regate, type Ended } from "./run.ts";

/** On a busy machine too every evaluation ends in time. */
const PATIENT = ["--policy-deadline-ms", "60000"];
/** Leaves a mark that says how often it has run. */
const MARKED = { command: "echo ran >> marks.txt # ask" };

/** Several fronts, each with a state directory of its own, a folder that they share, and two operators elsewhere. */
async function openTeam(server: RedisServer) {
  const [workdir, elsewhere] = [temporaryFolder("regate-work-"), temporaryFolder()];
  const operator = { stateDir: join(elsewhere, "state"), keysDir: join(elsewhere, "keys") };
  const places = ["--state-dir", operator.stateDir, "--keys-dir", operator.keysDir];
  for (const name of ["anna", "otto"]) regate(["keys", "create", name, "--owner", `${name}@example.org`, ...places]);
  const url = server.url();
  const prefix = ["--redis-prefix", `t${Math.random().toString(36).slice(2)}`];
  const fronts = ["--bundle", await askBundle(), "--workdir", workdir, "--agent-id", "coder", "--sandbox", "none", ...PATIENT, ...prefix];
  return {
    workdir,
    operator,
    prefix,
    url,
    fronts,
    /** A state directory that knows the public keys, as an operator copies or mounts them. */
    stateDir() {
      const stateDir = join(temporaryFolder("regate-state-"), "state");
      mkdirSync(stateDir, { mode: 0o700 });
      cpSync(join(operator.stateDir, "keys"), join(stateDir, "keys"), { recursive: true });
      return stateDir;
    },
    front(...flags: string[]): Promise<Session> {
      const own = ["--state-dir", this.stateDir(), "--shared-state", url, "--shared-session", "team"];
      return connect([...fronts, ...own, ...flags]);
    },
    decide: (words: readonly string[]): Ended => regate(["approvals", ...words, ...places, "--shared-state", url, ...prefix]),
    beside: (words: readonly string[]) => regateBeside(["approvals", ...words, ...places, "--shared-state", url, ...prefix]),
    state(id: string): string {
      return (JSON.parse(this.decide(["show", id, "--json"]).stdout) as { state: string }).state;
    },
    marks: () => (existsSync(join(workdir, "marks.txt")) ? readFileSync(join(workdir, "marks.txt"), "utf8").split("\n").length - 1 : 0),
  };
}

// Each test runs many processes, one after the other.
describe.skipIf(!haveRedis)("approvals of several fronts", { timeout: 180_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server.stop();
    await closeBuilds();
  });

  it("a request that one front filed is shown whole and approved in a shell elsewhere, and its call runs once on another front", async () => {
    const team = await openTeam(server);
    const [a, b] = [await team.front(), await team.front()];
    const first = await a.call("run_shell", MARKED);
    expect(first.code).toBe("approval.pending");
    const id = idIn(first);
    expect(idIn(await b.call("run_shell", MARKED))).toBe(id);
    expect(team.decide(["list"]).stdout).toContain(`${id}  pending  run_shell`);
    const shown = team.decide(["show", id]).stdout;
    expect(shown).toContain("  | echo ran >> marks.txt # ask\n");
    expect(shown).toMatch(/^session: shared-[A-Za-z0-9_-]{43}$/m);
    expect(team.decide(["approve", id, "--key", "anna"]).stdout).toMatch(new RegExp(`\nrequest ${id} is approved\n$`));
    expect((await b.call("run_shell", MARKED)).structured).toMatchObject({ exit_code: 0 });
    expect([team.marks(), team.state(id)]).toEqual([1, "done"]);
    expect(await a.call("run_shell", MARKED)).toMatchObject({ code: "approval.used" });
    const next = await a.call("run_shell", MARKED);
    expect([next.code, idIn(next) === id]).toEqual(["approval.pending", false]);
    expect(team.marks()).toBe(1);
    expect(b.events().find(({ input }) => input?.approval !== undefined)?.["input"].approval).toMatchObject({
      approvers: ["anna@example.org"],
    });
    expect(existsSync(join(a.stateDir, "approvals", "pending")), "nothing is filed in a state directory").toBe(false);
    expect(team.decide(["deny", idIn(next), "--key", "otto", "--reason", "enough"]).status).toBe(0);
    expect(await b.call("run_shell", MARKED)).toMatchObject({ code: "approval.denied" });
  });

  it("parallel retries over the fronts run it exactly once", async () => {
    const team = await openTeam(server);
    const fronts = [await team.front(), await team.front()];
    for (let round = 1; round <= 3; round += 1) {
      const call = { command: `echo ran >> marks.txt # ask ${round}` };
      const id = idIn(await fronts[round % 2]!.call("run_shell", call));
      team.decide(["approve", id, "--key", "anna"]);
      const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => fronts[at % 2]!.call("run_shell", call)));
      expect(answers.filter(({ structured }) => structured?.["exit_code"] === 0)).toHaveLength(1);
      expect(answers.filter(({ isError }) => isError).map(({ code }) => code)).toEqual(
        expect.not.arrayContaining(["gate.internal", "approval.unavailable", "store.unavailable"]),
      );
      expect([team.marks(), team.state(id)]).toEqual([round, "done"]);
    }
  });

  it("is decided over the admin API, which sees the requests of all fronts and tells of them", async () => {
    const team = await openTeam(server);
    const flags = ["--shared-state", team.url, ...team.prefix];
    const admin = await startAdmin(team.operator.stateDir, flags, { keysDir: team.operator.keysDir });
    const api = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${admin.token}`, "content-type": "application/json" };
      const answer = await fetch(
        admin.url + path,
        body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) },
      );
      return { status: answer.status, json: await answer.json() };
    };
    await expect.poll(() => admin.stderr()).toContain("approvals shared by fronts");
    expect(admin.stderr()).not.toContain(team.url);
    const front = await team.front("--approval-wait", "30");
    const answer = front.call("run_shell", MARKED);
    let list: any[] = [];
    await expect.poll(async () => (list = (await api("/v1/approvals?state=pending")).json.approvals).length).toBe(1);
    const [{ id, shown }] = list;
    expect((await api(`/v1/approvals/${id}/approve`, { reason: "", shown: "0".repeat(64) })).status).toBe(409);
    expect((await api(`/v1/approvals/${id}/approve`, { reason: "", shown: shown.digest })).json).toMatchObject({ state: "approved" });
    expect((await answer).structured).toMatchObject({ exit_code: 0 });
    expect((await api(`/v1/approvals/${id}`)).json).toMatchObject({ state: "done", votes: [{ owner: "anna@example.org" }] });
    expect(await admin.end()).toBe(0);
  });

  it("is that of the principal over HTTP, whatever front the balancer takes", async () => {
    const team = await openTeam(server);
    const start = async (): Promise<HttpServer> => {
      const http = await startHttp(["serve", ...team.fronts, "--shared-state", team.url]);
      cpSync(join(team.operator.stateDir, "keys"), join(http.stateDir, "keys"), { recursive: true });
      return http;
    };
    const [a, b] = [await start(), await start()];
    const call = async ({ port }: HttpServer) => {
      const reply = await send(port, modern("tools/call", { name: "run_shell", arguments: MARKED }));
      const result = reply.messages.at(-1)?.result ?? {};
      return { result, meta: result["_meta"] as Record<string, unknown> };
    };
    const id = idIn(await call(a));
    expect(idIn(await call(b))).toBe(id);
    team.decide(["approve", id, "--key", "anna"]);
    const answers = await Promise.all([a, b, a, b].map(call));
    expect(answers.filter(({ result }) => result["structuredContent"]?.exit_code === 0)).toHaveLength(1);
    expect([team.marks(), team.state(id)]).toEqual([1, "done"]);
  });

  it("a front that is killed while its call runs leaves it indeterminate, and it never runs again", async () => {
    const team = await openTeam(server);
    const [a, b] = [await team.front(), await team.front()];
    const call = { command: "echo ran >> marks.txt; sleep 60 # ask" };
    const id = idIn(await a.call("run_shell", call));
    team.decide(["approve", id, "--key", "anna"]);
    const lost = a.call("run_shell", call).catch(() => undefined);
    await expect.poll(() => team.marks()).toBe(1);
    process.kill(a.pid, "SIGKILL");
    await lost;
    expect(team.state(id)).toBe("executing");
    expect(await b.call("run_shell", call)).toMatchObject({ code: "approval.used" });
    await expect.poll(() => team.state(id), { timeout: 90_000, interval: 1_000 }).toBe("indeterminate");
    expect(await b.call("run_shell", call)).toMatchObject({ code: "approval.indeterminate" });
    expect(await b.call("run_shell", call)).toMatchObject({ code: "approval.pending" });
    expect(team.marks()).toBe(1);
  });

  it("without Redis nothing runs and nothing is lost", async () => {
    const own = await startRedis({ appendOnly: true });
    onTestFinished(() => own.stop());
    const team = await openTeam(own);
    const front = await team.front();
    const id = idIn(await front.call("run_shell", MARKED));
    team.decide(["approve", id, "--key", "anna"]);
    await own.kill();
    const refused = await front.call("run_shell", MARKED);
    expect(refused).toMatchObject({ code: "store.unavailable", isError: true });
    expect(refused.meta["regate/decision"]).toMatchObject({ retryable: true });
    const ended = await team.beside(["list"]);
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/^regate: the shared store of approvals cannot be used: [^\n]*\n$/),
    ]);
    expect(ended.stderr).not.toContain(String(own.port));
    await own.start();
    expect((await front.call("run_shell", MARKED)).structured).toMatchObject({ exit_code: 0 });
    expect([team.marks(), team.state(id)]).toEqual([1, "done"]);
    expect(front.events().some((event) => event["custom"]?.regate?.code === "store.unavailable")).toBe(true);
  });

  it("is never decided by the agent or what it starts, whatever state directory and key it names", async () => {
    const team = await openTeam(server);
    const front = await team.front();
    const id = idIn(await front.call("run_shell", MARKED));
    const { stateDir, keysDir } = team.operator;
    const words = ["--key", "anna", "--state-dir", stateDir, "--keys-dir", keysDir, "--shared-state", team.url, ...team.prefix];
    const command = `${process.execPath} ${join(process.cwd(), "bin/regate.js")} approvals approve ${id} ${words.join(" ")}`;
    const tried = (await front.call("run_shell", { command })).structured;
    expect(tried).toMatchObject({ exit_code: 1, stderr: expect.stringContaining("an agent's process and what it starts decide nothing") });
    expect(team.state(id)).toBe("pending");
  });

  it("a key that a front does not have counts there for nothing, which stderr says", async () => {
    const team = await openTeam(server);
    const front = await team.front();
    const places = ["--state-dir", team.operator.stateDir, "--keys-dir", team.operator.keysDir];
    regate(["keys", "create", "late", "--owner", "late@example.org", ...places]);
    const id = idIn(await front.call("run_shell", MARKED));
    team.decide(["approve", id, "--key", "late"]);
    expect(await front.call("run_shell", MARKED)).toMatchObject({ code: "approval.unavailable" });
    await expect.poll(() => front.stderr()).toContain("key `late` is not on record");
    cpSync(join(team.operator.stateDir, "keys", "late.json"), join(front.stateDir, "keys", "late.json"));
    expect((await front.call("run_shell", MARKED)).structured).toMatchObject({ exit_code: 0 });
  });

  it.each([
    [["list", "--shared-state", "http://user:EXAMPLE-SECRET@host"], "`--shared-state` must be a URL such as"],
    [["list", "--shared-state", ""], "--shared-state"],
  ])("%j is a mistake that exit code 2 and one line tell, without the value", (words, text) => {
    const ended = regate(["approvals", ...words, "--state-dir", temporaryFolder()]);
    expect(ended).toMatchObject({ status: 2, lines: [expect.stringContaining(text)] });
    expect(ended.stderr).not.toContain("EXAMPLE-SECRET");
  });

  it("a session that nobody shares is asked for by itself", async () => {
    const team = await openTeam(server);
    const alone = (): Promise<Session> => connect([...team.fronts, "--state-dir", team.stateDir(), "--shared-state", team.url]);
    const [a, b] = [await alone(), await alone()];
    expect(idIn(await a.call("run_shell", MARKED))).not.toBe(idIn(await b.call("run_shell", MARKED)));
  });
});

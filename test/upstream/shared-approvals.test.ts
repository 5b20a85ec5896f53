import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { haveRedis, startRedis } from "../delegate/redis-kit.ts";
import type { RedisServer } from "../delegate/redis-kit.ts";
import { regate } from "../e2e/run.ts";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";
import { codeOf, fixtureEntry, folder, startGateway } from "./gateway-kit.ts";

/** Wants an approval of one tool of an upstream server; lets all else pass. */
const REGO = `package gate

passes := {"allow": allowed, "reasons": set(), "effect": "none", "confirm": "none"}

default allowed := false

allowed if input.time != ""

decision := object.union(passes, asked)

default asked := {}

asked := {"approval": {}} if input.command == "say"

message := passes
`;

describe.skipIf(!haveRedis)("gateways that share approvals", () => {
  let server: RedisServer;
  let archive: Uint8Array;
  beforeAll(async () => {
    server = await startRedis();
    archive = await buildBundle({ rego: REGO, entrypoints: ["gate/decision", "gate/message"] });
  }, 180_000);
  afterAll(async () => {
    await server.stop();
    await closeBuilds();
  });

  it("a call to an upstream server that one asks for runs once, on the other, wherever each of them runs", async () => {
    const bundle = join(folder(), "ask.tar.gz");
    writeFileSync(bundle, archive);
    const [operator, log] = [folder(), join(folder(), "upstream.log")];
    const places = ["--state-dir", join(operator, "state"), "--keys-dir", join(operator, "keys")];
    regate(["keys", "create", "anna", "--owner", "anna@example.org", ...places]);
    const shared = ["--shared-state", server.url(), "--redis-prefix", "proxies"];
    const start = async () => {
      const stateDir = folder();
      mkdirSync(join(stateDir, "state"), { mode: 0o700 });
      cpSync(join(operator, "state", "keys"), join(stateDir, "state", "keys"), { recursive: true });
      const flags = [...shared, "--shared-session", "desk", "--agent-id", "coder", "--sandbox", "none"];
      const env = { REGATE_WORKDIR: folder() };
      const gateway = startGateway({ bundle, stateDir, servers: { up: fixtureEntry(log) }, flags, env });
      await gateway.hello();
      return gateway;
    };
    const [a, b] = [await start(), await start()];
    const first = await a.call("say", { s: "hello" });
    expect(codeOf(first)).toBe("approval.pending");
    expect(codeOf(await b.call("say", { s: "hello" }))).toBe("approval.pending");
    const { stdout } = regate(["approvals", "list", "--json", ...places, ...shared]);
    const [{ id, workdir, shown }] = JSON.parse(stdout) as [{ id: string; workdir: string; shown: { text: string } }];
    expect(JSON.parse(stdout)).toHaveLength(1);
    expect([workdir, shown.text]).toEqual(["", expect.stringContaining("\n  | up (sha256:")]);
    expect(regate(["approvals", "approve", id, "--key", "anna", ...places, ...shared]).status).toBe(0);
    const answers = await Promise.all([a, b, a, b].map((gateway) => gateway.call("say", { s: "hello" })));
    expect(answers.map(codeOf).filter((code) => code === "ok")).toHaveLength(1);
    const got = readFileSync(log, "utf8").split("\n");
    expect(got.filter((line) => line.includes('"tools/call"'))).toHaveLength(1);
  });
});

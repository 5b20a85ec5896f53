import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { createGate } from "../../dist/index.js";
import { buildBundle, closeBuilds, repack, unpack } from "../policy/support/build.ts";
import { eventsIn, temporaryFolder } from "./client.ts";
import { startRaw } from "./raw-server.ts";
import { regate } from "./run.ts";

afterAll(closeBuilds);

/** A copy of the policies and bundles, with further files. */
function treeWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder("regate-tree-");
  for (const part of ["policy", "bundles"]) cpSync(part, join(folder, part), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function checked(rule: string, test = "package gate.rules.probe_test\n"): string {
  const cwd = treeWith({ "policy/gate/rules/probe/probe.rego": rule, "policy/gate/rules/probe/probe_test.rego": test });
  const run = regate(["policy", "check", "--strict", "policy", "bundles"], { cwd });
  expect([run.status, run.stdout]).toEqual([1, ""]);
  return run.stderr;
}

function decided(bundle: string, inputs: readonly unknown[]): boolean[] {
  const run = regate(["decide", "--stream", "--bundle", bundle], { input: inputs.map((input) => `${JSON.stringify(input)}\n`).join("") });
  expect([run.status, run.stderr]).toEqual([0, ""]);
  return run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { allow: boolean }).allow);
}

function archive(bytes: Uint8Array): string {
  const file = join(temporaryFolder(), "bundle.tar.gz");
  writeFileSync(file, bytes);
  return file;
}

const HEAD = `# METADATA
# title: Probe
# description: A rule of a test.
# custom:
#   seed: "003"
package gate.rules.probe
`;
const DECISION = `package gate

decision := {"allow": count(deny) == 0, "reasons": [], "effect": "none", "confirm": "none"}
`;

describe("bundles", () => {
  it("the same sources give the same files elsewhere, and they are the ones that ship (W11)", { timeout: 120_000 }, () => {
    const cwd = treeWith();
    const run = regate(["policy", "build", "default"], { cwd });
    expect([run.status, run.stderr]).toEqual([0, ""]);
    for (const file of ["policy.wasm", "data.json", "manifest.json"]) {
      expect(readFileSync(join(cwd, "wasm/default", file))).toEqual(readFileSync(join("wasm/default", file)));
    }
  });

  it("a signed bundle is refused while no key can be configured, not taken unverified (L05)", async () => {
    const built = await buildBundle({ rego: `${DECISION}\ndeny contains "x" if not input.ok\n` });
    expect(regate(["decide", "--bundle", archive(built)], { input: '{"ok":true}' })).toMatchObject({ status: 0, lines: [] });
    const signed = archive(repack(new Map<string, Uint8Array | string>([...unpack(built), ["/.signatures.json", '{"signatures":["x"]}']])));
    for (const words of [["decide"], ["serve", "--state-dir", temporaryFolder()]]) {
      const run = regate([...words, "--bundle", signed]);
      expect([run.status, run.stdout, run.lines.length]).toEqual([2, "", 1]);
      expect(run.stderr).toContain("bundle is signed, and no verification key is configured");
    }
  });
});

describe("rules", () => {
  it("a negated call over what may be undefined is refused by the check (R01)", { timeout: 180_000 }, () => {
    const rule = `${HEAD}
is_admin(user) if user == "root"

deny contains "no admin" if not is_admin(input.user.name)
`;
    expect(checked(rule)).toMatch(/probe\.rego:\d+:\d+: house\.negation: /);
  });

  it("with the import that makes it true, the empty input is denied (R01)", async () => {
    const rego = `package gate

import future.keywords.not

is_admin(user) if user == "root"

deny contains "no admin" if not is_admin(input.user.name)

${DECISION.slice("package gate\n".length)}`;
    const bundle = archive(await buildBundle({ rego }));
    expect(decided(bundle, [{}, { user: {} }, { user: { name: "x" } }, { user: { name: "root" } }])).toEqual([false, false, false, true]);
  });

  it("a test that names a set alone is refused by the check (R02)", { timeout: 180_000 }, () => {
    const text = `package gate.rules.probe_test

import data.gate.rules.probe

test_denies_bad if probe.deny with input as {"bad": false}
`;
    expect(checked(`${HEAD}\ndeny contains "bad" if input.bad\n`, text)).toMatch(/probe_test\.rego:\d+:\d+: house\.bare-set: /);
  });

  it("profiles that are absent or null on both sides confirm nothing (R05)", () => {
    const call = (session: object | undefined, profile: object | undefined) => ({
      command: "config_profile_edit",
      agent: { risk: "mutable", dry_run: false },
      tool: { command_key: "config.profile.edit", known: true, read_only: false },
      ...(session && { session }),
      ...(profile && { profile }),
    });
    const refused = [
      call(undefined, undefined),
      call({}, {}),
      call({ confirmed_profile: null }, { active: null }),
      call({ confirmed_profile: null, identity_confirmed: false }, { active: null }),
      call({ confirmed_profile: null }, { active: "a" }),
      call({ confirmed_profile: "a" }, { active: "a" }),
    ];
    expect(decided("identity-gate", refused)).toEqual(refused.map(() => false));
    expect(decided("identity-gate", [call({ identity_confirmed: true, confirmed_profile: null }, { active: null })])).toEqual([true]);
  });

  it("a limit is not passed by another JSON type, with `lib.values.num` (R10)", async () => {
    const rego = `package gate

import data.lib.values

within if values.num(input.arguments.amount) <= 500

deny contains "big" if not within

${DECISION.slice("package gate\n".length)}`;
    const bundle = archive(await buildBundle({ rego, more: readFileSync("policy/lib/values/values.rego", "utf8") }));
    const amounts = [null, true, "1", ["9999"], {}, 501, 500, -1];
    expect(decided(bundle, [{}, ...amounts.map((amount) => ({ arguments: { amount } }))])).toEqual([
      false,
      ...amounts.map((amount) => amount === 500 || amount === -1),
    ]);
  });

  it("an argument of another JSON type never reaches the handler (R10)", async () => {
    const server = startRaw("--bundle", "agent-session");
    for (const [id, limit] of [null, true, "1", ["9999"], {}].entries()) {
      const params = { name: "audit_log", arguments: { limit } };
      expect(await server.ask({ jsonrpc: "2.0", id, method: "tools/call", params })).toMatchObject({
        result: { isError: true, _meta: { "regate/decision": { code: "call.arguments_invalid" } } },
      });
    }
  });

  it("a look ahead and the call itself build one input and give one answer (R08)", async () => {
    const stateDir = temporaryFolder();
    const gate = await createGate({ bundle: "default", stateDir, context: { ticket: "T1" } });
    const call = { tool: "run_shell", arguments: { command: "kubectl delete ns 'a b'" } };
    const ahead = gate.decide(call);
    const result = await gate.run(call, () => ({ content: [] }));
    await gate.close();
    if (ahead.admitted) throw new Error("it must be refused");
    expect(result.content).toEqual([{ type: "text", text: ahead.refusal.text }]);
    expect(result._meta?.["regate/decision"]).toMatchObject({ code: ahead.refusal.code });
    const [event] = eventsIn(stateDir);
    expect(event?.["result"]).toMatchObject({ reasons: ahead.decision?.reasons });
    expect(event?.["input"]).toMatchObject({
      context: { ticket: "T1" },
      shell: { commands: [{ argv: ["kubectl", "delete", "ns", "a b"] }] },
    });
  });
});

describe("server", () => {
  it("a tool that is not listed is still gated by name, and is not called unknown (M13)", async () => {
    const server = startRaw();
    const listed = await server.ask({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    for (const [id, name] of ["admin_list_sessions", "not_there"].entries()) {
      expect(JSON.stringify(listed.result)).not.toContain(`"${name}"`);
      const answer = await server.ask({ jsonrpc: "2.0", id: `c${id}`, method: "tools/call", params: { name, arguments: {} } });
      expect(answer).toMatchObject({ result: { isError: true, _meta: { "regate/decision": { code: "policy.denied" } } } });
    }
  });

  it("a cancellation ends the call that it names and no other (M02)", async () => {
    const server = startRaw("--bundle", "agent-session");
    const shell = (id: number | string, command: string) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name: "run_shell", arguments: { command } },
    });
    for (const id of [7, "7"]) await server.send(shell(id, "until test -e go; do sleep 0.02; done; echo done"));
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "7" } });
    await server.ask({ jsonrpc: "2.0", id: "up", method: "ping" });
    writeFileSync(join(server.workdir, "go"), "");
    const [, answer] = await server.lines(2);
    expect(answer).toMatchObject({ id: 7, result: { structuredContent: { stdout: "done\n" } } });
    expect((await server.finish()).code).toBe(0);
    expect(await server.lines(2)).toHaveLength(2);
  });
});

describe("the page of the field reports", () => {
  const rows = [...readFileSync("docs/field-reports.md", "utf8").matchAll(/^\| ([A-Z]\d\d) .*$/gm)].map(([row, id]) => ({
    id: id ?? "",
    files: [...row.matchAll(/`((?:test|policy)\/[^`]+)`/g)].map(([, file]) => file ?? ""),
  }));

  it("has the cases of engines, rules, logs and servers", () => {
    const ids = ["W02", "W04", "W05", "W07", "W08", "W11", "W12", "R01", "R02", "R05", "R08", "R09", "R10", "L03", "L05", "L08"];
    const servers = ["M01", "M02", "M04", "M06", "M07", "M08", "M13", "M16", "M22", "E02", "E04", "E05", "D04", "D05", "D06"];
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids, ...servers]));
  });

  test.each(rows)("$id: what is named is there", ({ id, files }) => {
    for (const file of files) expect([file, existsSync(file)]).toEqual([file, true]);
    const cited = files.filter((file) => readFileSync(file, "utf8").includes(id));
    expect([id, cited.length > 0 || id === "R09"]).toEqual([id, true]);
    if (!/^[WRLMED]/.test(id) || id === "R09") return;
    expect([id, cited]).toEqual([id, files]);
  });
});

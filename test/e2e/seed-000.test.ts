import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockSession } from "../../src/audit/session-lock.ts";
import { createProfile, switchTo } from "../../src/session/profile-changes.ts";
import { openProfileStore } from "../../src/session/profile-store.ts";
import { type Answer, connect, type Session, temporaryFolder } from "./client.ts";

const REFUSAL =
  "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched";

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** A call by wire name, and the same command by key through execute. */
type Way = readonly [name: string, call: (session: Session, tool: string, args?: Record<string, unknown>) => Promise<Answer>];

const KEYS: Readonly<Record<string, string>> = {
  config_profile_status: "config.profile.status",
  overview_status: "overview.status",
  config_switch: "config.switch",
  config_profile_create: "config.profile.create",
  config_profile_sandbox_use: "config.profile.sandbox.use",
  config_profile_rename: "config.profile.rename",
  config_profile_edit: "config.profile.edit",
};
const DIRECT: Way = ["direct", (session, tool, args) => session.call(tool, args)];
const EXECUTE: Way = [
  "execute",
  (session, tool, args = {}) => session.call("execute", { command_key: KEYS[tool] ?? tool, arguments: args }),
];
const WAYS = [DIRECT, EXECUTE] as const;

const mutate = (session: Session, [, call]: Way = DIRECT) => call(session, "run_shell", { command: "echo mutated" });

function expectRefused(answer: Answer): void {
  expect(answer).toMatchObject({ isError: true, text: REFUSAL, code: "identity.unconfirmed", structured: undefined });
  expect(answer.meta["regate/decision"]).toMatchObject({ retryable: true, resolve: "identity_read" });
}

describe.each(["identity-gate", "default"])("regate serve --bundle %s", (bundle) => {
  const open = (...flags: string[]) => connect(["--bundle", bundle, ...flags]);

  it("[000-purpose] [000-read-first] Erika is not filed for while Erik is active and nobody has looked", async () => {
    const session = await open();
    expectRefused(await mutate(session));
    await session.call("config_profile_create", { label: "Erika" });
    await session.call("config_profile_create", { label: "Erik" });
    expectRefused(await mutate(session));
    expect((await session.call("whoami")).structured).toMatchObject({ active_profile: "Erik" });
    expect((await mutate(session)).structured).toMatchObject({ stdout: "mutated\n" });
    await session.call("config_switch", { label: "Erika" });
    expectRefused(await mutate(session));
    expect((await session.call("whoami")).structured).toMatchObject({ active_profile: "Erika" });
    expect((await mutate(session)).isError).toBe(false);
  });

  it("[000-limit] a read of the wrong profile clears the gate as well: that a read happened is all it enforces", async () => {
    const session = await open();
    await session.call("config_profile_create", { label: "not the one that the human meant" });
    await session.call("whoami");
    expect((await mutate(session)).isError).toBe(false);
  });

  it.each(WAYS)("[000-state] armed at the start, on the path %s", async (...way) => {
    const session = await open();
    expectRefused(await mutate(session, way));
    expect(session.events()[way[0] === "direct" ? 0 : 1]).toMatchObject({
      custom: { regate: { code: "identity.unconfirmed" } },
      input: { session: { identity_confirmed: false, confirmed_profile: null, epoch: 0 }, path: way[0], command: "run_shell" },
    });
  });

  it("[000-one-instance] [000-state-shared] one state for both paths, in either direction", async () => {
    const session = await open();
    await session.call("whoami");
    expect((await mutate(session, EXECUTE)).isError).toBe(false);
    await EXECUTE[1](session, "config_profile_create", { label: "Erik" });
    expectRefused(await mutate(session, DIRECT));
    await EXECUTE[1](session, "config_profile_status");
    expect((await mutate(session, DIRECT)).isError).toBe(false);
    await DIRECT[1](session, "config_switch", { label: "Erik" });
    expectRefused(await mutate(session, EXECUTE));
  });

  it("[000-no-interpolation] [000-refusal] the refusal is one text, whatever is called, with whatever arguments, on both paths", async () => {
    const session = await open();
    await session.call("config_profile_create", { label: "Erik" });
    const calls = [
      ["run_shell", { command: "echo secret-word" }],
      ["run_shell", { command: "true", dry_run: true }],
      ["config_profile_edit", { label: "Erik", description: "secret-word" }],
      ["config_profile_rename", { label: "Erik", new_label: "Erika" }],
      ["config_profile_edit", { unknown_argument: "secret-word" }],
    ] as const;
    const texts = new Set<string>();
    for (const [tool, args] of calls) {
      for (const [, call] of WAYS) {
        const answer = await call(session, tool, args);
        expectRefused(answer);
        texts.add(answer.text);
      }
    }
    expect([...texts]).toEqual([REFUSAL]);
  });

  it("[000-state] the inner refusal has a decision of its own, on record as the inner call", async () => {
    const session = await open();
    const answer = await mutate(session, EXECUTE);
    const decision = answer.meta["regate/decision"] as { decision_id: string };
    const [outer, inner] = session.events().filter((event) => event["input"]);
    expect(outer).toMatchObject({ input: { command: "execute", path: "direct", tool: { read_only: true } } });
    expect(inner).toMatchObject({ decision_id: decision.decision_id, input: { command: "run_shell", path: "execute" } });
  });

  it.each(
    WAYS.flatMap((way) =>
      [
        ["config_switch", { label: "Erik" }],
        ["config_switch", { label: "nobody" }],
        ["config_profile_create", { label: "Erika" }],
        ["config_profile_create", { label: "Erik" }],
        ["config_profile_sandbox_use", { label: "play" }],
        ["config_switch", {}],
      ].map(([tool, args]) => [tool as string, JSON.stringify(args), way[0], way] as const),
    ),
  )(
    "[000-switching] [000-switching-closed] [000-order-switch] %s %s re-arms, also when it then fails: %s",
    async (tool, args, _name, way) => {
      const session = await open();
      await session.call("config_profile_create", { label: "Erik" });
      await session.call("whoami");
      expect((await mutate(session)).isError).toBe(false);
      const answer = await way[1](session, tool, JSON.parse(args) as Record<string, unknown>);
      expect(answer.code === "call.arguments_invalid").toBe(args === "{}");
      expect(["Erik", "nobody"].includes((JSON.parse(args) as { label: string }).label) && tool !== "config_switch").toBe(
        tool === "config_profile_create" && answer.isError,
      );
      expect(answer.text).not.toBe(REFUSAL);
      expectRefused(await mutate(session, DIRECT));
      expectRefused(await mutate(session, EXECUTE));
    },
  );

  it.each(WAYS)("[000-order-switch] a switch is never blocked, in the armed state either: %s", async (_name, call) => {
    const session = await open();
    expect((await call(session, "config_profile_create", { label: "Erik" })).structured).toEqual({ active_profile: "Erik" });
    expect((await call(session, "config_switch", { label: "Erik" })).structured).toEqual({ active_profile: "Erik" });
    expect((await call(session, "config_profile_sandbox_use", { label: "play" })).structured).toEqual({ active_profile: "sandbox:play" });
    expect((await call(session, "config_switch", { label: "nobody" })).text).toBe("profiles: no profile has this label");
  });

  it.each(WAYS)("[000-switching-closed] renaming and editing the current profile does not re-arm: %s", async (_name, call) => {
    const session = await open();
    await session.call("config_profile_create", { label: "Erik" });
    for (const tool of ["config_profile_rename", "config_profile_edit"]) expectRefused(await call(session, tool, { label: "Erik" }));
    await session.call("whoami");
    expect((await call(session, "config_profile_rename", { label: "Erik", new_label: "Erika" })).structured).toEqual({
      active_profile: "Erika",
    });
    expect((await call(session, "config_profile_edit", { description: "returns of 2025" })).isError).toBe(false);
    expect((await mutate(session)).isError).toBe(false);
  });

  it.each(WAYS.flatMap((way) => ["config_profile_status", "overview_status"].map((tool) => [tool, way[0], way] as const)))(
    "[000-reads] [000-order-read] %s clears the gate: %s",
    async (tool, _name, way) => {
      const session = await open();
      expect((await way[1](session, tool)).structured).toMatchObject({ active_profile: null });
      expect((await mutate(session, DIRECT)).isError).toBe(false);
      expect((await mutate(session, EXECUTE)).isError).toBe(false);
    },
  );

  it.each(["whoami", "harness_load"])("[000-console] [000-harness] %s clears the gate as a tool and is no command", async (tool) => {
    const session = await open();
    const command = await EXECUTE[1](session, tool);
    expect(command.isError).toBe(true);
    expectRefused(await mutate(session));
    expect((await session.call(tool)).structured).toMatchObject({ active_profile: null });
    expect((await mutate(session)).isError).toBe(false);
    await session.call("config_profile_create", { label: "Erik" });
    expectRefused(await mutate(session));
    expect((await session.call(tool)).structured).toMatchObject({ active_profile: "Erik" });
    expect((await mutate(session)).isError).toBe(false);
    expect((await EXECUTE[1](session, tool)).text).toBe("execute: no command has this key");
  });

  it("[000-order-read-only] read-only calls pass armed and change nothing", async () => {
    const session = await open();
    for (const [, call] of WAYS) {
      for (const [tool, args] of [
        ["list_sessions", {}],
        ["audit_log", {}],
        ["search", { query: "profile" }],
        ["describe", { command_key: "run_shell" }],
      ] as const) {
        expect((await call(session, tool, args)).isError).toBe(false);
        expectRefused(await mutate(session));
      }
    }
    await session.call("whoami");
    await session.call("list_sessions");
    expect((await mutate(session)).isError).toBe(false);
  });

  it("[000-declared] [000-order-mutating] names decide nothing: what nobody declares is mutating", async () => {
    const session = await open();
    const words = ["status", "get_status", "read", "config.profile.statuses", "Config.profile.status", "overview"];
    for (const word of words) expect((await EXECUTE[1](session, word)).isError).toBe(true);
    expectRefused(await mutate(session));
    if (bundle !== "identity-gate") return;
    for (const word of words) expectRefused(await EXECUTE[1](session, word));
  });

  it("[000-declared] tools/list has every tool of the gate with annotations from the declared table", async () => {
    const session = await open();
    const { tools } = await session.client.listTools();
    const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint]));
    expect(hints).toMatchObject({
      whoami: true,
      harness_load: true,
      config_profile_status: true,
      overview_status: true,
      config_switch: false,
      config_profile_create: false,
      config_profile_sandbox_use: false,
      config_profile_rename: false,
      config_profile_edit: false,
      search: true,
      describe: true,
      execute: true,
      run_shell: false,
    });
    await session.call("whoami");
    expect((await session.client.listTools()).tools).toEqual(tools);
  });

  it("finds every command by key, and describes it", async () => {
    const session = await open();
    const found = await session.call("search", { query: "config" });
    const hits = found.structured?.["hits"] as { command_key: string; tool_name: string }[];
    expect(Object.fromEntries(hits.map((hit) => [hit.tool_name, hit.command_key]))).toMatchObject({ config_switch: "config.switch" });
    expect(hits.length).toBeLessThanOrEqual(20);
    expect((await session.call("search", { query: " " })).structured).toMatchObject({ hits: [], total_matches: 0, truncated: false });
    expect((await session.call("describe", { command_key: "config.switch" })).structured).toMatchObject({
      tool_name: "config_switch",
      read_only: false,
      input_schema: { required: ["label"] },
    });
    expect((await session.call("describe", { command_key: "whoami" })).isError).toBe(true);
    expect((await session.call("execute", { command_key: "execute", arguments: { command_key: "whoami" } })).text).toBe(
      "execute: cannot execute itself",
    );
  });

  it("[000-echo-label] no internal id reaches the agent or the log, and the store is private", async () => {
    const session = await open();
    await session.call("config_profile_create", { label: "Erik" });
    const answers = [];
    for (const tool of ["whoami", "harness_load", "config_profile_status", "overview_status", "audit_log"])
      answers.push(await session.call(tool));
    const path = join(session.stateDir, "profiles.json");
    const id = UUID.exec(readFileSync(path, "utf8"))?.[0] ?? "";
    expect(id).not.toBe("");
    expect(JSON.stringify(answers) + JSON.stringify(session.events()) + session.stderr()).not.toContain(id);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("calls sent in one turn are judged in their order: the switch before the mutation counts", async () => {
    const session = await open();
    await session.call("config_profile_create", { label: "Erik" });
    await session.call("whoami");
    for (const [, call] of WAYS) {
      const [, after] = await Promise.all([call(session, "config_switch", { label: "Erik" }), mutate(session)]);
      expectRefused(after);
      await session.call("whoami");
    }
    const epochs = session.events().flatMap(({ input }) => (input?.command === "run_shell" ? [input.session.epoch as number] : []));
    expect(epochs).toEqual([2, 3]);
  });

  it("a switch by another process re-arms", async () => {
    const session = await open();
    await session.call("config_profile_create", { label: "Erik" });
    await session.call("whoami");
    expect((await mutate(session)).isError).toBe(false);
    const other = openProfileStore({ stateDir: session.stateDir, lock: lockSession });
    other.update(createProfile("Erika"));
    expectRefused(await mutate(session, EXECUTE));
    expect((await session.call("whoami")).structured).toMatchObject({ active_profile: "Erika" });
    expect((await mutate(session)).isError).toBe(false);
    other.update(switchTo("Erik"));
    other.update(switchTo("Erika"));
    expectRefused(await mutate(session));
  });

  it("a store that cannot be read confirms nothing and runs nothing", async () => {
    const session = await open();
    await session.call("config_profile_create", { label: "Erik" });
    await session.call("whoami");
    writeFileSync(join(session.stateDir, "profiles.json"), '{"format":1,"profiles":[{"label":"Secret name"');
    expectRefused(await mutate(session));
    const read = await session.call("whoami");
    expect(read).toMatchObject({ isError: true, text: "profiles: the profile store cannot be read, nothing was executed" });
    expectRefused(await mutate(session));
    expect((await session.call("list_sessions")).isError).toBe(false);
    await expect.poll(() => session.stderr()).toContain("profiles cannot be used until this is mended: profile store");
    expect(session.stderr()).not.toContain("Secret name");
  });
});

describe("options", () => {
  it.each([
    ["de_DE.UTF-8", /^Identität: .*whoami, config\.profile\.status oder overview\.status/],
    ["es", /^identidad: .*whoami, config\.profile\.status u overview\.status/],
    ["ca", /^identitat: .*whoami, config\.profile\.status o overview\.status/],
    ["fr", new RegExp(`^${REFUSAL.slice(0, 40)}`)],
  ])("[000-refusal] the refusal in the locale %s, the same on both paths", async (locale, text) => {
    const session = await connect(["--bundle", "identity-gate", "--locale", locale]);
    const direct = await mutate(session, DIRECT);
    expect(direct).toMatchObject({ code: "identity.unconfirmed", text: expect.stringMatching(text) as unknown });
    expect((await mutate(session, EXECUTE)).text).toBe(direct.text);
  });

  it("a profile of the operator's file gives its variables to commands; their names are on record, their values are not", async () => {
    const file = join(temporaryFolder(), "profiles.json");
    writeFileSync(file, JSON.stringify({ profiles: [{ label: "Erika", environment: { KUBECONFIG: "/etc/value-of-erika" } }] }));
    const session = await connect(["--bundle", "identity-gate", "--profiles-file", file]);
    await session.call("config_switch", { label: "Erika" });
    expect((await session.call("config_profile_status")).structured).toEqual({
      active_profile: "Erika",
      profiles: [{ label: "Erika", active: true, sandbox: false, description: "", variables: ["KUBECONFIG"] }],
    });
    const ran = await session.call("run_shell", { command: "test -n $KUBECONFIG && echo ${#KUBECONFIG}" });
    expect(ran.structured).toMatchObject({ stdout: "19\n" });
    expect(session.events().at(-1)).toMatchObject({
      custom: { regate: { outcome: { facts: { profile_variables: ["KUBECONFIG"] } } } },
    });
    expect(JSON.stringify(session.events())).not.toContain("value-of-erika");
    await session.call("config_profile_sandbox_use", { label: "play" });
    await session.call("whoami");
    expect((await session.call("run_shell", { command: "echo [$KUBECONFIG]" })).structured).toMatchObject({ stdout: "[]\n" });
  });

  it("[000-limit] beyond the seed: no profile, no confirmation", async () => {
    const session = await connect(["--bundle", "identity-gate", "--identity-require-profile"]);
    expect((await session.call("whoami")).structured).toMatchObject({ active_profile: null });
    expectRefused(await mutate(session));
    await session.call("config_profile_create", { label: "Erik" });
    await session.call("whoami");
    expect((await mutate(session)).isError).toBe(false);
  });

  it("[000-limit] beyond the seed: a rename ends what was confirmed by the old label", async () => {
    const session = await connect(["--bundle", "identity-gate"], { REGATE_IDENTITY_BIND_PROFILE: "true" });
    await session.call("config_profile_create", { label: "Erik" });
    await session.call("whoami");
    expect((await session.call("config_profile_rename", { label: "Erik", new_label: "Erika" })).isError).toBe(false);
    expectRefused(await mutate(session));
    await session.call("whoami");
    expect((await mutate(session)).isError).toBe(false);
  });

  it("[000-limit] beyond the seed: so many mutating calls, then a read again", async () => {
    const session = await connect(["--bundle", "identity-gate", "--identity-max-mutations", "2"]);
    await session.call("whoami");
    expect((await mutate(session)).isError).toBe(false);
    await session.call("list_sessions");
    expect((await mutate(session, EXECUTE)).isError).toBe(false);
    expectRefused(await mutate(session));
    await session.call("whoami");
    expect((await mutate(session)).isError).toBe(false);
  });
});

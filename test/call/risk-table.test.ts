import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DECLARED_RISK, factsOf, riskClass, unknownFacts } from "../../src/call/risk-table.ts";
import type { ShellAnalysis } from "../../src/call/tool-call.ts";

interface BundleData {
  readonly regate: {
    readonly ai_agent?: { readonly tools: readonly string[] };
    readonly identity_gate?: Readonly<Record<string, readonly string[]>>;
    readonly risk: Readonly<Record<string, object>>;
  };
}

const BUNDLES = ["ai-agent", "agent-session", "identity-gate", "default"] as const;
const dataOf = (bundle: string): BundleData["regate"] =>
  (JSON.parse(readFileSync(`bundles/${bundle}/data.json`, "utf8")) as BundleData).regate;
const analysis = (verdict: ShellAnalysis["verdict"]): ShellAnalysis => ({
  verdict,
  verifiable: verdict !== "unverifiable",
  destructive: verdict !== "clear",
  findings: [],
  commands: [],
  redirects: [],
});

/** Every local tool: command key, class of a call, and its flags in the order read-only, destructive, open world. */
const TOOLS: readonly (readonly [string, string | null, string, string])[] = [
  ["run_shell", "run_shell", "destructive", "-dw"],
  ["eval_starlark", "eval_starlark", "mutable", "--w"],
  ["list_sessions", "list_sessions", "read", "r--"],
  ["cloud_query", "cloud_query", "read", "r-w"],
  ["audit_log", "audit_log", "read", "r--"],
  ["admin_list_sessions", "admin_list_sessions", "read", "r--"],
  ["admin_list_approvals", "admin_list_approvals", "read", "r--"],
  ["admin_list_recordings", "admin_list_recordings", "read", "r--"],
  ["admin_list_elevations", "admin_list_elevations", "read", "r--"],
  ["admin_list_leases", "admin_list_leases", "read", "r--"],
  ["admin_explain", "admin_explain", "read", "r--"],
  ["identity_status", "identity_status", "read", "r--"],
  ["identity_device_login", "identity_device_login", "mutable", "--w"],
  ["whoami", null, "read", "r--"],
  ["harness_load", null, "read", "r--"],
  ["config_profile_status", "config.profile.status", "read", "r--"],
  ["overview_status", "overview.status", "read", "r--"],
  ["config_switch", "config.switch", "mutable", "---"],
  ["config_profile_create", "config.profile.create", "mutable", "---"],
  ["config_profile_sandbox_use", "config.profile.sandbox.use", "mutable", "---"],
  ["config_profile_rename", "config.profile.rename", "mutable", "---"],
  ["config_profile_edit", "config.profile.edit", "mutable", "---"],
  ["search", "search", "read", "r--"],
  ["describe", "describe", "read", "r--"],
  ["execute", "execute", "read", "r--"],
];

describe("the declared risk table", () => {
  it.each(TOOLS)("declares %s", (...row) => {
    const [name, key, risk, flags] = row;
    const facts = factsOf(name);
    const mark = (set: boolean, letter: string): string => (set ? letter : "-");
    expect(facts).toEqual({
      name,
      command_key: key,
      source: "local",
      server: "",
      known: true,
      read_only: flags.includes("r"),
      destructive: flags.includes("d"),
      handoff: false,
      live_write: false,
      open_world: flags.includes("w"),
      pinned: false,
    });
    expect(`${mark(facts.read_only, "r")}${mark(facts.destructive, "d")}${mark(facts.open_world, "w")}`).toBe(flags);
    expect(riskClass(facts)).toBe(risk);
  });

  it("has these tools and no others", () => {
    expect([...DECLARED_RISK.keys()].sort()).toEqual(TOOLS.map(([name]) => name).sort());
  });

  it("never calls a tool read-only and dangerous", () => {
    for (const row of DECLARED_RISK.values()) expect(row.read_only && (row.destructive || row.handoff || row.live_write)).toBe(false);
  });

  it("gives every command its own key", () => {
    const keys = [...DECLARED_RISK].map(([name, row]) => row.command_key ?? name);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("cannot be changed by a caller", () => {
    expect(Object.isFrozen(factsOf("run_shell"))).toBe(true);
    for (const row of DECLARED_RISK.values()) expect(Object.isFrozen(row)).toBe(true);
  });
});

describe("factsOf", () => {
  it.each(["purge", "constructor", "__proto__", "toString", "", "RUN_SHELL", "run_shell ", "Config.Switch"])(
    "does not know %j: unknown, and so mutating",
    (name) => {
      expect(factsOf(name, dataOf("default").risk)).toMatchObject({ known: false, read_only: false, command_key: name });
    },
  );

  it.each(["config.switch", "overview.status", "config.profile.edit"])("does not take the key %s for a tool", (name) => {
    expect(factsOf(name, dataOf("default").risk)).toMatchObject({ known: false, read_only: false, command_key: null });
  });

  it("gives a tool that does not exist no key of another", () => {
    expect(unknownFacts("config.switch")).toMatchObject({ name: "config.switch", known: false, command_key: null });
    expect(unknownFacts("whoami")).toMatchObject({ name: "whoami", known: false, command_key: "whoami" });
  });

  it("takes a tool that only the bundle declares", () => {
    const rows = { pull: { read_only: true, open_world: true } };
    expect(factsOf("pull", rows)).toMatchObject({ known: true, read_only: true, destructive: false, open_world: true });
    expect(riskClass(factsOf("pull", rows))).toBe("read");
  });

  it("lets a bundle make a declared tool stricter, never laxer", () => {
    const rows = { cloud_query: { read_only: false, destructive: true }, run_shell: { read_only: true, destructive: false } };
    expect(factsOf("cloud_query", rows)).toMatchObject({ read_only: false, destructive: true, open_world: true });
    expect(factsOf("run_shell", rows)).toMatchObject({ read_only: false, destructive: true });
  });

  it.each([
    ["read_only as a string", { read_only: "true" }, { read_only: false }],
    ["read_only as one", { read_only: 1 }, { read_only: false }],
    ["destructive as a string", { destructive: "false" }, { destructive: true }],
    ["live_write as null", { live_write: null }, { live_write: true }],
    ["nothing", {}, { known: true, read_only: false, destructive: false }],
    ["a row that is no object", true, { known: true, read_only: false, destructive: false }],
    ["a row that is null", null, { known: true, read_only: false, destructive: false }],
  ])("counts %s against the tool", (_note, row, want) => {
    expect(factsOf("x", { x: row })).toMatchObject(want);
  });

  it("reads rows by command key, and by wire name where there is none", () => {
    expect(factsOf("config_profile_edit", { "config.profile.edit": { destructive: true } }).destructive).toBe(true);
    expect(factsOf("config_profile_edit", { config_profile_edit: { destructive: true } }).destructive).toBe(false);
    expect(factsOf("whoami", { whoami: { read_only: false } }).read_only).toBe(false);
  });
});

describe("riskClass", () => {
  it.each([
    ["clear", "mutable"],
    ["destructive", "destructive"],
    ["unverifiable", "destructive"],
  ] as const)("calls a %s command %s", (verdict, risk) => {
    expect(riskClass(factsOf("run_shell"), analysis(verdict))).toBe(risk);
  });

  it("calls a command that nobody analysed destructive", () => {
    expect(riskClass(factsOf("run_shell"))).toBe("destructive");
  });

  it("lets no analysis soften another tool", () => {
    const facts = factsOf("wipe", { wipe: { destructive: true } });
    expect(riskClass(facts, analysis("clear"))).toBe("destructive");
    expect(riskClass(factsOf("submit", { submit: { live_write: true } }))).toBe("destructive");
    expect(riskClass(factsOf("purge"), analysis("clear"))).toBe("unknown");
  });
});

describe.each(BUNDLES)("data of the bundle %s", (bundle) => {
  const data = dataOf(bundle);

  it("has everything under `regate`", () => {
    expect(Object.keys(JSON.parse(readFileSync(`bundles/${bundle}/data.json`, "utf8")) as object)).toEqual(["regate"]);
  });

  it("repeats the declared risk table, no row more or less", () => {
    const rows = [...DECLARED_RISK].map(([name, { command_key, ...flags }]) => [command_key ?? name, flags]);
    expect(data.risk).toEqual(Object.fromEntries(rows));
  });

  it("knows every tool and every command key that it names", () => {
    for (const tool of data.ai_agent?.tools ?? []) expect(DECLARED_RISK.has(tool)).toBe(true);
    const { identity_read_console_tools: consoles = [], ...sets } = data.identity_gate ?? {};
    for (const tool of consoles) expect(DECLARED_RISK.get(tool)?.command_key).toBeNull();
    for (const key of Object.values(sets).flat()) expect(data.risk).toHaveProperty([key]);
  });

  it("keeps its identity sets apart", () => {
    const members = Object.values(data.identity_gate ?? {}).flat();
    expect(new Set(members).size).toBe(members.length);
  });

  it("names no tool twice", () => {
    const tools = data.ai_agent?.tools ?? [];
    expect(new Set(tools).size).toBe(tools.length);
  });
});

describe("tool sets of the bundles", () => {
  const five = ["audit_log", "cloud_query", "eval_starlark", "list_sessions", "run_shell"];

  it("gives ai-agent the five tools of the seed", () => {
    expect([...(dataOf("ai-agent").ai_agent?.tools ?? [])].sort()).toEqual(five);
  });

  it("gives default the five, the identity tools and the meta tools, and no governed tool", () => {
    expect([...(dataOf("default").ai_agent?.tools ?? [])].sort()).toEqual(
      [
        ...five,
        "config_profile_create",
        "config_profile_edit",
        "config_profile_rename",
        "config_profile_sandbox_use",
        "config_profile_status",
        "config_switch",
        "describe",
        "execute",
        "harness_load",
        "overview_status",
        "search",
        "whoami",
      ].sort(),
    );
  });

  it.each(["identity-gate", "default"])("gives %s the command sets of seed 000", (bundle) => {
    expect(dataOf(bundle).identity_gate).toEqual({
      profile_switching_commands: ["config.switch", "config.profile.create", "config.profile.sandbox.use"],
      identity_read_commands: ["config.profile.status", "overview.status"],
      identity_read_console_tools: ["whoami", "harness_load"],
    });
  });
});

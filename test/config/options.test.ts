import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { resolveClassifyOptions, resolveDecideOptions, resolveServeOptions, type ServeOptions } from "../../src/config/options.ts";
import { DELEGATE_SETTINGS } from "../../src/config/delegate-settings.ts";
import { SHARED_SETTINGS } from "../../src/config/shared-settings.ts";
import { SETTINGS } from "../../src/config/settings.ts";
import type { FlagValues, Surroundings } from "../../src/config/sources.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "regate-options-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const source of ["flag", "regate", "adssh", "file"]) {
  mkdirSync(join(folder, source));
  mkdirSync(join(folder, source, "bundle"));
  writeFileSync(join(folder, source, "list.txt"), `${source}_tool\n`);
  writeFileSync(join(folder, source, "context.json"), JSON.stringify({ source }));
  writeFileSync(join(folder, source, "tables.json"), JSON.stringify({ data: [source] }));
  writeFileSync(join(folder, source, "queries.json"), JSON.stringify({ queries: { [source]: { all: { argv: ["true"] } } } }));
  writeFileSync(
    join(folder, source, "profiles.json"),
    JSON.stringify({ profiles: [{ label: source, environment: { KUBECONFIG: `/${source}` } }, { label: "bare" }] }),
  );
}
const around: Surroundings = { env: {}, cwd: folder, home: join(folder, "home"), pid: 4711 };
const NO_FLAGS: FlagValues = { values: new Map(), switches: new Set() };
let files = 0;

function configFile(content: unknown): string {
  files += 1;
  const path = join(folder, `config-${files}.json`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

interface Given {
  readonly flags?: Readonly<Record<string, string>>;
  readonly on?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: unknown;
}

async function serveOptions(given: Given): Promise<ServeOptions> {
  const values = new Map(Object.entries(given.flags ?? {}));
  if (given.file !== undefined) values.set("config", configFile(given.file));
  return resolveServeOptions({ values, switches: new Set(given.on ?? []) }, { ...around, env: given.env ?? {} }, checkTables);
}

/** Stands for the classifier's own check, which another room does. */
function checkTables(text: string): Promise<string | undefined> {
  return Promise.resolve(text.includes("bad") ? "key `data[0]`: is\nbad" : undefined);
}

async function refusal(given: Given): Promise<{ code: string; message: string }> {
  return serveOptions(given).then(
    () => Promise.reject(new Error("nothing was refused")),
    (error: unknown) => error as { code: string; message: string },
  );
}

/** For each setting: how a source's value looks, and what it must become. */
interface Row {
  readonly name: string;
  readonly env: readonly string[];
  readonly value: (source: string) => string;
  readonly inFile?: (source: string) => unknown;
  readonly read: (options: ServeOptions) => unknown;
  readonly becomes: (source: string) => unknown;
  readonly byDefault: unknown;
}
const DEADLINES: Readonly<Record<string, string>> = { flag: "1", regate: "2", adssh: "3", file: "4" };
const MATCHES: Readonly<Record<string, string>> = { flag: "text", regate: "words", file: "text" };

const DIALECTS: Readonly<Record<string, string>> = { flag: "decision", regate: "opa-allow", file: "regate" };
const DIGESTS: Readonly<Record<string, string>> = {
  flag: `sha256:${"a".repeat(64)}`,
  regate: `sha256:${"b".repeat(64)}`,
  file: `sha256:${"c".repeat(64)}`,
};

const LOCALES: Readonly<Record<string, string>> = { flag: "de", regate: "es-MX", file: "ca_ES.UTF-8" };
const COUNTS: Readonly<Record<string, string>> = { flag: "1", regate: "20", file: "300" };

const STARLARK_LIMITS: Readonly<Record<string, string>> = { flag: "32", regate: "100", file: "128" };

const COMMAND_LIMITS: Readonly<Record<string, string>> = { flag: "64", regate: "100", file: "128" };
const SANDBOXES: Readonly<Record<string, string>> = { flag: "none", regate: "auto", file: "none" };

/** The numbers of commands, with what reads them. */
const COMMAND_NUMBERS: readonly (readonly [string, string, (options: ServeOptions) => number, number])[] = [
  ["commands-at-once", "REGATE_COMMANDS_AT_ONCE", (options) => options.commands.atOnce, 8],
  ["command-processes", "REGATE_COMMAND_PROCESSES", (options) => options.commands.limits.processes, 512],
  ["command-memory-mb", "REGATE_COMMAND_MEMORY_MB", (options) => options.commands.limits.memoryMb, 4096],
  ["command-file-mb", "REGATE_COMMAND_FILE_MB", (options) => options.commands.limits.fileMb, 1024],
];

const SWITCHES: Readonly<Record<string, string>> = { flag: "off", regate: "on", file: "off" };

const ROWS: readonly Row[] = [
  {
    name: "recordings",
    env: ["REGATE_RECORDINGS"],
    value: (source) => SWITCHES[source] ?? "",
    read: (options) => options.recordings,
    becomes: (source) => SWITCHES[source] === "on",
    byDefault: true,
  },
  {
    name: "sandbox",
    env: ["REGATE_SANDBOX"],
    value: (source) => SANDBOXES[source] ?? "",
    read: (options) => options.commands.sandbox,
    becomes: (source) => SANDBOXES[source],
    byDefault: "auto",
  },
  {
    name: "sandbox-home",
    env: ["REGATE_SANDBOX_HOME"],
    value: (source) => `.cache/${source}:/opt/${source}`,
    read: (options) => options.commands.sandboxHome,
    becomes: (source) => [`.cache/${source}`, `/opt/${source}`],
    byDefault: [],
  },
  {
    name: "cloud-queries",
    env: ["REGATE_CLOUD_QUERIES"],
    value: (source) => `${source}/queries.json`,
    read: (options) => [...(options.cloudQueries?.keys() ?? [])],
    becomes: (source) => [source],
    byDefault: [],
  },
  {
    name: "shell-tables",
    env: ["REGATE_SHELL_TABLES"],
    value: (source) => `${source}/tables.json`,
    read: (options) => [options.shellTablesFile, options.shellTablesText],
    becomes: (source) => [join(folder, source, "tables.json"), JSON.stringify({ data: [source] })],
    byDefault: [undefined, undefined],
  },
  ...COMMAND_NUMBERS.map(([name, variable, read, byDefault]): Row => ({
    name,
    env: [variable],
    value: (source) => COMMAND_LIMITS[source] ?? "",
    inFile: (source) => Number(COMMAND_LIMITS[source]),
    read,
    becomes: (source) => Number(COMMAND_LIMITS[source]),
    byDefault,
  })),
  {
    name: "profiles-file",
    env: ["REGATE_PROFILES_FILE"],
    value: (source) => `${source}/profiles.json`,
    read: (options) => options.declaredProfiles,
    becomes: (source) => [
      { label: source, environment: { KUBECONFIG: `/${source}` } },
      { label: "bare", environment: {} },
    ],
    byDefault: undefined,
  },
  {
    name: "locale",
    env: ["REGATE_LOCALE"],
    value: (source) => LOCALES[source] ?? "",
    read: (options) => options.locale,
    becomes: (source) => LOCALES[source],
    byDefault: undefined,
  },
  {
    name: "identity-max-age-seconds",
    env: ["REGATE_IDENTITY_MAX_AGE_SECONDS"],
    value: (source) => COUNTS[source] ?? "",
    inFile: (source) => Number(COUNTS[source]),
    read: (options) => options.identityRules.maxAgeMs,
    becomes: (source) => Number(COUNTS[source]) * 1000,
    byDefault: undefined,
  },
  {
    name: "identity-max-mutations",
    env: ["REGATE_IDENTITY_MAX_MUTATIONS"],
    value: (source) => COUNTS[source] ?? "",
    inFile: (source) => Number(COUNTS[source]),
    read: (options) => options.identityRules.maxMutations,
    becomes: (source) => Number(COUNTS[source]),
    byDefault: undefined,
  },
  {
    name: "bundle-digest",
    env: ["REGATE_BUNDLE_DIGEST"],
    value: (source) => DIGESTS[source] ?? "",
    read: (options) => options.policy.expectDigest,
    becomes: (source) => DIGESTS[source],
    byDefault: undefined,
  },
  {
    name: "policy-dialect",
    env: ["REGATE_POLICY_DIALECT"],
    value: (source) => DIALECTS[source] ?? "",
    read: (options) => options.policy.dialect,
    becomes: (source) => DIALECTS[source],
    byDefault: "regate",
  },
  {
    name: "bundle",
    env: ["REGATE_BUNDLE"],
    value: (source) => `${source}/bundle`,
    read: (options) => options.bundle.path,
    becomes: (source) => join(folder, source, "bundle"),
    byDefault: expect.stringMatching(/\/wasm\/default$/),
  },
  {
    name: "workdir",
    env: ["REGATE_WORKDIR"],
    value: (source) => source,
    read: (options) => options.workdir,
    becomes: (source) => join(folder, source),
    byDefault: folder,
  },
  {
    name: "state-dir",
    env: ["REGATE_STATE_DIR"],
    value: (source) => `${source}/state`,
    read: (options) => options.stateDir,
    becomes: (source) => join(folder, source, "state"),
    byDefault: join(folder, "home/.local/state/regate"),
  },
  {
    name: "keys-dir",
    env: ["REGATE_KEYS_DIR"],
    value: (source) => `${source}/keys`,
    read: (options) => options.keysDir,
    becomes: (source) => join(folder, source, "keys"),
    byDefault: join(folder, "home/.config/regate/keys"),
  },
  {
    name: "agent-id",
    env: ["REGATE_AGENT_ID", "ADSSH_AGENT_ID"],
    value: (source) => `agent-${source}`,
    read: (options) => options.agentId,
    becomes: (source) => `agent-${source}`,
    byDefault: "mcp-4711",
  },
  {
    name: "agent-tools-file",
    env: ["REGATE_AGENT_TOOLS_FILE", "ADSSH_AGENT_TOOLS_FILE"],
    value: (source) => `${source}/list.txt`,
    read: (options) => options.allowlist && [...options.allowlist],
    becomes: (source) => [`${source}_tool`],
    byDefault: undefined,
  },
  {
    name: "context-file",
    env: ["REGATE_CONTEXT_FILE"],
    value: (source) => `${source}/context.json`,
    read: (options) => options.context,
    becomes: (source) => ({ source }),
    byDefault: undefined,
  },
  {
    name: "destructive-match",
    env: ["REGATE_DESTRUCTIVE_MATCH"],
    value: (source) => MATCHES[source] ?? "",
    read: (options) => options.destructiveMatch,
    becomes: (source) => MATCHES[source],
    byDefault: "words",
  },
  {
    name: "policy-deadline-ms",
    env: ["REGATE_POLICY_DEADLINE_MS"],
    value: (source) => DEADLINES[source] ?? "",
    inFile: (source) => Number(DEADLINES[source]),
    read: (options) => options.policyDeadlineMs,
    becomes: (source) => Number(DEADLINES[source]),
    byDefault: 1000,
  },
  {
    name: "confirm-timeout-ms",
    env: ["REGATE_CONFIRM_TIMEOUT_MS"],
    value: (source) => DEADLINES[source] ?? "",
    inFile: (source) => Number(DEADLINES[source]),
    read: (options) => options.confirmTimeoutMs,
    becomes: (source) => Number(DEADLINES[source]),
    byDefault: 120_000,
  },
  {
    name: "listen",
    env: ["REGATE_LISTEN"],
    value: (source) => `[::1]:${DEADLINES[source] ?? ""}`,
    read: (options) => options.http.listen,
    becomes: (source) => ({ host: "::1", port: Number(DEADLINES[source]) }),
    byDefault: undefined,
  },
  {
    name: "http-max-sessions",
    env: ["REGATE_HTTP_MAX_SESSIONS"],
    value: (source) => DEADLINES[source] ?? "",
    inFile: (source) => Number(DEADLINES[source]),
    read: (options) => options.http.limits.maxSessions,
    becomes: (source) => Number(DEADLINES[source]),
    byDefault: 256,
  },
  {
    name: "http-idle-seconds",
    env: ["REGATE_HTTP_IDLE_SECONDS"],
    value: (source) => DEADLINES[source] ?? "",
    inFile: (source) => Number(DEADLINES[source]),
    read: (options) => options.http.limits.idleMs,
    becomes: (source) => 1_000 * Number(DEADLINES[source]),
    byDefault: 3_600_000,
  },
  {
    name: "approval-wait",
    env: ["REGATE_APPROVAL_WAIT"],
    value: (source) => DEADLINES[source] ?? "",
    inFile: (source) => Number(DEADLINES[source]),
    read: (options) => options.approvalWaitMs,
    becomes: (source) => Number(DEADLINES[source]) * 1_000,
    byDefault: 0,
  },
  {
    name: "auth-issuer",
    env: ["REGATE_AUTH_ISSUER"],
    value: (source) => `https://${source}.example/x`,
    read: (options) => options.http.auth.issuer,
    becomes: (source) => `https://${source}.example/x`,
    byDefault: undefined,
  },
  {
    name: "auth-audience",
    env: ["REGATE_AUTH_AUDIENCE"],
    value: (source) => `https://${source}.example/x`,
    read: (options) => options.http.auth.audience,
    becomes: (source) => `https://${source}.example/x`,
    byDefault: undefined,
  },
  {
    name: "auth-jwks-url",
    env: ["REGATE_AUTH_JWKS_URL"],
    value: (source) => `https://${source}.example/x`,
    read: (options) => options.http.auth.jwksUrl,
    becomes: (source) => `https://${source}.example/x`,
    byDefault: undefined,
  },
  {
    name: "auth-jwks-file",
    env: ["REGATE_AUTH_JWKS_FILE"],
    value: (source) => `${source}/keys.json`,
    read: (options) => options.http.auth.jwksFile,
    becomes: (source) => join(folder, source, "keys.json"),
    byDefault: undefined,
  },
  {
    name: "auth-scope",
    env: ["REGATE_AUTH_SCOPE"],
    value: (source) => source,
    read: (options) => options.http.auth.scope,
    becomes: (source) => source,
    byDefault: undefined,
  },
  limitRow("starlark-steps", "REGATE_STARLARK_STEPS", { read: ({ starlark }) => starlark.steps, byDefault: 1_000_000 }),
  limitRow("starlark-time-ms", "REGATE_STARLARK_TIME_MS", { read: ({ starlark }) => starlark.timeMs, byDefault: 2_000 }),
  limitRow("starlark-memory-mb", "REGATE_STARLARK_MEMORY_MB", { read: ({ starlark }) => starlark.memoryMb, byDefault: 64 }),
  limitRow("starlark-output-bytes", "REGATE_STARLARK_OUTPUT_BYTES", { read: ({ starlark }) => starlark.outputBytes, byDefault: 65_536 }),
];

function limitRow(name: string, variable: string, { read, byDefault }: Pick<Row, "read" | "byDefault">): Row {
  return {
    name,
    env: [variable],
    value: (source) => STARLARK_LIMITS[source] ?? "",
    inFile: (source) => Number(STARLARK_LIMITS[source]),
    read,
    becomes: (source) => Number(STARLARK_LIMITS[source]),
    byDefault,
  };
}

function envOf(row: Row, empty: boolean): Record<string, string> {
  return Object.fromEntries(row.env.map((name) => [name, empty ? "" : row.value(name.startsWith("REGATE") ? "regate" : "adssh")]));
}

// The default bundle need not be built for these tests: where another setting is looked at, a bundle is named.
function named(row: Row, given: Given): Given {
  return row.name === "bundle" ? given : { ...given, flags: { bundle: "flag/bundle", ...given.flags } };
}

describe("precedence", () => {
  it("covers every setting with a value", () => {
    // Those of delegated execution are not options of a server without it: delegate-options.test.ts.
    const delegated = Object.values(DELEGATE_SETTINGS).map(({ name }) => name);
    // Those of shared state go together: shared-options.test.ts.
    // Those of device logins go together: device-options.test.ts.
    const shared = Object.values(SHARED_SETTINGS).map(({ name }) => name);
    const others = new Set<string>([...delegated, ...shared, "device-issuer", "device-client-id", "device-scope"]);
    const settings = Object.values(SETTINGS).filter((setting) => setting.kind !== "switch" && !others.has(setting.name));
    expect(ROWS.map(({ name, env }) => ({ name, env }))).toEqual(
      expect.arrayContaining(settings.map(({ name, env }) => ({ name, env: [...env] }))),
    );
    expect(ROWS).toHaveLength(settings.length);
  });
  it.each(ROWS)("[003-list-flag-wins] [003-claim-agent] the flag beats everything: $name", async (row) => {
    const file = { [row.name]: row.inFile?.("file") ?? row.value("file") };
    const options = await serveOptions(named(row, { flags: { [row.name]: row.value("flag") }, env: envOf(row, false), file }));
    expect(row.read(options)).toEqual(row.becomes("flag"));
  });
  it.each(ROWS)("REGATE_* beats ADSSH_* and the file: $name", async (row) => {
    const file = { [row.name]: row.inFile?.("file") ?? row.value("file") };
    expect(row.read(await serveOptions(named(row, { env: envOf(row, false), file })))).toEqual(row.becomes("regate"));
  });
  it.each(ROWS.filter((row) => row.env.length > 1))("ADSSH_* beats the file when REGATE_* is empty: $name", async (row) => {
    const env = { ...envOf(row, false), [row.env[0] ?? ""]: "" };
    const file = { [row.name]: row.value("file") };
    expect(row.read(await serveOptions(named(row, { env, file })))).toEqual(row.becomes("adssh"));
  });
  it.each(ROWS)("the file counts when every variable is empty: $name", async (row) => {
    const file = { [row.name]: row.inFile?.("file") ?? row.value("file") };
    expect(row.read(await serveOptions(named(row, { env: envOf(row, true), file })))).toEqual(row.becomes("file"));
  });
  it.each(ROWS.filter((row) => row.name !== "bundle"))(
    "[003-claim-default] [003-list-unset] nothing gives the default: $name",
    async (row) => {
      expect(row.read(await serveOptions(named(row, { env: envOf(row, true), file: {} })))).toEqual(row.byDefault);
    },
  );
  it("REGATE_CONFIG names the file, and --config beats it", async () => {
    const bundle = "flag/bundle";
    const env = { REGATE_CONFIG: configFile({ "agent-id": "from-env", bundle }) };
    expect((await serveOptions({ env })).agentId).toBe("from-env");
    expect((await serveOptions({ env, file: { "agent-id": "from-flag", bundle } })).agentId).toBe("from-flag");
  });
  it("relative paths in the file refer to its folder", async () => {
    writeFileSync(
      join(folder, "file", "config.json"),
      JSON.stringify({ workdir: "bundle", "agent-tools-file": "list.txt", bundle: "./bundle" }),
    );
    const options = await serveOptions({ env: { REGATE_CONFIG: "file/config.json" } });
    expect(options).toMatchObject({
      workdir: join(folder, "file/bundle"),
      bundle: { path: join(folder, "file/bundle"), given: "./bundle" },
    });
    expect(options.allowlist).toEqual(new Set(["file_tool"]));
  });
});

describe("allowlist", () => {
  it("[003-list-empty-flag] an empty flag means none, whatever else is set", async () => {
    const options = await serveOptions({
      flags: { "agent-tools-file": "", bundle: "flag/bundle" },
      env: { REGATE_AGENT_TOOLS_FILE: "regate/list.txt", ADSSH_AGENT_TOOLS_FILE: "adssh/list.txt" },
      file: { "agent-tools-file": "file/list.txt" },
    });
    expect(options.allowlist).toBeUndefined();
    expect(options.allowlistFile).toBeUndefined();
  });
  it("[003-list-configured] an empty file is an allowlist without a name", async () => {
    writeFileSync(join(folder, "empty.txt"), "");
    expect((await serveOptions({ flags: { "agent-tools-file": "empty.txt", bundle: "flag/bundle" } })).allowlist).toEqual(new Set());
  });
});

const DRY_RUN: readonly (readonly [string, Given, boolean])[] = [
  ["nothing", {}, false],
  ["the flag", { on: ["require-agent-dry-run"] }, true],
  ["REGATE true", { env: { REGATE_AGENT_REQUIRE_DRY_RUN: "true" } }, true],
  ["ADSSH true", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "true" } }, true],
  ["TRUE", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "TRUE" } }, true],
  ["tRuE", { env: { REGATE_AGENT_REQUIRE_DRY_RUN: "tRuE" } }, true],
  ["REGATE false, ADSSH true", { env: { REGATE_AGENT_REQUIRE_DRY_RUN: "false", ADSSH_AGENT_REQUIRE_DRY_RUN: "true" } }, true],
  ["REGATE true, ADSSH 0", { env: { REGATE_AGENT_REQUIRE_DRY_RUN: "true", ADSSH_AGENT_REQUIRE_DRY_RUN: "0" } }, true],
  [
    "the flag, both variables false",
    { on: ["require-agent-dry-run"], env: { REGATE_AGENT_REQUIRE_DRY_RUN: "false", ADSSH_AGENT_REQUIRE_DRY_RUN: "false" } },
    true,
  ],
  ["1", { env: { REGATE_AGENT_REQUIRE_DRY_RUN: "1" } }, false],
  ["yes", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "yes" } }, false],
  ["a space before", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: " true" } }, false],
  ["a space after", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "true " } }, false],
  ["a line feed after", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "true\n" } }, false],
  ["full-width letters", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "ｔｒｕｅ" } }, false],
  ["empty", { env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "" } }, false],
  ["the file", { file: { "require-agent-dry-run": true } }, true],
  ["the file says false", { file: { "require-agent-dry-run": false } }, false],
  [
    "the file says false, the variable true",
    { file: { "require-agent-dry-run": false }, env: { ADSSH_AGENT_REQUIRE_DRY_RUN: "true" } },
    true,
  ],
];

describe("require-agent-dry-run", () => {
  it.each(DRY_RUN)("[003-dry-run-switch] %s", async (_name, given, on) => {
    expect((await serveOptions({ ...given, flags: { bundle: "flag/bundle" } })).requireDryRun).toBe(on);
  });
});

const IDENTITY_SWITCHES = [
  ["identity-require-profile", "REGATE_IDENTITY_REQUIRE_PROFILE", "requireProfile"],
  ["identity-bind-profile", "REGATE_IDENTITY_BIND_PROFILE", "bindProfile"],
] as const;

describe.each(IDENTITY_SWITCHES)("%s", (name, variable, option) => {
  const rules = async (given: Given) => (await serveOptions({ ...given, flags: { bundle: "flag/bundle" } })).identityRules;
  it("is off unless a source turns it on", async () => {
    expect(await rules({})).toEqual({ requireProfile: false, bindProfile: false });
    expect((await rules({ env: { [variable]: "1" }, file: { [name]: false } }))[option]).toBe(false);
  });
  it.each([
    ["the flag", { on: [name] }],
    ["the variable", { env: { [variable]: "True" } }],
    ["the file", { file: { [name]: true } }],
  ])("is turned on by %s, and alone", async (_source, given) => {
    expect(await rules(given)).toEqual({ requireProfile: false, bindProfile: false, [option]: true });
  });
});

const STATE: readonly (readonly [string, Record<string, string>, string])[] = [
  ["XDG_STATE_HOME", { XDG_STATE_HOME: "/xdg/state" }, "/xdg/state/regate"],
  ["a relative XDG_STATE_HOME is ignored", { XDG_STATE_HOME: "xdg" }, "home/.local/state/regate"],
  ["an empty XDG_STATE_HOME is ignored", { XDG_STATE_HOME: "" }, "home/.local/state/regate"],
  ["REGATE_STATE_DIR beats XDG_STATE_HOME", { XDG_STATE_HOME: "/xdg/state", REGATE_STATE_DIR: "s" }, "s"],
];

describe("state directory", () => {
  it.each(STATE)("%s", async (_name, env, path) => {
    expect((await serveOptions({ env, flags: { bundle: "flag/bundle" } })).stateDir).toBe(path.startsWith("/") ? path : join(folder, path));
  });
});

describe("shell classify", () => {
  it("takes its settings from the same places", async () => {
    const env = { REGATE_SHELL_TABLES: "regate/tables.json", REGATE_DESTRUCTIVE_MATCH: "text" };
    expect(await resolveClassifyOptions(NO_FLAGS, { ...around, env }, checkTables)).toEqual({
      destructiveMatch: "text",
      shellTablesFile: join(folder, "regate/tables.json"),
      shellTablesText: '{"data":["regate"]}',
    });
    expect(await resolveClassifyOptions(NO_FLAGS, around, checkTables)).toEqual({ destructiveMatch: "words" });
  });
});

writeFileSync(join(folder, "plain"), "{}");
writeFileSync(join(folder, "bad-tables.json"), '{"data":["bad"]}');
const REFUSED: readonly (readonly [string, Given, string, string])[] = [
  [
    "shell tables that the classifier refuses, with its reason",
    { flags: { "shell-tables": "bad-tables.json" } },
    "config.option",
    "shell tables file `bad-tables.json` key `data[0]`: is\nbad",
  ],
  ["shell tables that are missing", { flags: { "shell-tables": "none" } }, "config.option", "shell tables file `none` does not exist"],
  [
    "shell tables that are a folder",
    { flags: { "shell-tables": "file" } },
    "config.option",
    "shell tables file `file` is not a regular file",
  ],
  [
    "agent id of an env variable",
    { env: { ADSSH_AGENT_ID: "two words" } },
    "config.option",
    "`ADSSH_AGENT_ID`: `two words` must be 1 to 128 letters",
  ],
  ["agent id too long", { env: { REGATE_AGENT_ID: "x".repeat(129) } }, "config.option", "`REGATE_AGENT_ID`"],
  ["a locale that is none", { flags: { locale: "de/../x" } }, "config.option", "`--locale`: `de/../x` must be a locale"],
  ["no age at all", { env: { REGATE_IDENTITY_MAX_AGE_SECONDS: "0" } }, "config.option", "must be a whole number from 1 to 999999999"],
  ["half a mutation", { file: { "identity-max-mutations": 0.5 } }, "config.file", "must be a whole number from 1 to 999999999"],
  [
    "profiles file that is not there",
    { flags: { "profiles-file": "none.json" } },
    "config.option",
    "profiles file `none.json` does not exist",
  ],
  ["empty agent id flag", { flags: { "agent-id": "" } }, "config.option", "`--agent-id`: `` must not be empty"],
  [
    "deadline of an env variable",
    { env: { REGATE_POLICY_DEADLINE_MS: "2s" } },
    "config.option",
    "`REGATE_POLICY_DEADLINE_MS`: `2s` must be a whole number from 1 to 600000",
  ],
  ["deadline 0", { env: { REGATE_POLICY_DEADLINE_MS: "0" } }, "config.option", "`0`"],
  ["confirm timeout 0", { env: { REGATE_CONFIRM_TIMEOUT_MS: "0" } }, "config.option", "`0` must be a whole number from 1 to 3600000"],
  ["confirm timeout above the limit", { env: { REGATE_CONFIRM_TIMEOUT_MS: "3600001" } }, "config.option", "`3600001`"],
  ["deadline above the limit", { env: { REGATE_POLICY_DEADLINE_MS: "600001" } }, "config.option", "`600001`"],
  [
    "destructive match",
    { env: { REGATE_DESTRUCTIVE_MATCH: "Words" } },
    "config.option",
    "`REGATE_DESTRUCTIVE_MATCH`: `Words` must be `words` or `text`",
  ],
  ["missing working directory", { flags: { workdir: "no/dir" } }, "config.option", "working directory `no/dir` cannot be used (ENOENT)"],
  ["working directory that is a file", { flags: { workdir: "plain" } }, "config.option", "working directory `plain` is not a directory"],
  ["state directory that is a file", { flags: { "state-dir": "plain" } }, "config.option", "state directory `plain` is not a directory"],
  [
    "state directory below a file",
    { flags: { "state-dir": "plain/x" } },
    "config.option",
    "state directory `plain/x` cannot be used (ENOTDIR)",
  ],
  ["missing context file", { flags: { "context-file": "none.json" } }, "config.option", "context file `none.json` does not exist"],
  ["context that is no object", { flags: { "context-file": configFile("[1]") } }, "config.option", "must hold a JSON object"],
  [
    "context with two equal keys",
    { flags: { "context-file": configFile('{"a":1,"a":2}') } },
    "config.option",
    "has an object with two equal keys",
  ],
  ["context that is a device", { flags: { "context-file": "/dev/zero" } }, "config.option", "is not a regular file"],
  ["missing configuration", { flags: { config: "none.json" } }, "config.file", "configuration `none.json` does not exist"],
  ["configuration that is a directory", { flags: { config: "flag" } }, "config.file", "configuration `flag` is not a regular file"],
  ["configuration that is not JSON", { file: "agent-id: x" }, "config.file", "is not JSON"],
  ["configuration that is an array", { file: [] }, "config.file", "must hold a JSON object"],
  ["configuration with an unknown key", { file: { agent_id: "x" } }, "config.file", "has an unknown key `agent_id`"],
  ["configuration with __proto__", { file: '{"__proto__":{}}' }, "config.file", "has an unknown key `__proto__`"],
  ["configuration with config", { file: { config: "x" } }, "config.file", "has an unknown key `config`"],
  ["configuration with two equal keys", { file: '{"agent-id":"a","agent-id":"b"}' }, "config.file", "has an object with two equal keys"],
  ["configuration with a number for a text", { file: { "agent-id": 1 } }, "config.file", "key `agent-id` must be a string"],
  [
    "configuration with a text for a number",
    { file: { "policy-deadline-ms": "5" } },
    "config.file",
    "key `policy-deadline-ms` must be a number",
  ],
  [
    "configuration with a text for a switch",
    { file: { "require-agent-dry-run": "true" } },
    "config.file",
    "key `require-agent-dry-run` must be true or false",
  ],
  [
    "configuration with an empty allowlist name",
    { file: { "agent-tools-file": "" } },
    "config.file",
    "key `agent-tools-file` must not be empty",
  ],
  ["configuration with a bad agent id", { file: { "agent-id": "a b" } }, "config.file", "key `agent-id` must be 1 to 128"],
  ["configuration with null", { file: { bundle: null } }, "config.file", "key `bundle` must be a string"],
  ["missing allowlist", { env: { ADSSH_AGENT_TOOLS_FILE: "none.txt" } }, "config.allowlist", "allowlist `none.txt` does not exist"],
  ["unknown bundle", { flags: { bundle: "nope" } }, "config.bundle", "bundle `nope` does not exist: give a packaged bundle"],
  ["bundle path that does not exist", { flags: { bundle: "no/such.tar.gz" } }, "config.bundle", "bundle `no/such.tar.gz` does not exist"],
  [
    "bundle that is a device",
    { flags: { bundle: "/dev/null" } },
    "config.bundle",
    "bundle `/dev/null` is neither a folder nor a regular file",
  ],
  [
    "bundle `..` is no packaged name",
    { flags: { bundle: "../regate-nowhere" } },
    "config.bundle",
    "bundle `../regate-nowhere` does not exist",
  ],
];

describe("refusals", () => {
  it.each(REFUSED)("%s", async (_name, given, code, message) => {
    const error = await refusal({ ...given, flags: { bundle: "flag/bundle", ...given.flags } });
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
  const WORSE: readonly (readonly [string, Given, string])[] = [
    ["configuration before allowlist and bundle", { file: { x: 1 }, flags: { "agent-tools-file": "none", bundle: "none" } }, "config.file"],
    ["an option before allowlist and bundle", { flags: { workdir: "none", "agent-tools-file": "none", bundle: "none" } }, "config.option"],
    ["allowlist before bundle", { flags: { "agent-tools-file": "none", bundle: "none" } }, "config.allowlist"],
  ];
  it.each(WORSE)("%s", async (_name, given, code) => {
    expect((await refusal(given)).code).toBe(code);
  });
});

describe("the result", () => {
  it("is frozen and holds real paths", async () => {
    symlinkSync(join(folder, "flag"), join(folder, "alias"));
    const options = await serveOptions({ flags: { workdir: "alias", bundle: "flag/bundle" } });
    expect(options.workdir).toBe(join(folder, "flag"));
    expect(Object.isFrozen(options)).toBe(true);
    expect(Object.isFrozen(options.environment)).toBe(true);
  });
  it("serve gives a deadline to bundles of one's own, and to those that Regate ships only when told so", async () => {
    const deadlineOf = async (flags: Record<string, string>) => (await serveOptions({ flags })).policyDeadlineMs;
    expect(await deadlineOf({ bundle: "flag/bundle" })).toBe(1000);
    expect(await deadlineOf({ bundle: "agent-session" })).toBeUndefined();
    expect(await deadlineOf({ bundle: "agent-session", "policy-deadline-ms": "7" })).toBe(7);
  });
  it("decide has no deadline unless one is given", async () => {
    const flags: FlagValues = { values: new Map([["bundle", "flag/bundle"]]), switches: new Set() };
    expect(await resolveDecideOptions(flags, around)).toEqual({
      bundle: { given: "flag/bundle", path: join(folder, "flag/bundle"), packaged: false },
      policy: { dialect: "regate" },
    });
    const env = { REGATE_POLICY_DEADLINE_MS: "50", REGATE_BUNDLE: "regate/bundle" };
    expect(await resolveDecideOptions(NO_FLAGS, { ...around, env })).toMatchObject({
      policyDeadlineMs: 50,
      bundle: { given: "regate/bundle" },
    });
  });
});

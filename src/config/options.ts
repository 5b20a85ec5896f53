import { realpathSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject } from "../call/json.ts";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { defaultAgentId } from "./agent-id.ts";
import { type BundleChoice, findBundle } from "./bundle.ts";
import { deadline, deadlineOf } from "./policy-deadline.ts";
import { type DeclaredQueries, readCloudQueriesFile } from "./cloud-queries-file.ts";
import { ConfigError, errorCode } from "./config-error.ts";
import { type HttpOptions, httpOptions } from "./http-settings.ts";
import { keysDirOf } from "./govern-settings.ts";
import { type IdentityOptions, identityOptions } from "./identity-options.ts";
import { readBoundedFile } from "./read-file.ts";
import { type DeclaredProfile, readProfilesFile } from "./profiles-file.ts";
import { CONFIG_SETTING, SETTINGS } from "./settings.ts";
import { type FlagValues, pathOf, pick, type Picked, type Sources, type Surroundings, switchedOn } from "./sources.ts";
import { commandOptions, type CommandOptions } from "./sandbox-settings.ts";
import { sharedOptions, type SharedOption } from "./shared-settings.ts";
import { starlarkOptions, type StarlarkOptions } from "./starlark-settings.ts";
import { readShellTables, type ShellTablesCheck, type ShellTablesOption } from "./shell-tables-file.ts";
import { type GovernedToolOptions, governedToolOptions } from "./tool-settings.ts";
import { checkFolder, defaultStateDir } from "./state-dir.ts";
import { readToolsFile } from "./tools-file.ts";

const DEFAULT_CONFIRM_TIMEOUT_MS = 120_000;
const MAX_CONTEXT_BYTES = 1_048_576;
/** Where the packaged bundles are. */
export const PACKAGED_BUNDLES = fileURLToPath(new URL("../../wasm", import.meta.url));

/** How the bundle is to be loaded. */
export interface PolicyOptions {
  /** The digest that the bundle must have. */
  readonly expectDigest?: string;
  readonly dialect: "regate" | "opa-allow" | "decision";
}

/** Everything that `serve` needs to know, frozen and validated (design §3). */
export interface ServeOptions extends ShellTablesOption, GovernedToolOptions, SharedOption {
  readonly bundle: BundleChoice;
  readonly policy: PolicyOptions;
  /** Real path of the working directory. */
  readonly workdir: string;
  readonly stateDir: string;
  /** Folder of the private keys of this user: hidden from commands, never read by the server. */
  readonly keysDir: string;
  readonly agentId: string;
  /** Entitled tools; undefined when no allowlist is configured, and then policy is the only tool gate. */
  readonly allowlist?: ReadonlySet<string>;
  readonly allowlistFile?: string;
  readonly requireDryRun: boolean;
  readonly context?: Readonly<JsonObject>;
  readonly contextFile?: string;
  readonly configFile?: string;
  /** Key of the publisher's proof; set by the commands that use one. */
  readonly proofKeyFile?: string;
  /** Profiles that the operator declares; undefined when no file is named. */
  readonly declaredProfiles?: readonly DeclaredProfile[];
  readonly profilesFile?: string;
  /** Language of texts that come from a catalogue. */
  readonly locale?: string;
  readonly identityRules: IdentityOptions;
  readonly destructiveMatch: "words" | "text";
  /** Milliseconds of one evaluation, which then runs in a thread of its own; absent: none. */
  readonly policyDeadlineMs?: number;
  readonly starlark: StarlarkOptions;
  readonly commands: CommandOptions;
  /** Further queries of cloud_query. */
  readonly cloudQueries?: DeclaredQueries;
  readonly cloudQueriesFile?: string;
  /** Whether HTTP is served in place of stdio, and how. */
  readonly http: HttpOptions;
  /** Home directory of this process. */
  readonly home: string;
  /** How long a call waits for the approval of a human outside the session; 0: not at all. */
  readonly approvalWaitMs: number;
  /** How long a human has to confirm a call. */
  readonly confirmTimeoutMs: number;
  /** Environment of this process, for the allow-list of run_shell. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What `shell classify` needs to know. */
export interface ClassifyOptions extends ShellTablesOption {
  readonly destructiveMatch: "words" | "text";
}

/** What `decide` needs to know. */
export interface DecideOptions {
  readonly bundle: BundleChoice;
  readonly policy: PolicyOptions;
  /** Undefined: in this thread and without a time limit. */
  readonly policyDeadlineMs?: number;
}

/** The sources of settings, the configuration file among them. @throws ConfigError `config.file` */
export async function withFile(flags: FlagValues, around: Surroundings): Promise<Sources> {
  const config = pick(CONFIG_SETTING, { ...around, flags });
  if (config === undefined) return { ...around, flags };
  const { readConfigFile } = await import("./config-file.ts");
  return { ...around, flags, file: readConfigFile(config.value, around.cwd) };
}

function realWorkdir(picked: Picked | undefined, cwd: string): string {
  const path = picked === undefined ? cwd : pathOf(picked);
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (cause) {
    throw new ConfigError(
      "config.option",
      `working directory \`${picked?.value ?? path}\` cannot be used (${errorCode(cause)}): give an existing directory`,
      { cause },
    );
  }
  throw new ConfigError("config.option", `working directory \`${picked?.value ?? path}\` is not a directory`);
}

function readContext(picked: Picked | undefined): { contextFile?: string; context?: Readonly<JsonObject> } {
  if (picked === undefined) return {};
  const contextFile = pathOf(picked);
  const read = readBoundedFile(contextFile, { maxBytes: MAX_CONTEXT_BYTES, links: true });
  const parsed = read.ok ? parseJsonOnce(read.text) : read;
  if (!parsed.ok) throw new ConfigError("config.option", `context file \`${picked.value}\` ${parsed.problem}`, { cause: parsed.cause });
  if (!isJsonObject(parsed.value)) throw new ConfigError("config.option", `context file \`${picked.value}\` must hold a JSON object`);
  return { contextFile, context: parsed.value };
}

/** The state directory, which need not exist. @throws ConfigError `config.option` */
export function readStateDir(sources: Sources): string {
  const picked = pick(SETTINGS.stateDir, sources);
  const path = picked === undefined ? defaultStateDir(sources.env, sources.home) : pathOf(picked);
  checkFolder(path, { what: "state directory", given: picked?.value ?? path });
  return path;
}

function readAllowlist(picked: Picked | undefined): { allowlistFile?: string; allowlist?: ReadonlySet<string> } {
  if (picked === undefined || picked.value === "") return {};
  const allowlistFile = pathOf(picked);
  return { allowlistFile, allowlist: readToolsFile(allowlistFile, picked.value) };
}

function readProfiles(picked: Picked | undefined): Pick<ServeOptions, "profilesFile" | "declaredProfiles"> {
  if (picked === undefined) return {};
  const profilesFile = pathOf(picked);
  return { profilesFile, declaredProfiles: readProfilesFile(profilesFile, picked.value) };
}

function readCloudQueries(picked: Picked | undefined): Pick<ServeOptions, "cloudQueriesFile" | "cloudQueries"> {
  if (picked === undefined) return {};
  const cloudQueriesFile = pathOf(picked);
  return { cloudQueriesFile, cloudQueries: readCloudQueriesFile(cloudQueriesFile, picked.value) };
}

function localeOption(sources: Sources): { locale?: string } {
  const picked = pick(SETTINGS.locale, sources);
  return picked === undefined ? {} : { locale: picked.value };
}

function destructiveMatch(sources: Sources): "words" | "text" {
  return pick(SETTINGS.destructiveMatch, sources)?.value === "text" ? "text" : "words";
}

function policyOptions(sources: Sources): PolicyOptions {
  const digest = pick(SETTINGS.bundleDigest, sources);
  const dialect = (pick(SETTINGS.policyDialect, sources)?.value ?? "regate") as PolicyOptions["dialect"];
  return Object.freeze(digest === undefined ? { dialect } : { dialect, expectDigest: digest.value });
}

/**
 * Options of `serve`, judged in this order: configuration, allowlist, bundle; nothing is made or loaded (design §3, exit codes).
 * @param flags what the command line gave, already checked for form
 * @param checkTables judges the text of a shell tables file
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveServeOptions(flags: FlagValues, around: Surroundings, checkTables: ShellTablesCheck): Promise<ServeOptions> {
  const sources = await withFile(flags, around);
  const picked = {
    workdir: realWorkdir(pick(SETTINGS.workdir, sources), sources.cwd),
    stateDir: readStateDir(sources),
    keysDir: keysDirOf(sources),
    agentId: pick(SETTINGS.agentId, sources)?.value ?? defaultAgentId(sources.pid),
    requireDryRun: switchedOn(SETTINGS.requireAgentDryRun, sources),
    destructiveMatch: destructiveMatch(sources),
    approvalWaitMs: Number(pick(SETTINGS.approvalWait, sources)?.value ?? 0) * 1_000,
    confirmTimeoutMs: Number(pick(SETTINGS.confirmTimeoutMs, sources)?.value ?? DEFAULT_CONFIRM_TIMEOUT_MS),
    policy: policyOptions(sources),
    environment: Object.freeze({ ...sources.env }),
    identityRules: identityOptions(sources),
    starlark: starlarkOptions(sources),
    ...governedToolOptions(sources),
    http: httpOptions(sources),
    ...sharedOptions(sources),
    commands: commandOptions(sources),
    home: sources.home,
    ...localeOption(sources),
    ...readContext(pick(SETTINGS.contextFile, sources)),
    ...readCloudQueries(pick(SETTINGS.cloudQueries, sources)),
    ...readProfiles(pick(SETTINGS.profilesFile, sources)),
    ...(await readShellTables(pick(SETTINGS.shellTables, sources), checkTables)),
    ...(sources.file === undefined ? {} : { configFile: sources.file.path }),
  };
  const allowlist = readAllowlist(pick(SETTINGS.agentToolsFile, sources));
  const bundle = Object.freeze(findBundle(pick(SETTINGS.bundle, sources), PACKAGED_BUNDLES));
  return Object.freeze({ ...picked, ...allowlist, bundle, ...deadlineOf(bundle, sources) });
}

/**
 * Options of `decide`, by the same precedence and in the same order as those of `serve`.
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveDecideOptions(flags: FlagValues, around: Surroundings): Promise<DecideOptions> {
  const sources = await withFile(flags, around);
  const policyDeadlineMs = deadline(sources);
  const policy = policyOptions(sources);
  const bundle = Object.freeze(findBundle(pick(SETTINGS.bundle, sources), PACKAGED_BUNDLES));
  return Object.freeze(policyDeadlineMs === undefined ? { bundle, policy } : { bundle, policy, policyDeadlineMs });
}

/**
 * Options of `shell classify`, by the same precedence as those of `serve`.
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveClassifyOptions(flags: FlagValues, around: Surroundings, check: ShellTablesCheck): Promise<ClassifyOptions> {
  const sources = await withFile(flags, around);
  const tables = await readShellTables(pick(SETTINGS.shellTables, sources), check);
  return Object.freeze({ destructiveMatch: destructiveMatch(sources), ...tables });
}

import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";

/** Settings of one tool, or of all tools of a server; members of an entry's `regate`. */
export interface ConfiguredTool {
  readonly arguments?: "types" | "full" | "off";
  readonly timeoutMs?: number;
  readonly concurrency?: number;
}

interface Common extends ConfiguredTool {
  readonly id: string;
  readonly tools: ReadonlyMap<string, ConfiguredTool>;
}

/** One server of a host's configuration (reference/gateway.md, Command line and configuration). */
export type ConfiguredServer =
  | (Common & {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** `false`: without a sandbox although there is one. */
      readonly sandbox?: boolean;
    })
  | (Common & { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> });

/** What a configuration says. */
export interface McpFile {
  readonly servers: readonly ConfiguredServer[];
  /** Lines for stderr about what is ignored. */
  readonly notes: readonly string[];
}

const MAX_BYTES = 4 * 1024 * 1024;
const ID = /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/;
const KNOWN = new Set(["command", "args", "env", "cwd", "url", "headers", "disabled", "regate"]);
const TOOL_MEMBERS: ReadonlySet<string> = new Set(["arguments", "timeout_ms", "concurrency"]);
const SERVER_MEMBERS: ReadonlySet<string> = new Set([...TOOL_MEMBERS, "id", "sandbox", "tools"]);
const CHECKS: ReadonlySet<unknown> = new Set(["types", "full", "off"]);

/**
 * Reads a configuration in the hosts' form: `mcpServers`, server id to `{command, args?, env?, cwd?}` or `{url, headers?}`.
 * @param given how messages name the file
 * @throws ConfigError that names the file and the server, before anything is started
 */
export function readMcpFile(path: string, given: string): McpFile {
  const read = readBoundedFile(path, { maxBytes: MAX_BYTES, links: true });
  const parsed = read.ok ? parseJsonOnce(read.text) : read;
  if (!parsed.ok) throw new ConfigError("config.option", `configuration \`${given}\` ${parsed.problem}`, { cause: parsed.cause });
  const servers = isJsonObject(parsed.value) ? parsed.value["mcpServers"] : undefined;
  if (!isJsonObject(servers)) throw new ConfigError("config.option", `configuration \`${given}\` must hold an object \`mcpServers\``);
  const notes: string[] = [];
  const all = Object.entries(servers).flatMap(([key, entry]) => {
    const server = serverOf(key, entry, { given, notes });
    return server === undefined ? [] : [server];
  });
  const doubled = all.find(({ id }, index) => all.findIndex((other) => other.id === id) !== index);
  if (doubled !== undefined)
    throw new ConfigError("config.option", `configuration \`${given}\`: two servers have the id \`${doubled.id}\``);
  if (all.length === 0)
    throw new ConfigError("config.option", `configuration \`${given}\`: \`mcpServers\` has no server that is not disabled`);
  return { servers: all, notes };
}

interface Reading {
  readonly given: string;
  readonly notes: string[];
}

function serverOf(key: string, entry: JsonValue, reading: Reading): ConfiguredServer | undefined {
  const fail = (what: string): never => {
    throw new ConfigError("config.option", `configuration \`${reading.given}\`: server \`${visible(key)}\`: ${what}`);
  };
  if (!isJsonObject(entry)) return fail("must be an object");
  const { command, url, disabled, regate } = entry;
  if (disabled === true) {
    reading.notes.push(`server \`${visible(key)}\` is disabled and skipped`);
    return undefined;
  }
  if (regate !== undefined && !isJsonObject(regate)) return fail("`regate` must be an object");
  refuseUnknown(regate, { known: SERVER_MEMBERS, where: "regate", fail });
  const id = regate?.["id"] ?? key;
  if (typeof id !== "string" || !ID.test(id)) {
    const which = typeof id === "string" && id !== key ? `the id \`${visible(id)}\`` : "the id";
    return fail(`${which} must match \`${ID.source}\`: add \`"regate": {"id": "…"}\` to its entry`);
  }
  if ((command === undefined) === (url === undefined)) return fail("must have either `command` or `url`");
  const common = { id, ...toolSettings(regate, fail), tools: toolsOf(regate?.["tools"], fail) };
  const ignored = Object.keys(entry).filter((name) => !KNOWN.has(name));
  if (ignored.length > 0) reading.notes.push(`server \`${id}\`: ignored: ${ignored.map((name) => `\`${visible(name)}\``).join(", ")}`);
  return command === undefined ? httpServer(entry, common, fail) : stdioServer(entry, common, fail);
}

type Fail = (what: string) => never;

interface Members {
  readonly known: ReadonlySet<string>;
  readonly where: string;
  readonly fail: Fail;
}

/** `regate` is ours: a misspelt member would be a setting that does not hold. */
function refuseUnknown(settings: JsonObject | undefined, { known, where, fail }: Members): void {
  const unknown = Object.keys(settings ?? {}).find((name) => !known.has(name));
  if (unknown !== undefined) fail(`\`${where}\` has an unknown member \`${visible(unknown)}\`: ${[...known].join(", ")} are known`);
}

function stdioServer({ command, args, env, cwd, regate }: JsonObject, common: Common, fail: Fail): ConfiguredServer {
  if (typeof command !== "string" || command === "") return fail("`command` must be a string that is not empty");
  if (args !== undefined && !isStrings(args)) return fail("`args` must be a list of strings");
  if (env !== undefined && !isStringMap(env)) return fail("`env` must be an object of strings");
  if (cwd !== undefined && typeof cwd !== "string") return fail("`cwd` must be a string");
  if ([command, ...(args ?? []), ...Object.entries(env ?? {}).flat(), cwd ?? ""].some((text) => text.includes("\0")))
    return fail("holds a NUL");
  const sandbox = isJsonObject(regate) ? regate["sandbox"] : undefined;
  if (sandbox !== undefined && typeof sandbox !== "boolean") return fail("`regate.sandbox` must be true or false");
  const further = { ...(cwd === undefined ? {} : { cwd }), ...(sandbox === undefined ? {} : { sandbox }) };
  return { ...common, kind: "stdio", command, args: args ?? [], env: env ?? {}, ...further };
}

function httpServer({ url, headers }: JsonObject, common: Common, fail: Fail): ConfiguredServer {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (typeof url !== "string" || parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return fail("`url` must be an http or https URL");
  if (headers !== undefined && !isStringMap(headers)) return fail("`headers` must be an object of strings");
  return { ...common, kind: "http", url, headers: headers ?? {} };
}

function toolsOf(tools: JsonValue | undefined, fail: Fail): ReadonlyMap<string, ConfiguredTool> {
  if (tools === undefined) return new Map();
  if (!isJsonObject(tools)) return fail("`regate.tools` must be an object");
  return new Map(
    Object.entries(tools).map(([name, settings]) => {
      if (!isJsonObject(settings)) return fail(`\`regate.tools\`: \`${visible(name)}\` must be an object`);
      refuseUnknown(settings, { known: TOOL_MEMBERS, where: `regate.tools.${visible(name)}`, fail });
      return [name, toolSettings(settings, fail)];
    }),
  );
}

function toolSettings(settings: JsonObject | undefined, fail: Fail): ConfiguredTool {
  const { arguments: check, timeout_ms: timeout, concurrency } = settings ?? {};
  if (check !== undefined && !CHECKS.has(check)) return fail("`arguments` must be `types`, `full` or `off`");
  if (timeout !== undefined && !isCount(timeout, 86_400_000)) return fail("`timeout_ms` must be a whole number from 1");
  if (concurrency !== undefined && !isCount(concurrency, 10_000)) return fail("`concurrency` must be a whole number from 1");
  return {
    ...(check === undefined ? {} : { arguments: check as "types" | "full" | "off" }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout as number }),
    ...(concurrency === undefined ? {} : { concurrency: concurrency as number }),
  };
}

function isCount(value: JsonValue, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
}

function isStrings(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isStringMap(value: JsonValue): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === "string");
}

function visible(text: string): string {
  return JSON.stringify(text).slice(1, -1).replaceAll("`", "'").slice(0, 80);
}

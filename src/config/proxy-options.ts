import { resolve } from "node:path";
import { ConfigError } from "./config-error.ts";
import { readMcpFile, type McpFile } from "./mcp-file.ts";
import { wholeNumber, type Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";
import { pathOf, pick, type FlagValues, type Sources, type Surroundings } from "./sources.ts";

/** Settings of `proxy` alone. */
export const PROXY_SETTINGS = {
  upstreamTimeoutMs: {
    name: "upstream-timeout-ms",
    kind: "number",
    env: ["REGATE_UPSTREAM_TIMEOUT_MS"],
    placeholder: "MS",
    describe: "how long a forwarded call, or a read of a resource or prompt, may take (default: 60000)",
    problem: wholeNumber(1, 86_400_000),
  },
  maxResultBytes: {
    name: "max-result-bytes",
    kind: "number",
    env: ["REGATE_MAX_RESULT_BYTES"],
    placeholder: "BYTES",
    describe: "largest result of an upstream, serialised whole (default: 8388608)",
    problem: wholeNumber(1, 268_435_456),
  },
  pins: {
    name: "pins",
    kind: "text",
    env: ["REGATE_PINS"],
    placeholder: "FILE",
    describe: "lock file of upstream definitions (default: pins.json in the state directory)",
  },
} as const satisfies Record<string, Setting>;

/** What `proxy` needs beside the options that it shares with `serve`. */
export interface ProxyOptions extends McpFile {
  readonly limits: { readonly timeoutMs: number; readonly maxResultBytes: number };
  readonly pinsFile: string;
}

/** Where the settings of `proxy` come from: `--config` is the hosts' file here, and never one of Regate's settings. */
export function proxySources(flags: FlagValues, around: Surroundings): Sources {
  const { REGATE_CONFIG: _config, ...env } = around.env;
  const values = new Map([...flags.values].filter(([name]) => name !== "config"));
  return { ...around, env, flags: { values, switches: flags.switches } };
}

/** The lock file of upstream definitions: as set, else in the state directory. @throws ConfigError `config.option` */
export function pinsFileOf(sources: Sources, stateDir: string): string {
  const pins = pick(PROXY_SETTINGS.pins, sources);
  return pins === undefined ? resolve(stateDir, "pins.json") : pathOf(pins);
}

/**
 * Options of `proxy` alone.
 * @param words what stands behind `--`
 * @throws ConfigError for the first thing that is wrong
 */
export function resolveProxyOptions(
  { flags, around }: { readonly flags: FlagValues; readonly around: Surroundings },
  words: readonly string[],
): Omit<ProxyOptions, "pinsFile"> & { pinsFile(stateDir: string): string } {
  const sources = proxySources(flags, around);
  if (pick(SETTINGS.bundle, sources) === undefined) {
    throw new ConfigError("config.option", "`proxy` needs `--bundle`: `agent-session`, `identity-gate`, `ai-agent`, or a bundle of yours");
  }
  const number = (setting: Setting, fallback: number): number => Number(pick(setting, sources)?.value ?? fallback);
  return {
    ...serversOf(flags, around, words),
    limits: {
      timeoutMs: number(PROXY_SETTINGS.upstreamTimeoutMs, 60_000),
      maxResultBytes: number(PROXY_SETTINGS.maxResultBytes, 8 * 1024 * 1024),
    },
    pinsFile: (stateDir) => pinsFileOf(sources, stateDir),
  };
}

function serversOf(flags: FlagValues, around: Surroundings, words: readonly string[]): McpFile {
  const config = flags.values.get("config");
  if ((config === undefined) === (words.length === 0)) {
    throw new ConfigError("config.command_line", "`proxy` needs either `--config FILE` or `-- COMMAND`");
  }
  if (config !== undefined) return readMcpFile(resolve(around.cwd, config), config);
  const [command = "", ...args] = words;
  if (command === "") throw new ConfigError("config.command_line", "`--`: the command must not be empty");
  return { servers: [{ kind: "stdio", id: "upstream", command, args, env: {}, tools: new Map() }], notes: [] };
}

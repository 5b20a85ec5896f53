import { statSync } from "node:fs";
import { hostname } from "node:os";
import { ConfigError } from "./config-error.ts";
import { DELEGATE_SETTINGS, HORIZON_SETTINGS } from "./delegate-settings.ts";
import { withFile } from "./options.ts";
import { DEFAULT_PREFIX, redisUrl } from "./redis-url.ts";
import { readBoundedFile } from "./read-file.ts";
import type { Setting } from "./setting.ts";
import { type FlagValues, pathOf, pick, type Picked, type Sources, type Surroundings } from "./sources.ts";

/** What a front or a worker of delegated execution is told by its operator. */
export interface DelegateOptions {
  readonly url: string;
  readonly prefix: string;
  readonly proofKey: string;
  readonly proofKeyFile: string;
  /** The seven numbers, each present; their sums are judged by the caller. */
  readonly horizon: Readonly<Record<keyof typeof HORIZON_SETTINGS, number>>;
  readonly queueLimit: number;
  readonly workerName: string;
  readonly callsAtOnce: number;
  readonly healthPort?: number;
}

const MAX_KEY_BYTES = 65_536;

/**
 * Options of delegated execution.
 * @param side `worker` needs `--redis`; for `front` the answer is undefined unless `--tools-backend` is given
 * @throws ConfigError for the first thing that is wrong
 */
export async function resolveDelegateOptions(
  flags: FlagValues,
  around: Surroundings,
  side: "front" | "worker",
): Promise<DelegateOptions | undefined> {
  const sources = await withFile(flags, around);
  const setting = side === "front" ? DELEGATE_SETTINGS.toolsBackend : DELEGATE_SETTINGS.redis;
  const picked = pick(setting, sources);
  if (picked === undefined) {
    if (side === "front") return undefined;
    throw missing(setting, "the Redis that calls come from");
  }
  const health = pick(DELEGATE_SETTINGS.healthPort, sources);
  return Object.freeze({
    url: redisUrl(picked),
    prefix: pick(DELEGATE_SETTINGS.redisPrefix, sources)?.value ?? DEFAULT_PREFIX,
    horizon: Object.freeze(horizonOf(sources)),
    ...proofKeyOf(pick(DELEGATE_SETTINGS.proofKeyFile, sources)),
    queueLimit: Number(pick(DELEGATE_SETTINGS.queueLimit, sources)?.value ?? 10_000),
    workerName: pick(DELEGATE_SETTINGS.workerName, sources)?.value ?? defaultName(around.pid),
    callsAtOnce: Number(pick(DELEGATE_SETTINGS.callsAtOnce, sources)?.value ?? 8),
    ...(health === undefined ? {} : { healthPort: Number(health.value) }),
  });
}

/**
 * Where Redis is, for commands that look at it.
 * @throws ConfigError when `--redis` is missing or is no URL of Redis
 */
export async function resolveRedisLink(flags: FlagValues, around: Surroundings): Promise<Pick<DelegateOptions, "url" | "prefix">> {
  const sources = await withFile(flags, around);
  const picked = pick(DELEGATE_SETTINGS.redis, sources);
  if (picked === undefined) throw missing(DELEGATE_SETTINGS.redis, "the Redis of the tools service");
  return { url: redisUrl(picked), prefix: pick(DELEGATE_SETTINGS.redisPrefix, sources)?.value ?? DEFAULT_PREFIX };
}

function missing({ name, env }: Setting, what: string): ConfigError {
  return new ConfigError("config.option", `\`--${name}\` is missing: ${what} (or set \`${env[0] ?? ""}\`)`);
}

function horizonOf(sources: Sources): DelegateOptions["horizon"] {
  const numbers = Object.entries(HORIZON_SETTINGS).map(([name, setting]) => {
    const picked = pick(setting, sources);
    if (picked === undefined) throw missing(setting, "delegated execution has no defaults for its horizon");
    return [name, Number(picked.value)];
  });
  return Object.fromEntries(numbers) as DelegateOptions["horizon"];
}

function proofKeyOf(picked: Picked | undefined): { proofKey: string; proofKeyFile: string } {
  if (picked === undefined) throw missing(DELEGATE_SETTINGS.proofKeyFile, "the key of the publisher's proof");
  const proofKeyFile = pathOf(picked);
  const read = readBoundedFile(proofKeyFile, { maxBytes: MAX_KEY_BYTES, links: true });
  const problem = read.ok ? keyProblem(proofKeyFile, read.text) : read.problem;
  if (!read.ok || problem !== undefined)
    throw new ConfigError("config.option", `${picked.from}: key file \`${picked.value}\` ${problem ?? ""}`);
  return { proofKey: read.text.trim(), proofKeyFile };
}

function keyProblem(path: string, text: string): string | undefined {
  if (text.trim() === "") return "is empty";
  return (statSync(path).mode & 0o077) === 0 ? undefined : "can be read by others: chmod 600";
}

function defaultName(pid: number): string {
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 50);
  return `${host === "" ? "worker" : host}-${pid}`;
}

import { createHash } from "node:crypto";
import { constants, copyFileSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import { parseJsonOnce } from "../call/duplicate-keys.ts";
import { ConfigError, errorCode } from "../config/config-error.ts";
import { bundleFromAnywhere } from "../config/bundle-anywhere.ts";
import { surroundings } from "../config/sources.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { governOptions, neededFlag, neededWord } from "./govern.ts";
import { write } from "./output.ts";
import { settingOptions } from "./setting-options.ts";

/** Keys under which hosts keep their servers: VS Code has `servers`. */
const KEYS = ["mcpServers", "servers"] as const;

function read(path: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError(
      "config.option",
      `\`${path}\` ${errorCode(cause) === "ENOENT" ? "does not exist" : `cannot be read (${errorCode(cause)})`}`,
      { cause },
    );
  }
  const parsed = parseJsonOnce(text);
  if (!parsed.ok || !isJsonObject(parsed.value))
    throw new ConfigError("config.option", `\`${path}\` is not one JSON object: it is broken, has comments, or a key stands twice in it`);
  return parsed.value;
}

interface Wrapping {
  /** The host's file. */
  readonly path: string;
  readonly bundle: string;
  readonly stateDir: string;
}

/** A changed entry, and the file that it names, if it needs one: what stands beside command and arguments reaches a server from there. */
interface Wrapped {
  readonly entry: JsonValue;
  readonly file?: { readonly path: string; readonly text: string };
}

/** An entry that starts its server through the gate; one that does already, or that is none, stays as it is. */
function wrapped(name: string, entry: JsonValue, wrapping: Wrapping): Wrapped {
  if (!isJsonObject(entry) || (typeof entry["command"] !== "string" && typeof entry["url"] !== "string")) return { entry };
  const { command, args = [], env, cwd, url, headers, ...others } = entry;
  if (!Array.isArray(args) || !args.every((word) => typeof word === "string") || startsRegate(command, args)) return { entry };
  const own = ownFolder(name, wrapping);
  const gate = ["proxy", "--bundle", wrapping.bundle, "--state-dir", wrapping.stateDir, "--pins", join(own, "pins.json")];
  const isPlain = typeof command === "string" && env === undefined && cwd === undefined;
  if (isPlain) return { entry: { ...others, command: "regate", args: [...gate, "--", command, ...args] } };
  const path = join(own, "mcp.json");
  const kept = { command, args: url === undefined ? args : undefined, env, cwd, url, headers };
  const text = `${JSON.stringify({ mcpServers: { [serverId(name)]: kept } }, undefined, 2)}\n`;
  const { type: _type, ...rest } = others;
  return { entry: { ...rest, command: "regate", args: [...gate, "--config", path] }, file: { path, text } };
}

/**
 * The folder in which the pins of one server of one host are kept, apart from the others': two hosts may call different servers by one
 * name. All else is in the state directory, so that stops, keys and approvals hold for all.
 */
function ownFolder(name: string, { path, stateDir }: Wrapping): string {
  const digest = createHash("sha256").update(`${path}\0${name}`).digest("hex");
  return join(stateDir, "hosts", `${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}-${digest.slice(0, 8)}`);
}

function startsRegate(command: JsonValue | undefined, words: readonly string[]): boolean {
  const isGate = (word: unknown): boolean => typeof word === "string" && /(?:^|[\\/])regate(?:\.js)?$/.test(word);
  return isGate(command) || words.some((word) => isGate(word) && word.endsWith(".js"));
}

/** A server id out of a host's key. */
function serverId(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 20)
    .replaceAll(/^-+|-+$/g, "");
  return id === "" ? "server" : id;
}

interface Rewritten {
  readonly text: string;
  readonly files: readonly NonNullable<Wrapped["file"]>[];
  /** Names of entries that stay as they are. */
  readonly kept: readonly string[];
  readonly isChanged: boolean;
}

/** The host's file with the gate in front of its servers. @throws ConfigError when it is none */
function rewritten(wrapping: Wrapping): Rewritten {
  const file = read(wrapping.path);
  const key = KEYS.find((name) => isJsonObject(file[name]));
  if (key === undefined) throw new ConfigError("config.option", `\`${wrapping.path}\` has no \`mcpServers\` and no \`servers\``);
  const all = Object.entries(file[key] as JsonObject).map(([name, before]) => ({ name, before, after: wrapped(name, before, wrapping) }));
  const entries = Object.fromEntries(all.map(({ name, after: { entry } }) => [name, entry]));
  const kept = all.filter(({ before, after: { entry } }) => before === entry).map(({ name }) => name);
  return {
    text: `${JSON.stringify({ ...file, [key]: entries }, undefined, 2)}\n`,
    files: all.flatMap(({ after: { file: needed } }) => (needed === undefined ? [] : [needed])),
    kept,
    isChanged: kept.length < all.length,
  };
}

/** Writes what is new, and keeps the old file beside it. @returns the copy @throws ConfigError */
function writeAll(path: string, { text, files }: Rewritten): string {
  const backup = `${path}.before-regate-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  writing(backup, () => copyFileSync(path, backup, constants.COPYFILE_EXCL));
  for (const needed of files) {
    writing(needed.path, () => {
      mkdirSync(dirname(needed.path), { recursive: true, mode: 0o700 });
      replace(needed.path, needed.text, 0o600);
    });
  }
  // A link stays one: what it leads to is the file.
  writing(path, () => replace(realpathSync(path), text, statSync(path).mode & 0o777));
  return backup;
}

function writing(path: string, act: () => void): void {
  try {
    act();
  } catch (cause) {
    const what = `\`${path}\` cannot be written (${errorCode(cause)}): \`--write\` needs a folder that you may write`;
    throw new ConfigError("config.option", what, { cause });
  }
}

async function run(args: Arguments, io: Io): Promise<number> {
  const path = resolve(neededWord(args, { command: "wrap", what: "the host's configuration file" }));
  neededFlag(args, { command: "wrap", flag: "bundle" });
  const bundle = await bundleFromAnywhere(args, surroundings());
  const { stateDir } = await governOptions(args);
  const result = rewritten({ path, bundle, stateDir });
  if (result.kept.length > 0) io.note(`left as they are: ${result.kept.map((name) => JSON.stringify(name)).join(", ")}`);
  if (!args.switches.has("write")) {
    for (const needed of result.files) io.note(`\`--write\` also makes \`${needed.path}\`, which holds the server's environment`);
    await write(io.stdout, result.text);
    return 0;
  }
  if (!result.isChanged) {
    await write(io.stdout, `${path} needs no change\n`);
    return 0;
  }
  const backup = writeAll(path, result);
  await write(io.stdout, `${path} is changed; the old one is kept as ${backup}\n`);
  return 0;
}

/** Writes a file whole or not at all. */
function replace(path: string, text: string, mode: number): void {
  const temporary = `${path}.regate.tmp`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, path);
}

/** `regate wrap`: puts the gate in front of the servers of a host's configuration (docs/hosts.md). */
export const WRAP_COMMAND: Command = {
  path: ["wrap"],
  summary: "put the gate in front of the servers of a host's configuration file",
  options: [
    { name: "write", kind: "switch", describe: "edit the file, and keep a copy of the old one beside it (default: print the new one)" },
    ...settingOptions(["bundle", "stateDir"]),
  ],
  words: { name: "file", describe: "configuration of Claude Desktop, Claude Code, Cursor (mcpServers) or VS Code (servers)", max: 1 },
  examples: [
    ["$0 wrap --bundle agent-session ~/.cursor/mcp.json", "shows what the file would become"],
    ["$0 wrap --bundle agent-session --write .mcp.json", "edits it, with a backup"],
  ],
  run,
};

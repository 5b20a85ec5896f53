import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { visible } from "../call/visible.ts";
import { ConfigError } from "../config/config-error.ts";
import { pinsFileOf, proxySources, PROXY_SETTINGS } from "../config/proxy-options.ts";
import { surroundings } from "../config/sources.ts";
import type { PinDifference } from "../upstream/pin-review.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { governOptions } from "./govern.ts";
import { write } from "./output.ts";
import { optionFor, settingOptions } from "./setting-options.ts";

interface Places {
  readonly stateDir: string;
  /** The lock file of `proxy` with the same flags and environment. */
  readonly file: string;
}

async function placesOf(args: Arguments): Promise<Places> {
  const { stateDir } = await governOptions(args);
  return { stateDir, file: pinsFileOf(proxySources(args, surroundings()), stateDir) };
}

/** The lock file, and where none was named also those of servers that `regate wrap` put behind gateways of their own. */
function lockFiles({ stateDir, file }: Places): readonly string[] {
  if (file !== join(stateDir, "pins.json")) return [file];
  const hosts = join(stateDir, "hosts");
  const folders = existsSync(hosts) ? readdirSync(hosts).toSorted() : [];
  return [file, ...folders.map((name) => join(hosts, name, "pins.json")).filter((path) => existsSync(path))];
}

/** Files and definitions that cannot be used are told on one line. */
function reading<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    const what = cause instanceof Error ? cause.message.replaceAll(/\s+/g, " ") : String(cause);
    throw new ConfigError("config.option", `pins: ${visible(what)}`, { cause });
  }
}

async function show(args: Arguments, io: Io): Promise<number> {
  const [{ reviewPins }, { lineDiff }, { pinPaths }] = await Promise.all([
    import("../upstream/pin-review.ts"),
    import("../rego/line-diff.ts"),
    import("../upstream/pin-paths.ts"),
  ]);
  const places = await placesOf(args);
  const [server] = args.words;
  const texts = lockFiles(places).flatMap((file) => {
    const { servers } = reading(() => reviewPins(pinPaths(file, places.stateDir), server));
    const from = file === places.file ? "" : ` in \`${file}\` (\`--pins\`)`;
    return servers.map(({ id, pinned, differences }) => {
      const count = differences.length === 0 ? "no difference" : `${differences.length} difference${differences.length === 1 ? "" : "s"}`;
      const diffs = differences.map((one) => titleOf(one) + escaped(lineDiff(fileOf(one), one.before, one.after)));
      return `server ${id}${from}: ${pinned} pinned, ${count}\n${diffs.join("")}`;
    });
  });
  const what = server === undefined ? "nothing" : `no server \`${visible(server)}\``;
  await write(io.stdout, texts.length === 0 ? `${what} is pinned in \`${places.file}\`\n` : texts.join("\n"));
  return 0;
}

function titleOf({ kind, name, status }: PinDifference): string {
  return `\n${status}: ${kind} ${visible(name)}\n`;
}

function fileOf({ server, kind, name }: PinDifference): string {
  return visible(`${server}/${kind}/${name}`);
}

/** Hidden characters are shown as escapes, line by line. */
function escaped(diff: string): string {
  return diff.split("\n").map(visible).join("\n");
}

async function accept(args: Arguments, io: Io): Promise<number> {
  const [{ acceptPins }, { forbidInAgentProcess }, { pinPaths }] = await Promise.all([
    import("../upstream/pin-review.ts"),
    import("../govern/agent-process.ts"),
    import("../upstream/pin-paths.ts"),
  ]);
  const { file, stateDir } = await placesOf(args);
  forbidInAgentProcess(stateDir);
  const [server, tool] = args.words;
  const accepted = reading(() => acceptPins(pinPaths(file, stateDir), { server, tool }));
  const lines = accepted.map(({ server: id, kind, name, status }) => `accepted: ${id} ${kind} ${visible(name)} (${status})\n`);
  await write(io.stdout, lines.length === 0 ? "nothing differs\n" : lines.join(""));
  return 0;
}

const OPTIONS = [optionFor(PROXY_SETTINGS.pins), ...settingOptions(["stateDir"])];

/** `regate pins show|accept`: what upstream servers list, beside what is pinned (reference/gateway.md, Pins). */
export const PINS_COMMANDS: readonly Command[] = [
  {
    path: ["pins", "show"],
    summary: "show what upstream servers list otherwise than it is pinned",
    options: OPTIONS,
    words: { name: "server", describe: "one server", max: 1 },
    examples: [["$0 pins show github", "differences of one server, as a diff"]],
    run: show,
  },
  {
    path: ["pins", "accept"],
    summary: "pin what upstream servers listed last; a human does it",
    options: OPTIONS,
    words: { name: "server tool", describe: "one server, or one tool of it", max: 2 },
    examples: [
      ["$0 pins accept", "everything that was listed last"],
      ["$0 pins accept github create_issue", "one tool"],
    ],
    run: accept,
  },
];

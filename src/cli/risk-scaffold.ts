import { readMcpFile } from "../config/mcp-file.ts";
import { resolve } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import type { ConfiguredServer } from "../config/mcp-file.ts";
import { resolveServeOptions } from "../config/options.ts";
import { pinsFileOf, proxySources, PROXY_SETTINGS } from "../config/proxy-options.ts";
import { surroundings } from "../config/sources.ts";
import type { Confine } from "../upstream/stdio-process.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { write } from "./output.ts";
import { confineServers, openServerSandbox } from "./server-confinement.ts";
import { optionFor, settingOptions } from "./setting-options.ts";
import { shellTablesProblem } from "./shell-tables.ts";

async function run(args: Arguments, io: Io): Promise<number> {
  const { cwd, env } = surroundings();
  const config = args.values.get("config");
  const [command = "", ...rest] = args.words;
  if ((config === undefined) === (command === "")) {
    throw new ConfigError("config.command_line", "`risk scaffold` needs either `--config FILE` or `-- COMMAND`");
  }
  const servers =
    config === undefined
      ? [{ kind: "stdio", id: "upstream", command, args: rest, env: {}, tools: new Map() } as const]
      : readMcpFile(resolve(cwd, config), config).servers;
  const confine = await confinementOf(args, io, servers);
  const [{ listOnce }, { scaffold }] = await Promise.all([
    import("../server/gateway-list-once.ts"),
    import("../upstream/risk-scaffold.ts"),
  ]);
  const options = { environment: env, confine, note: io.note };
  const listed = await Promise.all(servers.map(async (entry) => ({ id: entry.id, tools: await listOnce(entry, options) })));
  for (const { id, tools } of listed) if (tools === undefined) io.note(`server \`${id}\` did not come up`);
  if (listed.every(({ tools }) => tools === undefined)) return 1;
  await write(io.stdout, `${JSON.stringify({ regate: { risk: scaffold(listed) } }, undefined, 2)}\n`);
  return listed.every(({ tools }) => tools !== undefined) ? 0 : 1;
}

/** The sandbox that `proxy` puts around the same servers; the same is said where there is none (docs/gateway.md, sandbox). */
async function confinementOf(args: Arguments, io: Io, servers: readonly ConfiguredServer[]): Promise<Confine | undefined> {
  const sources = proxySources(args, surroundings());
  const { flags, ...around } = sources;
  const options = await resolveServeOptions(flags, around, shellTablesProblem);
  const sandbox = await openServerSandbox(options, servers);
  const { confine, notes } = confineServers(options, { servers, pinsFile: pinsFileOf(sources, options.stateDir), sandbox });
  for (const note of notes) io.note(note);
  return confine;
}

/** `regate risk scaffold`: a risk table to start from, for bundle data (design §11). */
export const RISK_SCAFFOLD_COMMAND: Command = {
  path: ["risk", "scaffold"],
  summary: "write a risk table to start from, out of what upstream servers list",
  options: [
    { name: "config", kind: "text", placeholder: "FILE", describe: "servers in the form of the hosts' files" },
    optionFor(PROXY_SETTINGS.pins),
    ...settingOptions(["stateDir", "sandbox", "requireSandbox"]).filter(({ name }) => name !== "config"),
  ],
  words: { name: "COMMAND", describe: "command and arguments of the one server, behind `--`", max: 1_000, behindDashes: true },
  examples: [["$0 risk scaffold --config mcp.json", "rows for `regate.risk` of a bundle's data.json, to be judged by a human"]],
  run,
};

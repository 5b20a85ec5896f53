import { resolveServeOptions, type ServeOptions } from "../config/options.ts";
import { proxySources, PROXY_SETTINGS, resolveProxyOptions } from "../config/proxy-options.ts";
import { surroundings } from "../config/sources.ts";
import type { Engine } from "../policy/engine.ts";
import { confinementOptions } from "./confinement-options.ts";
import type { Arguments, Command, Io, OptionSpec } from "./command.ts";
import { given } from "./given.ts";
import { loadBundle } from "./load-bundle.ts";
import { faultNotes } from "./serve.ts";
import { confineServers, openServerSandbox } from "./server-confinement.ts";
import { optionFor, settingOptions } from "./setting-options.ts";
import { openSharing } from "./open-sharing.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";
import { checkTokenFlags, startListening } from "./start-http.ts";
import { regateVersion } from "../config/version.ts";

function startLine(
  options: ServeOptions,
  { servers, engine }: { readonly servers: readonly { id: string }[]; readonly engine: Engine },
): string {
  const ids = servers.map(({ id }) => `\`${id}\``).join(", ");
  const bundle = `bundle \`${engine.name}\` (${engine.digest})`;
  return `gateway in front of ${ids}, ${bundle}, agent \`${options.agentId}\`, state in \`${options.stateDir}\``;
}

async function run(args: Arguments, io: Io): Promise<number> {
  const around = surroundings();
  const proxy = resolveProxyOptions({ flags: args, around }, args.words);
  const { flags, ...rest } = proxySources(args, around);
  const options = await resolveServeOptions(flags, rest, shellTablesProblem);
  checkTokenFlags(args, options.http.listen);
  const loading = loadBundle(options.bundle, {
    ...options.policy,
    ...given("deadlineMs", options.policyDeadlineMs),
    onFault: faultNotes(io.note),
  });
  const starting = import("../server/gateway.ts");
  const trying = openServerSandbox(options, proxy.servers);
  await Promise.all([starting, trying, Promise.allSettled([loading])]);
  const [engine, gateway, { unconfined }] = [await loading, await starting, await import("../shell/confinement.ts")];
  const { limits, atOnce } = confinementOptions(options);
  const pinsFile = proxy.pinsFile(options.stateDir);
  const { confine, notes } = confineServers(options, { servers: proxy.servers, pinsFile, sandbox: await trying });
  const sharing = await openSharing(options, io.note);
  const shared = {
    ...options,
    sharing,
    shellTables: await shellTables(options),
    engine,
    confinement: unconfined({ limits, atOnce, reason: "the gateway runs no commands" }),
    stop: io.stopSignal(),
    version: regateVersion(),
    note: io.note,
    servers: proxy.servers,
    limits: proxy.limits,
    pinsFile,
    confine,
  };
  const said = (): void => {
    for (const note of [...proxy.notes, startLine(options, { servers: proxy.servers, engine }), ...notes]) io.note(note);
  };
  const { listen, ...http } = options.http;
  if (listen === undefined) said();
  const running =
    listen === undefined
      ? gateway.startGateway({ ...shared, stdin: io.stdin, stdout: io.stdout })
      : await startListening(listen, {
          start: () => gateway.startHttpGateway({ ...shared, http: { ...http, ...listen } }),
          said,
          note: io.note,
        });
  await running.ended;
  sharing?.close();
  engine.close();
  return 0;
}

const CONFIG: OptionSpec = {
  name: "config",
  kind: "text",
  placeholder: "FILE",
  describe: 'servers in the form of the hosts\' files: {"mcpServers": {ID: {command, args, env} or {url, headers}}}',
};

/** `regate proxy`: the gate in front of other MCP servers (design §11; reference/gateway.md). */
export const PROXY_COMMAND: Command = {
  path: ["proxy"],
  summary: "put the gate in front of other MCP servers",
  options: [
    CONFIG,
    ...Object.values(PROXY_SETTINGS).map(optionFor),
    ...settingOptions([
      "bundle",
      "bundleDigest",
      "policyDialect",
      "stateDir",
      "agentId",
      "agentToolsFile",
      "contextFile",
      "policyDeadlineMs",
      "confirmTimeoutMs",
      "approvalWait",
      "locale",
      "recordings",
      "sandbox",
      "requireSandbox",
      "profilesFile",
      "identityRequireProfile",
      "identityBindProfile",
      "identityMaxAgeSeconds",
      "identityMaxMutations",
      "listen",
      "httpMaxSessions",
      "httpIdleSeconds",
      "authIssuer",
      "authAudience",
      "authJwksFile",
      "authJwksUrl",
      "authScope",
      "sharedState",
      "sharedSession",
      "redisPrefix",
    ]).filter(({ name }) => name !== "config"),
  ],
  words: { name: "COMMAND", describe: "command and arguments of the one server, behind `--`", max: 1_000, behindDashes: true },
  examples: [
    ["$0 proxy --bundle agent-session -- npx -y @modelcontextprotocol/server-everything", "one server, names unchanged"],
    ["$0 proxy --bundle agent-session --config mcp.json", "every server of a host's file, tools as `<server>__<tool>`"],
    ["$0 proxy --bundle agent-session --config mcp.json --listen 127.0.0.1:8931", "over Streamable HTTP"],
  ],
  run,
};

import { ConfigError } from "../config/config-error.ts";
import { resolveDelegateOptions } from "../config/delegate-options.ts";
import { insideWorkdirWarning } from "../config/inside-workdir.ts";
import { resolveServeOptions, type ServeOptions } from "../config/options.ts";
import { placeholderWarning } from "../config/redis-url.ts";
import { surroundings } from "../config/sources.ts";
import type { Engine } from "../policy/engine.ts";
import type { SharedOptions } from "../server/server-options.ts";
import type { Confinement } from "../shell/confinement.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { confinementOptions } from "./confinement-options.ts";
import { checkHorizon } from "./horizon-check.ts";
import { given } from "./given.ts";
import { loadBundle } from "./load-bundle.ts";
import { openSharing } from "./open-sharing.ts";
import { checkTokenFlags, startListening } from "./start-http.ts";
import { allSettingOptions } from "./setting-options.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";
import { regateVersion } from "../config/version.ts";

const MAX_FAULTS = 20;

interface Started {
  readonly engine: Engine;
  /** Absent over HTTP: there each client gets one. */
  readonly claim?: { readonly sessionId: string };
  readonly confinement: Confinement;
}

/** What the gate will do, said once at start: an empty flag can switch an allowlist off, and that must be seen (design §4). */
function startLine(options: ServeOptions, { engine, claim, confinement }: Started): string {
  const allowlist = options.allowlist === undefined ? "none" : `${options.allowlist.size} tools of \`${options.allowlistFile ?? ""}\``;
  return [
    `serving bundle \`${engine.name}\` (${engine.digest})`,
    `agent \`${options.agentId}\``,
    claim === undefined ? "a session for each client" : `session ${claim.sessionId}`,
    `allowlist: ${allowlist}`,
    `dry run required: ${options.requireDryRun ? "yes" : "no"}`,
    `sandbox: ${confinement.kind}${confinement.reason === undefined ? "" : ` (${confinement.reason})`}`,
    `state in \`${options.stateDir}\``,
    ...(options.shared === undefined ? [] : ["sessions shared with other fronts"]),
  ].join(", ");
}

/** Tells the operator why evaluations failed, without letting a client fill the log. */
export function faultNotes(note: (line: string) => void): (fault: Error) => void {
  let faults = 0;
  return (fault) => {
    faults += 1;
    if (faults <= MAX_FAULTS) note(`policy: ${fault.message}${faults === MAX_FAULTS ? " (further faults are not shown)" : ""}`);
  };
}

/** Judges the sandbox after the bundle, although both are made ready at the same time (design §3, exit codes). */
export function checkSandbox({ commands }: ServeOptions, { kind, reason }: Confinement): void {
  if (kind === "none" && commands.requireSandbox) {
    throw new ConfigError("config.sandbox", `\`--require-sandbox\`: commands cannot be confined: ${reason ?? "no reason known"}`);
  }
}

/** Makes the sandbox of commands ready. */
export async function confinementOf(options: ServeOptions): Promise<Confinement> {
  const { openConfinement } = await import("../shell/open-confinement.ts");
  return await openConfinement(confinementOptions(options));
}

type Shared = ServeOptions & SharedOptions;

/** Starts what the options ask for, and says what it does; over HTTP before the line that says where. */
async function start(shared: Shared, io: Io, said: (claim?: Started["claim"]) => void): Promise<{ readonly ended: Promise<void> }> {
  const { listen, ...http } = shared.http;
  if (listen !== undefined) {
    const { startHttpServer } = await import("../server/http-serve.ts");
    const serving = { ...shared, http: { ...http, ...listen } };
    return await startListening(listen, { start: () => startHttpServer(serving), said, note: io.note });
  }
  const { startServer } = await import("../server/assemble.ts");
  const server = startServer({ ...shared, stdin: io.stdin, stdout: io.stdout });
  said(server.claim);
  return server;
}

function sayStart(options: ServeOptions, started: Started, io: Io): void {
  io.note(startLine(options, started));
  const warning = started.confinement.kind === "none" ? insideWorkdirWarning(options) : undefined;
  if (warning !== undefined) io.note(warning);
}

async function run(args: Arguments, io: Io): Promise<number> {
  const delegate = await resolveDelegateOptions(args, surroundings(), "front");
  if (delegate !== undefined) checkHorizon(delegate);
  const served = await resolveServeOptions(args, surroundings(), shellTablesProblem);
  checkTokenFlags(args, served.http.listen);
  const options = delegate === undefined ? served : { ...served, proofKeyFile: delegate.proofKeyFile };
  const confining = confinementOf(options);
  const loading = loadBundle(options.bundle, {
    ...options.policy,
    ...given("deadlineMs", options.policyDeadlineMs),
    onFault: faultNotes(io.note),
  });
  const starting = options.http.listen === undefined ? import("../server/assemble.ts") : import("../server/http-serve.ts");
  await Promise.all([starting, confining, Promise.allSettled([loading])]);
  const [engine, confinement] = [await loading, await confining];
  checkSandbox(options, confinement);
  const platform = options.http.listen === undefined ? "os" : "http";
  const backend =
    delegate && (await import("../server/tools-backend.ts")).openToolsBackend(delegate, { platform, workdir: options.workdir });
  const sharing = await openSharing(options, io.note);
  const shared = {
    ...options,
    sharing,
    ...(backend === undefined ? {} : { arrangeTools: backend.arrangeTools }),
    shellTables: await shellTables(options),
    engine,
    confinement,
    stop: io.stopSignal(),
    version: regateVersion(),
    note: io.note,
  };
  const said = (claim?: Started["claim"]): void =>
    sayStart(options, { engine, confinement, ...(claim === undefined ? {} : { claim }) }, io);
  const known = delegate === undefined ? undefined : placeholderWarning(delegate.url, "--tools-backend");
  if (known !== undefined) io.note(known);
  const server = await start(shared, io, said);
  await server.ended;
  backend?.close();
  sharing?.close();
  engine.close();
  return 0;
}

/** `regate serve`: the gate over stdio, as an MCP host starts it (design §3), or over HTTP. */
export const SERVE_COMMAND: Command = {
  path: ["serve"],
  summary: "serve the gate to one MCP client over stdio, or to many over HTTP",
  options: allSettingOptions(),
  examples: [
    ["$0 serve", "the default bundle, policy as the only tool gate"],
    ["$0 serve --bundle ai-agent --agent-tools-file tools.txt --require-agent-dry-run", "the ai-agent bundle behind an allowlist"],
    ["$0 serve --listen 127.0.0.1:8931", "over Streamable HTTP, to clients on this machine"],
    ["$0 serve --config regate.json", "settings from a file; flags and environment beat it"],
  ],
  run,
};

import { ConfigError } from "../config/config-error.ts";
import { insideWorkdirWarning } from "../config/inside-workdir.ts";
import { resolveServeOptions, type ServeOptions } from "../config/options.ts";
import { surroundings } from "../config/sources.ts";
import type { Engine } from "../policy/engine.ts";
import type { Confinement } from "../shell/confinement.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { confinementOptions } from "./confinement-options.ts";
import { loadBundle } from "./load-bundle.ts";
import { allSettingOptions } from "./setting-options.ts";
import { shellTables, shellTablesProblem } from "./shell-tables.ts";
import { regateVersion } from "../config/version.ts";

const MAX_FAULTS = 20;

interface Started {
  readonly engine: Engine;
  readonly claim: { readonly sessionId: string; readonly agentId: string };
  readonly confinement: Confinement;
}

/** What the gate will do, said once at start: an empty flag can switch an allowlist off, and that must be seen (design §4). */
function startLine(options: ServeOptions, { engine, claim, confinement }: Started): string {
  const allowlist = options.allowlist === undefined ? "none" : `${options.allowlist.size} tools of \`${options.allowlistFile ?? ""}\``;
  return [
    `serving bundle \`${engine.name}\` (${engine.digest})`,
    `agent \`${claim.agentId}\``,
    `session ${claim.sessionId}`,
    `allowlist: ${allowlist}`,
    `dry run required: ${options.requireDryRun ? "yes" : "no"}`,
    `sandbox: ${confinement.kind}${confinement.reason === undefined ? "" : ` (${confinement.reason})`}`,
    `state in \`${options.stateDir}\``,
  ].join(", ");
}

/** Tells the operator why evaluations failed, without letting a client fill the log. */
function faultNotes(note: (line: string) => void): (fault: Error) => void {
  let faults = 0;
  return (fault) => {
    faults += 1;
    if (faults <= MAX_FAULTS) note(`policy: ${fault.message}${faults === MAX_FAULTS ? " (further faults are not shown)" : ""}`);
  };
}

/** Judges the sandbox after the bundle, although both are made ready at the same time (design §3, exit codes). */
function checkSandbox({ commands }: ServeOptions, { kind, reason }: Confinement): void {
  if (kind === "none" && commands.requireSandbox) {
    throw new ConfigError("config.sandbox", `\`--require-sandbox\`: commands cannot be confined: ${reason ?? "no reason known"}`);
  }
}

async function confinementOf(options: ServeOptions): Promise<Confinement> {
  const { openConfinement } = await import("../shell/open-confinement.ts");
  return await openConfinement(confinementOptions(options));
}

async function run(args: Arguments, io: Io): Promise<number> {
  const options = await resolveServeOptions(args, surroundings(), shellTablesProblem);
  const confining = confinementOf(options);
  const loading = loadBundle(options.bundle, { ...options.policy, deadlineMs: options.policyDeadlineMs, onFault: faultNotes(io.note) });
  const [{ startServer }] = await Promise.all([import("../server/assemble.ts"), confining, Promise.allSettled([loading])]);
  const [engine, confinement] = [await loading, await confining];
  checkSandbox(options, confinement);
  const server = startServer({
    ...options,
    shellTables: await shellTables(options),
    engine,
    confinement,
    stdin: io.stdin,
    stdout: io.stdout,
    stop: io.stopSignal(),
    version: regateVersion(),
    note: io.note,
  });
  io.note(startLine(options, { engine, confinement, claim: server.claim }));
  const warning = confinement.kind === "none" ? insideWorkdirWarning(options) : undefined;
  if (warning !== undefined) io.note(warning);
  await server.ended;
  engine.close();
  return 0;
}

/** `regate serve`: the gate over stdio, as an MCP host starts it (design §3). */
export const SERVE_COMMAND: Command = {
  path: ["serve"],
  summary: "serve the gate to one MCP client over stdio",
  options: allSettingOptions(),
  examples: [
    ["$0 serve", "the default bundle, policy as the only tool gate"],
    ["$0 serve --bundle ai-agent --agent-tools-file tools.txt --require-agent-dry-run", "the ai-agent bundle behind an allowlist"],
    ["$0 serve --config regate.json", "settings from a file; flags and environment beat it"],
  ],
  run,
};

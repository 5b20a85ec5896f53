import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import type { ConfiguredServer } from "../config/mcp-file.ts";
import type { ServeOptions } from "../config/options.ts";
import { defaultStateDir } from "../config/state-dir.ts";
import { makeFolder } from "../files/make-folder.ts";
import type { Confine } from "../upstream/stdio-process.ts";

/** How the servers behind the gateway are confined, and what the start says about it. */
export interface ServerConfinement {
  /** Undefined: not at all. */
  readonly confine?: Confine;
  readonly notes: readonly string[];
}

type Sandbox = (hidden: readonly string[], command: Parameters<Confine>[0]) => ReturnType<Confine>;

/** Tries the sandbox of servers, if a server is to have it; gives the reason where there is none. Never rejects. */
export async function openServerSandbox({ commands }: ServeOptions, servers: readonly ConfiguredServer[]): Promise<Sandbox | string> {
  if (!servers.some(isConfined)) return "no server is to have one";
  if (commands.sandbox === "none") return "switched off";
  const { bwrapPath } = await import("../shell/programs.ts");
  const bwrap = bwrapPath();
  if (bwrap === undefined) return "bubblewrap (`bwrap`) is not installed";
  const [{ probeServerSandbox }, { confineServer }] = await Promise.all([
    import("../shell/server-sandbox-probe.ts"),
    import("../shell/server-sandbox.ts"),
  ]);
  return (await probeServerSandbox(bwrap)) ?? ((hidden, command) => confineServer(bwrap, hidden, command));
}

/**
 * Hides what is Regate's own from the servers, where there is a sandbox, else says what they can reach (docs/gateway.md, sandbox).
 * @throws ConfigError `config.sandbox` when the sandbox is required and a server cannot have it
 */
export function confineServers(
  options: ServeOptions,
  {
    servers,
    pinsFile,
    sandbox,
  }: { readonly servers: readonly ConfiguredServer[]; readonly pinsFile: string; readonly sandbox: Sandbox | string },
): ServerConfinement {
  const { stateDir, commands } = options;
  const free = servers.flatMap((server) => (server.kind === "stdio" && !isConfined(server) ? [`\`${server.id}\``] : []));
  const freed = free.map((id) => `server ${id} is not sandboxed (\`regate.sandbox\`): it can reach the state directory \`${stateDir}\``);
  if (commands.requireSandbox && freed[0] !== undefined) throw required(freed[0]);
  if (!servers.some(isConfined)) return { notes: freed };
  if (typeof sandbox === "string") {
    if (commands.requireSandbox) throw required(sandbox);
    const advice = "where that matters, run them under an account of their own";
    return { notes: [`servers are not sandboxed (${sandbox}): they can reach the state directory \`${stateDir}\`; ${advice}`] };
  }
  const { hidden, notes } = hiddenPaths(options, pinsFile);
  return { confine: (command) => sandbox(hidden, command), notes: [...freed, ...notes] };
}

function isConfined(server: ConfiguredServer): boolean {
  return server.kind === "stdio" && server.sandbox !== false;
}

function required(reason: string): ConfigError {
  return new ConfigError("config.sandbox", `\`--require-sandbox\`: servers cannot be confined: ${reason}`);
}

/** What no server may see. */
function hiddenPaths(options: ServeOptions, pinsFile: string): { readonly hidden: readonly string[]; readonly notes: readonly string[] } {
  const { stateDir, keysDir, proofKeyFile, http } = options;
  // A folder that is made while a server runs could not be hidden from it any more.
  for (const folder of [stateDir, keysDir]) attempt(() => makeFolder(folder));
  const files = [proofKeyFile, http.auth.jwksFile].filter((path) => path !== undefined);
  // Other gateways and `serve` of this user keep theirs below the default one (`regate wrap` does).
  const hidden = [stateDir, defaultStateDir(options.environment, options.home), keysDir, ...files];
  if (pinsFile.startsWith(`${stateDir}/`)) return { hidden, notes: [] };
  if (isOwnFolder(pinsFile, options)) return { hidden: [...hidden, dirname(pinsFile)], notes: [] };
  const note = `the pins file \`${pinsFile}\` lies in a folder that servers see, and can be changed by them: give it a folder of its own`;
  return { hidden: [...hidden, pinsFile], notes: [note] };
}

/** Whether a folder holds nothing but the file, which is replaced by renaming: only a whole folder can stay hidden then. */
function isOwnFolder(file: string, { home }: ServeOptions): boolean {
  const folder = dirname(file);
  attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  return (
    attempt(() => {
      const real = realpathSync(folder);
      const holds = [process.cwd(), home].some((path) => `${attempt(() => realpathSync(path)) ?? path}/`.startsWith(`${real}/`));
      return !holds && readdirSync(real).every((name) => name.startsWith(basename(file)));
    }) ?? false
  );
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

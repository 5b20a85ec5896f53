import type { ServeOptions } from "../config/options.ts";
import type { ConfinementOptions } from "../shell/open-confinement.ts";
import { homePath } from "../shell/sandbox.ts";

/** What the sandbox of commands hides, shows and keeps, as the options of `serve` have it (design §3). */
export function confinementOptions(options: ServeOptions): ConfinementOptions {
  const { commands, environment, workdir, stateDir, keysDir, bundle } = options;
  const home = environment["HOME"] === undefined || environment["HOME"] === "" ? options.home : environment["HOME"];
  const { configFile, allowlistFile, contextFile, profilesFile, cloudQueriesFile, shellTablesFile } = options;
  const settings = [configFile, allowlistFile, contextFile, profilesFile, cloudQueriesFile, shellTablesFile, options.http.auth.jwksFile];
  return {
    mode: commands.sandbox,
    atOnce: commands.atOnce,
    limits: commands.limits,
    workdir,
    home,
    runtimeDir: environment["XDG_RUNTIME_DIR"],
    shown: commands.sandboxHome.map((path) => homePath(home, path)),
    hidden: [stateDir, keysDir, ...(options.proofKeyFile === undefined ? [] : [options.proofKeyFile])],
    settings: settings.filter((path) => path !== undefined),
    kept: bundle.path === undefined ? [] : [bundle.path],
  };
}

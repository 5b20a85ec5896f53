import type { Launcher } from "./launch.ts";
import { type CommandLimits, entryArguments } from "./sandbox-entry.ts";

/** Runs a command line with limits on processes, files and memory, and without a sandbox. */
export function limitLauncher(limits: CommandLimits): Launcher {
  return (argv, { env }) => {
    const [file, ...args] = entryArguments(argv, { limits, places: [], reports: false });
    return { file: file as string, args, env, announces: true };
  };
}

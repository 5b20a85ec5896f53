import { spawnSync } from "node:child_process";
import { temporaryFolder } from "./client.ts";

/** How one run of the built program ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The lines of stderr. */
  readonly lines: readonly string[];
}

/** What a run gets beside its words. */
export interface Surroundings {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** File modes bind the run, even one of root. */
  readonly bound?: boolean;
}

/** What takes from root the right to read and write whatever the mode says; nothing for other users. */
function binding(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const rights = "-dac_override,-dac_read_search";
  return ["setpriv", `--bounding-set=${rights}`, `--inh-caps=${rights}`];
}

/** Path of the program as npm installs it. */
export const PROGRAM = `${process.cwd()}/bin/regate.js`;

/** Environment of a run: enough to start, a home directory of its own, and no `REGATE_*` or `ADSSH_*` of the tester. */
export function cleanEnv(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: temporaryFolder("regate-home-"), ...env };
}

/** Runs `regate` to its end. */
export function regate(words: readonly string[], { input = "", env = {}, cwd, bound = false }: Surroundings = {}): Ended {
  const [file, ...before] = [...(bound ? binding() : []), process.execPath];
  const run = spawnSync(file, [...before, PROGRAM, ...words], {
    input,
    env: cleanEnv(env),
    timeout: 110_000,
    maxBuffer: 256 * 1024 * 1024,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const stderr = run.stderr.toString();
  return { status: run.status, stdout: run.stdout.toString(), stderr, lines: stderr.split("\n").filter((line) => line !== "") };
}

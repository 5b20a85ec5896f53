import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { HomeGrant } from "../call/profile-words.ts";
import { holdPlaceholders } from "./placeholders.ts";
import { bashPath, nicePath } from "./programs.ts";
import type { Launcher } from "./launch.ts";
import { type CommandLimits, entryArguments } from "./sandbox-entry.ts";
import { findGuards, type Guard } from "./sandbox-guards.ts";
import { type HomePlaces, homePlaces } from "./sandbox-home.ts";
import { bwrapArguments, type Mount } from "./sandbox-mounts.ts";
import { isWithin, kindOf, realPathOf } from "./sandbox-paths.ts";
import { socketPlaces } from "./sandbox-sockets.ts";
import { hasMoreProcesses, terminateInside } from "./sandbox-processes.ts";
import { isShellError, shellError } from "./shell-error.ts";

/** What a sandbox is made of; all paths are absolute. */
export interface SandboxOptions {
  /** bubblewrap. */
  readonly bwrap: string;
  /** Real path of the working directory. */
  readonly workdir: string;
  /** Home directory of the commands; emptied. */
  readonly home?: string | undefined;
  /** What is shown of the home directory, or of another hidden place, read-only; what does not exist is left out. */
  readonly shown: readonly string[];
  /** Folders and files that no command may see, wherever they lie: state and keys. */
  readonly hidden: readonly string[];
  /** Configuration: read-only in the working directory, hidden elsewhere. */
  readonly settings: readonly string[];
  /** What must not change but may be read by everybody: the bundle. */
  readonly kept: readonly string[];
  /** `XDG_RUNTIME_DIR` of the server's user. */
  readonly runtimeDir?: string | undefined;
  readonly limits: CommandLimits;
}

/** What policy grants to one command (design §2, `sandbox` of a decision). */
export interface SandboxGrant {
  readonly network: boolean;
  readonly writable: boolean;
  /** Further folders and files that are shown, read-only. */
  readonly shown?: readonly string[];
  /** Folders that are shown and stay writable: for a program of the operator, never for a command of the agent. */
  readonly lent?: readonly string[];
  /** What the active profile grants of the home directory. */
  readonly home?: readonly HomeGrant[];
}

const RUNTIME = ["/tmp", "/run", "/var/run"] as const;
/** What programs need from folders that are emptied: names of hosts, and programs on systems that keep them there. */
const NEEDED = ["/etc/resolv.conf", "/run/current-system"] as const;

/** Why a working directory cannot be used in a sandbox; undefined when it can. */
export function workdirProblem({ workdir, home, hidden }: Pick<SandboxOptions, "workdir" | "home" | "hidden">): string | undefined {
  if (workdir === "/") return "the working directory is the root of the file system";
  if (home !== undefined && workdir === realPathOf(home)) return "the working directory is the home directory";
  if (existing(hidden).some((path) => isWithin(workdir, path))) return "the working directory lies in the state directory";
  const taken = [...RUNTIME, "/dev", "/proc", "/sys", "/etc", "/usr"].find((place) => workdir === realPathOf(place));
  return taken === undefined ? undefined : `the working directory is \`${taken}\``;
}

/**
 * Makes the launcher of one command: bubblewrap around the command line (reference: shell.md §13). What is hidden and protected is looked
 * up when the command starts. Commands of root step back behind the server, which has to count their processes.
 */
export function sandboxLauncher(options: SandboxOptions, granted: SandboxGrant): Launcher {
  return async (argv, { cwd, env }) => {
    const home = homeOf(options, granted);
    const grant = { ...granted, shown: [...(granted.shown ?? []), ...home.shown], lent: [...(granted.lent ?? []), ...home.lent] };
    const guards = grant.writable ? await guardsOf(options) : [];
    const mounts = [...(await basicMounts(options, grant)), ...workMounts(options, { grant, guards }), ...hiddenMounts(options)];
    const release = releaseOf(guards);
    try {
      const kept = guards.filter(({ kind }) => kind === "keep" || kind === "pin").map(({ path }) => path);
      const places = [...kept, ...home.shown, ...home.lent];
      const isRoot = process.getuid?.() === 0;
      const entry = entryArguments(isRoot ? [nicePath(), "-n", "19", ...argv] : argv, { limits: options.limits, places, reports: true });
      return {
        file: options.bwrap,
        args: [...bwrapArguments(mounts, { cwd, network: grant.network }), ...entry],
        env,
        announces: true,
        reports: true,
        release,
        terminate: terminateInside,
        ...(isRoot ? { isOverfull: (pid: number) => hasMoreProcesses(pid, options.limits.processes) } : {}),
      };
    } catch (error) {
      release();
      throw isShellError(error)
        ? error
        : shellError("shell.sandbox_failed", "the working directory changed while the sandbox was made", error);
    }
  };
}

function homeOf({ home, workdir, hidden, settings, kept, shown }: SandboxOptions, grant: SandboxGrant): HomePlaces {
  const around = { home, workdir, unseen: [...hidden, ...settings], fixed: [...kept, ...shown] };
  return homePlaces(grant.home ?? [], around, grant.writable);
}

/** All that must not change in the working directory; what is hidden there has guards on the way to it only. */
async function guardsOf({ workdir, hidden, settings, kept }: SandboxOptions): Promise<readonly Guard[]> {
  const guards = await findGuards(workdir, [...hidden, ...settings, ...kept].flatMap(placesOf));
  const unseen = new Set(existing(hidden));
  return guards.filter(({ path }) => !unseen.has(path));
}

/** Where a file really is, and the name under which it is looked up: both have to stay. */
function placesOf(path: string): readonly string[] {
  const folder = realPathOf(dirname(path));
  const real = realPathOf(path);
  return [...(folder === undefined ? [] : [join(folder, basename(path))]), ...(real === undefined ? [] : [real])];
}

/** What is hidden and shown whatever the working directory holds. */
async function basicMounts(options: SandboxOptions, grant: SandboxGrant): Promise<readonly Mount[]> {
  const { workdir } = options;
  const homes = [options.home, options.runtimeDir, ...RUNTIME, tmpdir()].filter((path) => path !== undefined);
  const empty = existing(homes).filter((path) => path !== workdir && path !== "/" && kindOf(path) === "folder");
  const hidden = hiddenMounts(options);
  const isOpen = (path: string): boolean => !hidden.some((mount) => isWithin(path, mount.path));
  const shown = existing([...options.shown, ...(grant.shown ?? []), ...NEEDED]).filter(isOpen);
  const lent = existing(grant.lent ?? []).filter(isOpen);
  const { folders, sockets } = await socketPlaces([workdir, bashPath(), "/usr/bin", "/usr/lib", ...shown, ...lent]);
  return [
    ...shown.filter((path) => isBelow(path, empty)).map((path): Mount => ({ kind: "read", path })),
    ...folders.map((path): Mount => ({ kind: "empty", path })),
    ...sockets.map((path): Mount => ({ kind: "covered", path })),
    ...empty.map((path): Mount => ({ kind: "empty", path })),
    ...lent.map((path): Mount => ({ kind: "write", path })),
  ];
}

/** Only what would be hidden needs to be shown. */
function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path !== folder && isWithin(path, folder));
}

function hiddenMounts({ hidden, settings, workdir }: SandboxOptions): readonly Mount[] {
  const paths = [...existing(hidden), ...existing(settings).filter((path) => !isWithin(path, workdir))];
  return paths.map((path) => ({ kind: kindOf(path) === "folder" ? "sealed" : "covered", path }));
}

function workMounts({ workdir }: SandboxOptions, { grant, guards }: { grant: SandboxGrant; guards: readonly Guard[] }): readonly Mount[] {
  return [{ kind: grant.writable ? "write" : "read", path: workdir }, ...guards.flatMap(guardMount)];
}

function guardMount({ kind, path }: Guard): readonly Mount[] {
  if (kind === "gone") return [];
  return [{ kind: ({ keep: "read", absent: "sealed", pin: "write" } as const)[kind], path }];
}

function releaseOf(guards: readonly Guard[]): () => void {
  const free = holdPlaceholders(guards.filter(({ kind }) => kind === "absent").map(({ path }) => path));
  const gone = guards.filter(({ kind }) => kind === "gone").map(({ path }) => path);
  return () => {
    free();
    for (const path of gone) rmSync(path, { recursive: true, force: true });
  };
}

function existing(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map(realPathOf).filter((path) => path !== undefined))];
}

/** The folder in the home directory, or elsewhere, that an operator names: `~` and relative paths are below home. */
export function homePath(home: string, path: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return path.startsWith("/") ? path : join(home, path);
}

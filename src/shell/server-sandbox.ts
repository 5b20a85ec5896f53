import { accessSync, constants, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { aliasesOf, mountTable } from "./mount-aliases.ts";
import { depthOf, isWithin, kindOf, realPathOf } from "./sandbox-paths.ts";
import { shellError } from "./shell-error.ts";

/** The command line of a server and where it runs. */
export interface ServerCommand {
  readonly argv: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What is started in its place: it takes the server's stdin, stdout and stderr at 3, 4 and 5, and says its process id at 6. */
export interface ConfinedServer {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Everything but the mounts. The file system, devices, network and processes stay as they are; a user namespace of its own keeps a server
 * from what the kernel shows of other processes (`/proc/[pid]/root`, `environ`, `fd`, ptrace(2)), and without capabilities it can mount
 * nothing. Process ids stay the host's, since servers write them into lock files that others read.
 */
const CONFINEMENT = ["--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--dev-bind", "/", "/"] as const;

/** What uid 0 could write without any capability, and have the kernel run something by it. */
const KERNEL = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/sys"] as const;

/**
 * Says its process id, which stays the server's, and becomes the server with the streams and the environment that were given: bubblewrap
 * holds its own streams open, and would hide that a server closed its own.
 */
const ENTRY = 'echo "$$" >&6 || exit 125; exec /usr/bin/env "$@" <&3 >&4 2>&5 3<&- 4>&- 5>&- 6>&-';

/** Variables that bubblewrap or a shell sets on the way. */
const SET_ON_THE_WAY = ["PWD", "OLDPWD", "SHLVL", "_"] as const;

/**
 * The command line that starts a server where it cannot see Regate's own files (design §11; issue: upstream children cannot reach the state
 * directory). What exists of them is looked up at each start, with every further place at which its file system is mounted.
 * @param bwrap bubblewrap
 * @param hidden folders and files, absolute
 * @throws Error `shell.sandbox_failed` when the server's working directory, or a file that its command line names, is hidden
 */
export function confineServer(bwrap: string, hidden: readonly string[], command: ServerCommand): ConfinedServer {
  const places = hiddenPlaces(hidden);
  const lost = [".", ...command.argv.filter((word) => word.includes("/"))].find((word) => {
    const path = realPathOf(resolve(command.cwd, word));
    const isHidden = path !== undefined && places.some((place) => isWithin(path, place));
    return isHidden && (word === "." || kindOf(path) !== "folder");
  });
  if (lost !== undefined) {
    const what = lost === "." ? "its working directory" : `\`${lost}\` of its command line`;
    throw shellError("shell.sandbox_failed", `${what} lies in what is hidden from servers, such as the state directory`);
  }
  const closed = [...places, ...doors(command.env)].filter((place) => kindOf(place) !== undefined);
  const kept = SET_ON_THE_WAY.flatMap((name) => (command.env[name] === undefined ? ["-u", name] : []));
  const given = SET_ON_THE_WAY.flatMap((name) => (command.env[name] === undefined ? [] : [`${name}=${command.env[name]}`]));
  const entry = ["/bin/sh", "-c", ENTRY, "sh", ...kept, "--", ...given, ...command.argv];
  return { file: bwrap, args: [...sandboxArguments(closed), "--chdir", command.cwd, "--", ...entry] };
}

/** The arguments of bubblewrap up to the working directory; of what is hidden only what exists counts. */
export function sandboxArguments(closed: readonly string[]): readonly string[] {
  const outermost = closed.filter((path) => !closed.some((other) => other !== path && isWithin(path, other)));
  const mounts = new Map(outermost.flatMap(pinned).map((path) => [path, ["--dev-bind", path, path]]));
  for (const path of outermost) mounts.set(path, hiding(path));
  const inOrder = [...mounts].sort(([a], [b]) => depthOf(a) - depthOf(b)).flatMap(([, args]) => args);
  return [...CONFINEMENT, ...readOnlyKernel(), ...inOrder];
}

/** Real paths of what exists, and where else it is seen. */
export function hiddenPlaces(hidden: readonly string[]): readonly string[] {
  const table = mountTable();
  const real = [...new Set(hidden.map(realPathOf).filter((path) => path !== undefined))];
  return [...new Set([...real, ...real.flatMap((path) => aliasesOf(path, table))])];
}

/** A folder becomes empty and closed; a file cannot be opened, since device files of a mount without devices cannot. */
function hiding(path: string): string[] {
  return kindOf(path) === "folder" ? ["--size", "4096", "--tmpfs", path, "--remount-ro", path] : ["--ro-bind", "/dev/null", path];
}

/** The folders above, as far as a server could rename them and put others in their place: what is a mount cannot be renamed. */
function pinned(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = dirname(path); at !== "/"; at = dirname(at)) if (isWritable(dirname(at))) found.push(at);
  return found;
}

function isWritable(path: string): boolean {
  return can(path, constants.W_OK);
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function readOnlyKernel(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return KERNEL.flatMap((path) => (kindOf(path) === undefined ? [] : ["--ro-bind", path, path]));
}

/** What would do a server's work outside: the user's service manager and bus unless it was given them, and disks as devices. */
function doors(env: Readonly<Record<string, string>>): readonly string[] {
  const uid = process.getuid?.() ?? 0;
  const hasBus = env["DBUS_SESSION_BUS_ADDRESS"] !== undefined || env["XDG_RUNTIME_DIR"] !== undefined;
  const own = hasBus ? [] : [`/run/user/${uid}/bus`, `/run/user/${uid}/systemd`];
  const system = uid === 0 ? ["/run/systemd/private", "/run/dbus/system_bus_socket"] : [];
  return [...own, ...system, ...disks("/dev"), ...disks("/dev/mapper")];
}

/** Disks that this user may read. */
function disks(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isBlockDevice() || (entry.isCharacterDevice() && /^(?:sg|ng)\d/.test(entry.name)))
      .map(({ name }) => join(folder, name))
      .filter((path) => can(path, constants.R_OK));
  } catch {
    return [];
  }
}

import { depthOf, isWithin } from "./sandbox-paths.ts";

/** One thing that the sandbox shows in another way than the host. */
export interface Mount {
  /**
   * `empty`: an empty private folder. `sealed`: an empty folder in which nothing can be made. `covered`: a file that cannot be opened.
   * `read`, `write`: the host's own, read-only or not.
   */
  readonly kind: "empty" | "sealed" | "covered" | "read" | "write";
  readonly path: string;
}

/** What a private folder can hold, so that filling it cannot take the memory of the machine. */
const PRIVATE_BYTES = 256 * 1024 * 1024;

/** Every protection of the sandbox that is not a mount; always given. */
const CONFINEMENT = [
  "--unshare-all",
  "--unshare-user",
  "--disable-userns",
  "--die-with-parent",
  "--new-session",
  "--cap-drop",
  "ALL",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
] as const;

/**
 * Arguments of bubblewrap, up to the command line. Mounts are made from the outside in, so that what is deeper is seen; of two at one
 * place the later counts.
 */
export function bwrapArguments(mounts: readonly Mount[], options: { readonly cwd: string; readonly network: boolean }): readonly string[] {
  const network = options.network ? ["--share-net"] : [];
  return [...CONFINEMENT, ...network, ...inOrder(mounts).flatMap(mountArguments), "--chdir", options.cwd, "--"];
}

/** Without those that are hidden already, sorted by depth. */
export function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  const sorted = [...byPath.values()].sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return sorted.filter((mount) => !(isHiding(mount) && isHidden(mount.path, sorted)));
}

function isHiding({ kind }: Mount): boolean {
  return kind === "empty" || kind === "sealed" || kind === "covered";
}

/** Whether the nearest mount above shows nothing of the host. */
function isHidden(path: string, sorted: readonly Mount[]): boolean {
  if (isWithin(path, "/proc") || isWithin(path, "/dev")) return true;
  const above = sorted.findLast((other) => other.path !== path && isWithin(path, other.path));
  return above !== undefined && isHiding(above);
}

function mountArguments({ kind, path }: Mount): readonly string[] {
  if (kind === "empty") return ["--size", String(PRIVATE_BYTES), "--tmpfs", path];
  if (kind === "sealed") return ["--size", "4096", "--tmpfs", path, "--remount-ro", path];
  if (kind === "covered") return ["--ro-bind", "/dev/null", path];
  return [kind === "read" ? "--ro-bind" : "--bind", path, path];
}

/** How long a group may take to end by itself after SIGTERM, in milliseconds. */
export const GRACE_MS = 500;
/** How long the system may take to end a killed process before nobody waits for it any more. */
const KILL_WAIT_MS = 1000;

/** The groups of commands that run now. */
const groups = new Set<CommandGroup>();
let isHooked = false;

/** A process group that one command leads. */
export interface CommandGroup {
  /** Ends the group: SIGTERM, after 500 ms SIGKILL. Again and again is the same as once. */
  readonly terminate: () => void;
  /** Kills whatever is left of the group, at once. */
  kill(): void;
  /** To be called when its leader has exited: nothing is sent to it any more. */
  close(): void;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
}

/**
 * Watches over the process group of a command until it is closed; whatever ends this process ends the group too.
 * @param pid process id of the leader, which is the group's id
 * @param options `onLost` is called when even SIGKILL did not end the leader in time; `terminate` sends SIGTERM in place of this, and
 *   gives false when it could not
 */
export function watchGroup(
  pid: number,
  { onLost, terminate }: { readonly onLost: () => void; readonly terminate?: ((pid: number) => boolean) | undefined },
): CommandGroup {
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  let settle: () => void = () => undefined;
  const group: CommandGroup = {
    terminate: () => {
      if (!isOpen || timer !== undefined) return;
      if (terminate?.(pid) !== true) send(pid, "SIGTERM");
      timer = setTimeout(() => {
        send(pid, "SIGKILL");
        timer = setTimeout(onLost, KILL_WAIT_MS);
      }, GRACE_MS);
    },
    kill() {
      if (isOpen) send(pid, "SIGKILL");
    },
    close() {
      isOpen = false;
      clearTimeout(timer);
      groups.delete(group);
      settle();
    },
    closed: new Promise((resolve) => {
      settle = resolve;
    }),
  };
  groups.add(group);
  hookExit();
  return group;
}

/** Ends the groups of all commands that run now, and waits until they are over: within 2 s (design §3). */
export async function endAllGroups(): Promise<void> {
  const ending = [...groups];
  for (const group of ending) group.terminate();
  await Promise.all(ending.map((group) => group.closed));
}

/** The last resort, when this process exits with commands running. */
function hookExit(): void {
  if (isHooked) return;
  isHooked = true;
  process.once("exit", () => {
    for (const group of groups) group.kill();
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, or what is left of it belongs to somebody else.
  }
}

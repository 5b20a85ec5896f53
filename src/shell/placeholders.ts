import { lstatSync, rmdirSync } from "node:fs";

/** How many running commands need each placeholder. */
const users = new Map<string, number>();

/**
 * Names paths that do not exist on the host and at which bubblewrap makes an empty folder to mount something. They are removed when the
 * last command that needs them is over; a folder in which something is stays.
 * @returns to be called once, when the command is over
 */
export function holdPlaceholders(paths: readonly string[]): () => void {
  for (const path of paths) users.set(path, (users.get(path) ?? 0) + 1);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    for (const path of paths) release(path);
  };
}

/** Whether a folder at a path is a placeholder of a command that runs now. */
export function isPlaceholder(path: string): boolean {
  return users.has(path);
}

/** The order matters: as long as a command runs, removing the folder would take its protection away. */
function release(path: string): void {
  const left = (users.get(path) ?? 1) - 1;
  if (left > 0) {
    users.set(path, left);
    return;
  }
  users.delete(path);
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path);
  } catch {
    // It was never made, or somebody uses it by now.
  }
}

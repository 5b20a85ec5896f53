import { statSync, watch } from "node:fs";
import type { FSWatcher } from "node:fs";
import { makeFolder } from "../files/make-folder.ts";
import { recordFolder } from "./approval-records.ts";

const KINDS = ["pending", "votes", "decided", "used"] as const;
/** Changes that come together are told once. */
const QUIET_MS = 25;
/** How often the folders are looked at besides: file systems and limits may swallow events. */
const LOOK_MS = 1_000;

/**
 * Tells of every change of a state directory's store: a new request, a vote, a decision, a use. That a request expires is no change of a file: count
 * down by `expires_at`. Keeps no process alive.
 * @param onChange called soon after a change, once for several that come together
 * @returns ends the watch
 * @throws Error of the file system when the store's folders cannot be made
 */
export function watchApprovalFiles(stateDir: string, onChange: () => void): () => void {
  const folders = KINDS.map((kind) => recordFolder(stateDir, kind));
  for (const folder of folders) makeFolder(folder);
  let stamp = stampOf(folders);
  let waiting: NodeJS.Timeout | undefined;
  const tell = (): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      stamp = stampOf(folders);
      onChange();
    }, QUIET_MS).unref();
  };
  const look = (): void => {
    if (stampOf(folders) !== stamp) tell();
  };
  const watchers = folders.flatMap((folder) => watcherOf(folder, tell));
  const timer = setInterval(look, LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    clearTimeout(waiting);
    for (const watcher of watchers) watcher.close();
  };
}

function watcherOf(folder: string, tell: () => void): readonly FSWatcher[] {
  try {
    const watcher = watch(folder, { persistent: false }, tell);
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

function stampOf(folders: readonly string[]): string {
  return folders.map((folder) => String(statSync(folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? "-")).join("|");
}

import { join } from "node:path";
import { createStoreFile, listStoreFolder } from "./store-file.ts";

const folderOf = (stateDir: string, id: string): string => join(stateDir, "elevation-uses", id);

/** How often an elevation was used, by whatever process. @throws GovernError `govern.store_unreadable` */
export function countUses(stateDir: string, id: string): number {
  return listStoreFolder(folderOf(stateDir, id), /^[1-9][0-9]{0,4}$/).length;
}

/**
 * Counts one use, durably; of several processes that race for the last one exactly one gets it (design §8).
 * @param most uses that the elevation has
 * @returns false when none is left
 * @throws GovernError `govern.store_unwritable`
 */
export function takeUse(
  stateDir: string,
  id: string,
  { most, session, now }: { readonly most: number; readonly session: string; readonly now: Date },
): boolean {
  const text = `${JSON.stringify({ session, at: now.toISOString() })}\n`;
  for (let number = countUses(stateDir, id) + 1; number <= most; number += 1) {
    if (createStoreFile(join(folderOf(stateDir, id), String(number)), text)) return true;
  }
  return false;
}

import { textOf } from "./reply.ts";
import type { ApprovalLink } from "./approval-link.ts";

/** How often the counter of changes is looked at. */
const LOOK_MS = 500;

/**
 * Calls back when the store is first reached, when the counter of changes has moved, and when the store can be reached again. Keeps no process alive.
 * @returns ends it
 */
export function watchCounter({ keys, send }: ApprovalLink, onChange: () => void): () => void {
  let isOver = false;
  let last: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const found = await stampOf();
    if (isOver) return;
    if (found !== last && found !== "away") onChange();
    last = found;
    timer = setTimeout(() => void look(), LOOK_MS).unref();
  };
  const stampOf = async (): Promise<string> => {
    try {
      const count = await send(["GET", keys.changes]);
      return count === null ? "none" : textOf(count);
    } catch {
      return "away";
    }
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

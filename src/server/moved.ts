import type { Core } from "./core.ts";
import type { ShownIdentity } from "./sealed-questions.ts";

/** Whether the active profile is another than the one that the human was shown, or was another in between; also when another process switched it. */
export function hasMoved({ session }: Core, shown: ShownIdentity): boolean {
  const look = session.watch.look();
  session.watch.take(look);
  return session.identity.epoch !== shown.epoch || look.profile.label !== shown.label;
}

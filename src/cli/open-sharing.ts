import { placeholderWarning } from "../config/redis-url.ts";
import type { ServeOptions } from "../config/options.ts";
import type { Sharing } from "../server/sharing.ts";

/** A session over stdio has no time after which it is forgotten: this is for those that came to an end unseen. */
const STDIO_LIFETIME_MS = 86_400_000;

/** Opens what fronts share, if they do; nothing is connected before the first call. */
export async function openSharing(
  { shared, http }: Pick<ServeOptions, "shared" | "http">,
  note: (line: string) => void,
): Promise<Sharing | undefined> {
  if (shared === undefined) return undefined;
  const known = placeholderWarning(shared.url, "--shared-state");
  if (known !== undefined) note(known);
  const { openSharedSessions } = await import("../redis/shared-state.ts");
  const lifetimeMs = http.listen === undefined ? STDIO_LIFETIME_MS : http.limits.idleMs;
  return { sessions: openSharedSessions(shared), lifetimeMs, name: shared.name };
}

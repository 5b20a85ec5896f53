import { placeholderWarning } from "../config/redis-url.ts";
import type { ServeOptions } from "../config/options.ts";
import type { Sharing } from "../server/sharing.ts";

/** A session over stdio has no time after which it is forgotten: this is for those that came to an end unseen. */
const STDIO_LIFETIME_MS = 86_400_000;

/** What fronts share, until it is closed. */
interface OpenSharing extends Sharing {
  readonly close: () => void;
}

/** Opens what fronts share, if they do; nothing is connected before the first call. */
export async function openSharing(
  { shared, http, stateDir }: Pick<ServeOptions, "shared" | "http" | "stateDir">,
  note: (line: string) => void,
): Promise<OpenSharing | undefined> {
  if (shared === undefined) return undefined;
  const known = placeholderWarning(shared.url, "--shared-state");
  if (known !== undefined) note(known);
  const [{ openSharedSessions }, { openSharedApprovals }] = await Promise.all([
    import("../redis/shared-state.ts"),
    import("../redis/shared-approvals.ts"),
  ]);
  const lifetimeMs = http.listen === undefined ? STDIO_LIFETIME_MS : http.limits.idleMs;
  const sessions = openSharedSessions(shared);
  const approvals = openSharedApprovals(shared, stateDir);
  const close = (): void => {
    sessions.close();
    approvals.close();
  };
  return { sessions, approvals, lifetimeMs, name: shared.name, close };
}

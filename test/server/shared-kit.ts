import { openSharedSessions } from "../../src/redis/shared-state.ts";
import type { IdentityRules } from "../../src/session/identity-watch.ts";
import type { SharedSessions } from "../../src/session/shared-store.ts";
import { sharedStateOf } from "../../src/server/sharing.ts";
import type { SharedState } from "../../src/server/shared-front.ts";
import type { RedisServer } from "../delegate/redis-kit.ts";

/** One front of several: a connection of its own, and the state of the session with this name. */
export function frontOf(server: RedisServer, name: string, rules: IdentityRules = {}): { shared: SharedState; sessions: SharedSessions } {
  const sessions = openSharedSessions({ url: server.url(), prefix: "t" });
  const shared = sharedStateOf({ sessions, lifetimeMs: 60_000 }, [name], rules);
  if (shared === undefined) throw new Error("nothing is shared");
  return { shared, sessions };
}

import type { SharedSessions } from "../session/shared-store.ts";
import { openConnection } from "./connection.ts";
import { redisSessionState } from "./session-state.ts";
import { stateKeys } from "./state-keys.ts";

/** Where shared state is kept. */
export interface StateLink {
  readonly url: string;
  readonly prefix: string;
}

/** Opens the shared sessions of one Redis; nothing is connected before the first call. */
export function openSharedSessions({ url, prefix }: StateLink): SharedSessions {
  const connection = openConnection(url);
  const keys = stateKeys(prefix);
  return {
    session: (id, terms) => redisSessionState(connection.send, { keys, id, terms }),
    close: () => connection.close(),
  };
}

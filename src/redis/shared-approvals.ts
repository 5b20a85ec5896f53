import { redisApprovals, type SharedApprovals } from "./approval-state.ts";
import { openConnection } from "./connection.ts";
import { stateKeys } from "./state-keys.ts";

/**
 * Opens the approvals that the fronts of one Redis share; nothing is connected before the first step.
 * @param link where they are; the URL may hold a password
 * @param stateDir where the public keys of those who may decide are
 */
export function openSharedApprovals(link: { readonly url: string; readonly prefix: string }, stateDir: string): SharedApprovals {
  const connection = openConnection(link.url);
  const store = redisApprovals({ keys: stateKeys(link.prefix), send: connection.send, stateDir });
  return {
    ...store,
    close() {
      store.close();
      connection.close();
    },
  };
}

import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { openApprovalFiles } from "../govern/approval-files.ts";
import type { ApprovalStore } from "../govern/approval-store.ts";
import { osUserName } from "../session/os-user.ts";
import { LEASE_MS, countersLifetimeMs } from "../session/shared-terms.ts";
import type { IdentityRules } from "../session/identity-watch.ts";
import type { SharedSessions } from "../session/shared-store.ts";
import { ownerOf } from "./http-client.ts";
import type { ClientPort } from "./http-port.ts";
import type { SharedState } from "./shared-front.ts";

/** What a process knows of the fronts that it shares state with. */
export interface Sharing {
  readonly sessions: SharedSessions;
  readonly approvals: ApprovalStore;
  /** Milliseconds without a call after which an identity state is forgotten. */
  readonly lifetimeMs: number;
  /** Name under which sessions over stdio share; without one each is its own. */
  readonly name?: string | undefined;
}

/** Whose state it is: sessions whose words are equal share one. */
export type Sharers = readonly string[];

/** Servers of ours and gateways have different tools: what confirms an identity in one says nothing in the other. */
export type ServerKind = "serve" | "proxy";

/** Who shares with a session over stdio. */
export function stdioSharers(kind: ServerKind, { name }: Pick<Sharing, "name"> = {}): Sharers {
  return name === undefined ? alone() : [kind, "name", name];
}

/**
 * Who shares with a client over HTTP: the stateless requests of one principal, as in one front. A session with an id lives in the front that
 * opened it. Where nobody is asked who they are, everybody on this machine who reaches this user's front is one.
 */
export function httpSharers(kind: ServerKind, { principal, era }: Pick<ClientPort, "principal" | "era">): Sharers {
  if (era === "legacy") return alone();
  return principal === undefined ? [kind, "local", hostname(), osUserName()] : [kind, "principal", ownerOf(principal)];
}

const ALONE = "alone";

function alone(): Sharers {
  return [ALONE, randomUUID()];
}

/** Name of a session among the fronts; it tells nobody whose it is. */
function idOf(sharers: Sharers): string {
  return createHash("sha256").update(JSON.stringify(sharers)).digest("base64url");
}

/** Name of a session that may be on several fronts; undefined for one that is on this front only. */
export function sharedIdOf(sharing: Sharing | undefined, sharers: Sharers): string | undefined {
  return sharing === undefined || sharers[0] === ALONE ? undefined : idOf(sharers);
}

/** The state of a session; undefined where nothing is shared. */
export function sharedStateOf(
  sharing: Pick<Sharing, "sessions" | "lifetimeMs"> | undefined,
  sharers: Sharers,
  rules: IdentityRules = {},
): SharedState | undefined {
  if (sharing === undefined) return undefined;
  const { sessions, lifetimeMs } = sharing;
  return {
    store: sessions.session(idOf(sharers), { lifetimeMs, rules }),
    renewMs: LEASE_MS / 3,
    openMs: countersLifetimeMs(lifetimeMs) / 3,
  };
}

/** Where requests for an approval are kept: among the fronts, or in the state directory. */
export function approvalStoreOf({
  sharing,
  stateDir,
}: {
  readonly sharing?: Sharing | undefined;
  readonly stateDir: string;
}): ApprovalStore {
  return sharing?.approvals ?? openApprovalFiles(stateDir);
}

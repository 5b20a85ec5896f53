import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Owner } from "./gateway-types.ts";

/** What a client of 2026-07-28 wants to hear: the `notifications` of subscriptions/listen. */
export interface Filter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** One open subscriptions/listen of a client (reference/mcp.md §2.4). */
export interface Subscription {
  /** Takes a change that a server, or Regate itself, tells; what the client does not want to hear goes no further. */
  changed(method: string, params: JsonObject): void;
  /** Takes what a server honours of it. */
  acknowledged(server: Upstream<Owner>, honoured: JsonValue | undefined): void;
  /** A server has come up: it is listened to as well. */
  readonly attach: (server: Upstream<Owner>) => void;
}

/** Key of the `_meta` by which messages of a subscription are told apart. */
export const SUBSCRIPTION_META = "io.modelcontextprotocol/subscriptionId";

const UPDATED = "notifications/resources/updated";
const FLAGS: ReadonlyMap<string, "toolsListChanged" | "promptsListChanged" | "resourcesListChanged"> = new Map([
  ["notifications/tools/list_changed", "toolsListChanged"],
  ["notifications/prompts/list_changed", "promptsListChanged"],
  ["notifications/resources/list_changed", "resourcesListChanged"],
]);

/** Whether a notification tells of a change that clients of 2026-07-28 hear by a subscription only. */
export function isChange(method: string): boolean {
  return method === UPDATED || FLAGS.has(method);
}

/** Whether a filter wants a change. */
export function wants(filter: Filter, method: string, { uri }: JsonObject): boolean {
  if (method === UPDATED) return typeof uri === "string" && filter.resourceSubscriptions?.includes(uri) === true;
  const flag = FLAGS.get(method);
  return flag !== undefined && filter[flag] === true;
}

/** Reads the filter of a request; undefined when it has none, or one that is malformed. */
export function filterOf(notifications: JsonValue | undefined): Filter | undefined {
  if (!isJsonObject(notifications)) return undefined;
  const { resourceSubscriptions: uris } = notifications;
  const flags = [...FLAGS.values()];
  if (flags.some((flag) => notifications[flag] !== undefined && typeof notifications[flag] !== "boolean")) return undefined;
  if (uris !== undefined && !(Array.isArray(uris) && uris.every((uri) => typeof uri === "string"))) return undefined;
  const wanted = flags.filter((flag) => notifications[flag] === true).map((flag) => [flag, true]);
  return { ...(Object.fromEntries(wanted) as Filter), ...(uris === undefined || uris.length === 0 ? {} : { resourceSubscriptions: uris }) };
}

/**
 * What a server with these capabilities can honour of a filter.
 * @param uris the resources of the filter that are the server's
 */
export function narrowed(filter: Filter, capabilities: JsonValue | undefined, uris: readonly string[]): Filter {
  const can = (kind: string, what: string): boolean => {
    const capability = isJsonObject(capabilities) ? capabilities[kind] : undefined;
    return isJsonObject(capability) && capability[what] === true;
  };
  const flags = [...FLAGS].filter(([method, flag]) => filter[flag] === true && can(method.split("/")[1] ?? "", "listChanged"));
  const own = can("resources", "subscribe") ? uris : [];
  return {
    ...(Object.fromEntries(flags.map(([, flag]) => [flag, true])) as Filter),
    ...(own.length === 0 ? {} : { resourceSubscriptions: own }),
  };
}

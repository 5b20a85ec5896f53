import type { JsonValue } from "../call/json.ts";
import { hasCapability, type Upstream } from "../upstream/upstream.ts";
import { nameOf, OTHER_LISTS } from "./gateway-lists.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { fitsTemplate } from "./uri-template.ts";

/** Which server a resource belongs to: the only one that lists its uri, else the only one with a template for it. */
export async function serverOfResource(edge: GatewayEdge, uri: string): Promise<Upstream<Owner> | "ambiguous" | undefined> {
  const owners = await ownersBy(edge, "resources/list", (listed) => listed === uri);
  if (owners.length > 0) return owners.length === 1 ? owners[0] : "ambiguous";
  const matching = await ownersBy(
    edge,
    "resources/templates/list",
    (template) => template === uri || (typeof template === "string" && fitsTemplate(template, uri)),
  );
  if (matching.length > 1) return "ambiguous";
  return matching[0];
}

async function ownersBy(edge: GatewayEdge, method: string, isIt: (listed: JsonValue | undefined) => boolean): Promise<Upstream<Owner>[]> {
  const list = OTHER_LISTS.get(method);
  if (list === undefined) return [];
  const owners = await Promise.all(
    edge.upstreams.map(async (server) => {
      if (server.status() !== "up" || (server.era() === "legacy" && !hasCapability(server.greeting(), "resources"))) return undefined;
      const pages = await server.list(list, undefined);
      return pages?.kind === "listed" && pages.entries.some((entry) => isIt(nameOf(entry, list.name))) ? server : undefined;
    }),
  );
  return owners.filter((server) => server !== undefined);
}

import type { UpstreamTool } from "../upstream/tool-table.ts";
import { bringUp } from "./gateway-hello.ts";
import type { Names, Target } from "./gateway-names.ts";
import { settleWithin } from "./gateway-start.ts";
import type { GatewayEdge } from "./gateway-types.ts";

/** Whether nothing is under way that may change the target. */
export function isSettled(target: Target): boolean {
  return target.kind !== "absent" && target.server.changing() === undefined;
}

/** A server that is coming up may have the tool; one whose tools have changed may have another. */
export function waitsFor(edge: GatewayEdge, target: Target): Promise<unknown>[] {
  const servers = target.kind === "absent" ? target.servers : [target.server];
  return servers.flatMap((server): Promise<unknown>[] => {
    const changing = server.changing();
    if (changing !== undefined) return [changing];
    return target.kind === "absent" && server.status() === "starting" ? [settleWithin(edge, server)] : [];
  });
}

/** Whether the target of a call is still what it was when the call came: a human may have been asked meanwhile. */
export function isCurrent(names: Names, name: string, target: Target): boolean {
  return target.kind !== "absent" && target.server.status() === "up" && isSettled(target) && names.find(name) === target;
}

/** Whether a tool is still served as it was. */
export function isServed(target: Target, { digest }: UpstreamTool): boolean {
  return target.kind === "tool" && target.tool.status === "ok" && target.tool.digest === digest;
}

interface Searched {
  readonly names: Names;
  /** Wire name. */
  readonly name: string;
  /** What it stood for when the call came. */
  readonly first: Target;
}

/** What a name stands for now, once what changes it is over and its server is up. */
export async function currentTarget(edge: GatewayEdge, { names, name, first }: Searched): Promise<Target> {
  if (first.kind !== "absent") await first.server.changing();
  return await upTarget(edge, { names, name, first: names.find(name) });
}

/** The target once its server is up: a server that is down is started again, once a call. */
async function upTarget(edge: GatewayEdge, { names, name, first }: Searched): Promise<Target> {
  const servers = first.kind === "absent" ? first.servers : [first.server];
  const down = servers.filter((server) => server.status() !== "up");
  if (down.length === 0) return first;
  await Promise.all(down.map((server) => bringUp(edge, server)));
  const target = names.find(name);
  return target.kind !== "absent" && target.server.status() !== "up" ? { kind: "absent", servers: [target.server] } : target;
}

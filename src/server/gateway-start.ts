import { identityOf } from "../upstream/entry.ts";
import type { Hello, Upstream } from "../upstream/upstream.ts";
import { modernMeta, probe, type ProbeAnswer } from "./gateway-probe.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { isModern } from "./modern.ts";
import { metaOf } from "./params-rules.ts";
import type { ScreenedRequest } from "./screen.ts";
import { within } from "../wire/within.ts";

/** Newest revision with a handshake. */
export const LATEST_LEGACY = "2025-11-25";

/** The greeting of servers whose client has said nothing about itself: it can do nothing for them. */
export function ownHello(version: string): Hello {
  const params = { protocolVersion: LATEST_LEGACY, capabilities: {}, clientInfo: { name: "regate", version } };
  return { era: "legacy", params: JSON.stringify(params) };
}

/** Greets all servers as this request wants it, unless they were greeted before. */
export function greetIfNeeded(edge: GatewayEdge, request: ScreenedRequest): void {
  if (edge.state.hello !== undefined) return;
  const modern = isModern(request);
  edge.state.hello = modern
    ? { era: "modern", meta: modernMeta(edge.parts.version, metaOf(request.params ?? {})) }
    : ownHello(edge.parts.version);
  edge.state.isReady = true;
  for (const server of edge.upstreams) void greet(edge, server).then(() => server.settle());
}

/** Greets one server: a modern client's only as modern if it is. */
export async function greet(edge: GatewayEdge, server: Upstream<Owner>): Promise<void> {
  const hello = edge.state.hello ?? ownHello(edge.parts.version);
  if (hello.era === "modern" && (await eraOf(edge, server, "")).era === "legacy") await server.greet(ownHello(edge.parts.version));
  else await server.greet(hello);
}

/** What a throw-away connection of this server says to server/discover; asked once a process, and again while it was not reached. */
export function eraOf({ parts }: GatewayEdge, { entry }: Upstream<Owner>, params: string): Promise<ProbeAnswer> {
  const key = JSON.stringify([entry.id, identityOf(entry)]);
  const known = parts.probes.get(key);
  if (known !== undefined) return known;
  const asked = probe(parts.openLink(entry), params, parts.version);
  parts.probes.set(key, asked);
  // Never rejects.
  void asked.then((answer) => answer.era === "legacy" && answer.unreached === true && parts.probes.delete(key));
  return asked;
}

/** Brings a server up, in bounded time; tells whether it is up. */
export async function settleWithin(edge: GatewayEdge, server: Upstream<Owner>, ms = 35_000): Promise<boolean> {
  if (edge.state.isClosing) return false;
  return (
    (await within(
      ms,
      greet(edge, server).then(() => server.settle()),
    )) === true
  );
}

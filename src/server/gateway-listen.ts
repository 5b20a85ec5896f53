import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { errorAnswer, resultAnswer, type Answer } from "./answers.ts";
import { forward } from "./gateway-forward.ts";
import type { GatewayMessage } from "./gateway-messages.ts";
import { serverFacts } from "./gateway-names.ts";
import { serverOfResource } from "./gateway-resources.ts";
import { eraOf } from "./gateway-start.ts";
import { type Filter, filterOf, narrowed, type Subscription, SUBSCRIPTION_META, wants } from "./gateway-subscription.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { completed } from "./modern.ts";
import { RPC } from "./rpc.ts";
import { within } from "../wire/within.ts";

/** How long servers have to say what they honour. */
const ACKNOWLEDGE_MS = 2_500;
/** Open subscriptions of one client. */
const MAX_OPEN = 1_000;
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/** A subscription, inside. */
interface Listening {
  readonly edge: GatewayEdge;
  readonly message: GatewayMessage;
  readonly filter: Filter;
  readonly subscription: Subscription;
  /** Servers that are listened to. */
  readonly attached: Set<Upstream<Owner>>;
  /** Who waits for what a server of 2026-07-28 honours. */
  readonly waiting: Map<Upstream<Owner>, (honoured: JsonValue | undefined) => void>;
  /** Uris that servers honour. */
  readonly uris: Set<string>;
}

/**
 * Answers subscriptions/listen in front of several servers, or of one that does not know it: each server is listened to in its own way,
 * what they tell reaches the client under its own subscription id, and what the client did not ask for does not. Ends when the client
 * withdraws it, or with the gateway.
 */
export async function answerListen(edge: GatewayEdge, message: GatewayMessage): Promise<Answer> {
  const { request, signal } = message;
  const filter = filterOf(request.params?.["notifications"]);
  if (filter === undefined) return errorAnswer({ code: RPC.invalidParams, message: "`notifications` is missing or malformed" }, request.id);
  if (edge.subscriptions.size >= MAX_OPEN)
    return errorAnswer({ code: RPC.internal, message: "too many subscriptions are open" }, request.id);
  const way = clientWay(edge, message);
  const held: (() => void)[] = [];
  let isOpen = false;
  const listening: Listening = {
    edge,
    message,
    filter,
    attached: new Set(),
    waiting: new Map(),
    uris: new Set(),
    subscription: {
      changed(method, params) {
        if (!wants(filter, method, params)) return;
        if (isOpen) way(method, params);
        else held.push(() => way(method, params));
      },
      acknowledged: (server, honoured) => listening.waiting.get(server)?.(honoured),
      attach: (server) => void attach(listening, server),
    },
  };
  edge.subscriptions.add(listening.subscription);
  try {
    await Promise.all(edge.upstreams.map((server) => attach(listening, server)));
    if (signal.aborted) return ended(edge, message);
    const honoured = honouredOf(listening);
    if (!way(ACKNOWLEDGED, { notifications: honoured }))
      return errorAnswer({ code: RPC.invalidRequest, message: "a subscription needs an answer as `text/event-stream`" }, request.id);
    isOpen = true;
    for (const send of held.splice(0)) send();
    if (Object.keys(honoured).length > 0) await aborted(signal);
    return ended(edge, message);
  } finally {
    edge.subscriptions.delete(listening.subscription);
    release(listening);
  }
}

/** Sends on the way of the request, under its id. */
function clientWay(edge: GatewayEdge, { request, exchange }: GatewayMessage): (method: string, params: JsonObject) => boolean {
  const id = JSON.parse(request.id.json) as JsonValue;
  return (method, params) => {
    const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
    const json = JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, _meta: { ...meta, [SUBSCRIPTION_META]: id } } });
    return exchange === undefined ? edge.send(json) : exchange.send(json);
  };
}

/** Lists change with the servers that come and go, whatever these announce; resources are honoured by the server that has them. */
function honouredOf({ filter, uris }: Listening): JsonObject {
  const { resourceSubscriptions = [], ...flags } = filter;
  const honoured = resourceSubscriptions.filter((uri) => uris.has(uri));
  return { ...flags, ...(honoured.length === 0 ? {} : { resourceSubscriptions: honoured }) };
}

/** The graceful end: a complete result. To a client that withdrew it nothing is sent. */
function ended({ parts }: GatewayEdge, { request }: GatewayMessage): Answer {
  const id = JSON.parse(request.id.json) as JsonValue;
  const reply = completed({ result: { _meta: { [SUBSCRIPTION_META]: id } } }, parts.version);
  return resultAnswer(request.id, JSON.stringify("result" in reply ? reply.result : {}));
}

async function aborted(signal: Withdrawal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
}

/** Listens to a server that is up, once. */
async function attach(listening: Listening, server: Upstream<Owner>): Promise<void> {
  const { edge, attached, filter, message } = listening;
  // One that is gone has forgotten what it was asked to tell.
  if (server.status() !== "up") return void attached.delete(server);
  if (attached.has(server) || message.signal.aborted) return;
  attached.add(server);
  const uris = await ownUris(edge, server, filter.resourceSubscriptions ?? []);
  if (server.era() === "modern") await listenModern(listening, server, uris);
  else await subscribeLegacy(listening, server, narrowed(filter, server.greeting()["capabilities"], uris));
}

async function ownUris(edge: GatewayEdge, server: Upstream<Owner>, uris: readonly string[]): Promise<readonly string[]> {
  if (edge.upstreams.length === 1) return uris;
  const owners = await Promise.all(uris.map((uri) => serverOfResource(edge, uri)));
  return uris.filter((_uri, index) => owners[index] === server);
}

/** A server of 2026-07-28 gets a request of its own, for what it announces, for as long as the client listens. */
async function listenModern(listening: Listening, server: Upstream<Owner>, uris: readonly string[]): Promise<void> {
  const { edge, message, attached, filter, waiting, subscription } = listening;
  const { request, key, exchange, signal } = message;
  const said = await eraOf(edge, server, "");
  const wanted = narrowed(filter, said.era === "modern" ? said.result["capabilities"] : undefined, uris);
  const peer = server.peer();
  if (peer === undefined || Object.keys(wanted).length === 0) return;
  const owner: Owner = { key, idJson: request.id.json, exchange, token: undefined, subscription };
  const params = { ...request.params, notifications: { ...wanted } as JsonObject };
  const acknowledged = new Promise<JsonValue | undefined>((resolve) => waiting.set(server, resolve));
  const over = (): void => {
    attached.delete(server);
    waiting.get(server)?.(undefined);
  };
  void forward(edge, peer, { method: request.method, params, numbers: request.numbers, owner, signal }).finally(over);
  const honoured = filterOf(await within(ACKNOWLEDGE_MS, acknowledged));
  for (const uri of honoured?.resourceSubscriptions ?? []) listening.uris.add(uri);
}

/** A legacy server tells changes of lists to everybody, and of resources to those who subscribed. */
async function subscribeLegacy({ edge, message, uris }: Listening, server: Upstream<Owner>, wanted: Filter): Promise<void> {
  const owner: Owner = { key: message.key, idJson: message.request.id.json, exchange: message.exchange, token: undefined };
  await Promise.all(
    (wanted.resourceSubscriptions ?? []).map(async (uri) => {
      const method = "resources/subscribe";
      const peer = server.peer();
      const verdict = await edge.corridor.message({ method, from: "client", params: { uri }, facts: serverFacts(server) });
      if (peer === undefined || !verdict.allowed) return;
      const timeoutMs = ACKNOWLEDGE_MS;
      const end = await forward(edge, peer, { method, params: { uri }, numbers: [], owner, signal: message.signal, timeoutMs });
      if (end.kind !== "result") return;
      uris.add(uri);
      watchers(edge, server, uri).add(message.key);
    }),
  );
}

/** Who of a client's subscriptions watches a resource of a legacy server. */
function watchers(edge: GatewayEdge, server: Upstream<Owner>, uri: string): Set<string> {
  const name = JSON.stringify([server.entry.id, uri]);
  const found = edge.watched.get(name) ?? new Set<string>();
  edge.watched.set(name, found);
  return found;
}

/** Legacy servers are told when nobody watches a resource any more; the others have heard that the request was withdrawn. */
function release({ edge, message, uris }: Listening): void {
  for (const server of edge.upstreams) {
    for (const uri of uris) {
      const name = JSON.stringify([server.entry.id, uri]);
      const watching = edge.watched.get(name);
      if (watching?.delete(message.key) !== true || watching.size > 0) continue;
      edge.watched.delete(name);
      server
        .peer()
        ?.request({ method: "resources/unsubscribe", params: JSON.stringify({ uri }), owner: undefined, settle: () => undefined });
    }
  }
}

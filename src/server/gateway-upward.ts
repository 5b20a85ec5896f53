import { randomBytes } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../call/json.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import type { Incoming } from "../upstream/incoming.ts";
import type { Flight } from "../upstream/peer.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { REFUSED_MESSAGE } from "./gateway-messages.ts";
import { serverFacts } from "./gateway-names.ts";
import { isChange, SUBSCRIPTION_META } from "./gateway-subscription.ts";
import type { Asked, GatewayEdge, Owner } from "./gateway-types.ts";
import { writeJson } from "../wire/json-writer.ts";
import type { ScreenedLine } from "./screen.ts";
import { andThen } from "./turns.ts";

type FromUpstream<Kind extends Incoming["kind"]> = Incoming & { kind: Kind };
type FlightOf = Flight<Owner | undefined>;

/** Capability of a client for each request that an upstream may send it. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ["sampling/createMessage", "sampling"],
  ["elicitation/create", "elicitation"],
  ["roots/list", "roots"],
]);
/** Notifications that belong to no request. */
const UNBOUND = new Set(["tools", "prompts", "resources"].map((kind) => `notifications/${kind}/list_changed`));
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
/** Questions of upstreams that wait for one client. */
const MAX_ASKED = 1_000;
const PREFIX = `regate-${randomBytes(12).toString("hex")}-`;

/** Passes a notification of an upstream on, on the way of the request that it belongs to; ids and tokens become the client's own. */
export function passNotification(
  edge: GatewayEdge,
  server: Upstream<Owner>,
  { message, flight }: { message: FromUpstream<"notification">; flight: FlightOf | undefined },
): void {
  const { method, params, numbers } = message;
  if (method === "notifications/cancelled") return withdrawQuestions(edge, server, params);
  const peer = server.wire();
  let about = flight;
  let changed: JsonObject = params;
  if (method === "notifications/progress") {
    about = params["progressToken"] === undefined ? undefined : peer?.byToken(params["progressToken"]);
    if (about?.owner === undefined) return edge.log.count(`server \`${server.entry.id}\`: dropped progress of no request`);
    if (about.owner.token !== params["progressToken"]) changed = { ...params, progressToken: about.owner.token ?? null };
  }
  const subscription = isJsonObject(params["_meta"]) ? params["_meta"][SUBSCRIPTION_META] : undefined;
  if (subscription === undefined && isChange(method) && server.era() === "legacy") {
    for (const open of edge.subscriptions) open.changed(method, params);
    if (edge.state.hello?.era === "modern") return;
  }
  if (subscription !== undefined && peer !== undefined) {
    about = [...peer.flights()].find(
      ({ id }) => id === JSON.stringify(subscription) || JSON.stringify(id) === JSON.stringify(subscription),
    );
    if (about?.owner === undefined) return edge.log.count(`server \`${server.entry.id}\`: dropped a message of no subscription`);
    const id = JSON.parse(about.owner.idJson) as JsonValue;
    changed = { ...params, _meta: { ...(params["_meta"] as JsonObject), [SUBSCRIPTION_META]: id } };
    const own = about.owner.subscription;
    if (own !== undefined && method === ACKNOWLEDGED) return own.acknowledged(server, params["notifications"]);
    if (own !== undefined) return own.changed(method, changed);
  }
  if (about === undefined && !UNBOUND.has(method)) about = lastCall(server);
  const body = Object.hasOwn(message.message, "params") ? `,"params":${writeJson(changed, numbers, ["params"])}` : "";
  sendAbout(edge, about?.owner, `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${body}}`);
}

function lastCall(server: Upstream<Owner>): FlightOf | undefined {
  return [...(server.peer()?.flights() ?? [])].findLast(({ owner, method }) => owner !== undefined && method !== "subscriptions/listen");
}

function sendAbout(edge: GatewayEdge, owner: Owner | undefined, json: string): boolean {
  return owner?.exchange?.send(json) === true || edge.send(json);
}

/**
 * Takes back what an upstream has asked the client.
 * @param params of its own notifications/cancelled; absent: it is gone, and so is all that it asked
 */
export function withdrawQuestions(edge: GatewayEdge, server: Upstream<Owner>, params?: JsonObject): void {
  const wanted = params === undefined ? undefined : JSON.stringify(params["requestId"]);
  for (const [id, asked] of edge.asked) {
    if (asked.upstream?.server !== server || (params !== undefined && asked.upstream.id !== wanted)) continue;
    edge.asked.delete(id);
    edge.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${JSON.stringify({ ...params, requestId: id })}}`);
  }
}

/**
 * Passes a request of an upstream on, if the client can answer it and policy accepts it; else the upstream gets an error. The client sees
 * an id of ours. A client's roots pass the policy again with their values.
 */
export function passRequest(
  edge: GatewayEdge,
  server: Upstream<Owner>,
  { message, flight }: { message: FromUpstream<"request">; flight: FlightOf | undefined },
): void {
  const { method, params, numbers, id } = message;
  const peer = server.wire();
  const answer = (body: string): void => peer?.respond(id, body);
  if (method === "ping") return answer('"result":{}');
  const needed = NEEDED.get(method);
  if (needed === undefined || !isJsonObject(edge.state.capabilities[needed]))
    return answer(errorBody(-32601, "the client does not support this"));
  if (edge.asked.size >= MAX_ASKED) {
    edge.log.count(`server \`${server.entry.id}\`: refused a question, since too many wait for the client`);
    return answer(errorBody(-32603, "too many questions wait for the client"));
  }
  const about = flight ?? lastCall(server);
  const facts = about?.owner?.facts ?? serverFacts(server);
  void andThen(edge.corridor.message({ method, from: "upstream", params, facts }), (verdict) => {
    if (!verdict.allowed) return answer(refusedBody(verdict.refusal, verdict.decisionId));
    const own = ask(edge, method, { upstream: { server, id }, answer: answerThrough(edge, { method, facts, answer }) });
    const body = Object.hasOwn(message.message, "params") ? `,"params":${writeJson(params, numbers, ["params"])}` : "";
    if (sendAbout(edge, about?.owner, `{"jsonrpc":"2.0","id":"${own}","method":${JSON.stringify(method)}${body}}`)) return undefined;
    edge.asked.delete(own);
    return answer(errorBody(-32603, "the client cannot be reached"));
  });
}

/** Hands a client's answer on to the upstream that asked: roots if policy lets them pass. */
function answerThrough(
  edge: GatewayEdge,
  { method, facts, answer }: { readonly method: string; readonly facts: ToolFacts; readonly answer: (body: string) => void },
): Asked["answer"] {
  return ({ result }, body) => {
    if (method !== "roots/list" || !isJsonObject(result)) return answer(body);
    void andThen(edge.corridor.message({ method, from: "client", params: {}, facts, result }), (second) =>
      answer(second.allowed ? body : refusedBody(second.refusal, second.decisionId)),
    );
    return undefined;
  };
}

/** Notes a question to the client under an id of ours. */
export function ask(edge: GatewayEdge, method: string, question: Pick<Asked, "answer" | "upstream">): string {
  edge.state.lastAsked += 1;
  const id = `${PREFIX}${edge.state.lastAsked}`;
  edge.asked.set(id, { method, ...question });
  return id;
}

/** Hands a client's answer on; one to an id that is not outstanding is dropped. */
export function takeAnswer(edge: GatewayEdge, { message, numbers }: ScreenedLine & { kind: "response" }): void {
  const { id } = message;
  const asked = typeof id === "string" ? edge.asked.get(id) : undefined;
  if (asked === undefined) return edge.log.count("dropped an answer to no request of ours");
  edge.asked.delete(id as string);
  const key = Object.hasOwn(message, "error") ? "error" : "result";
  asked.answer(message, `"${key}":${writeJson(message[key] ?? null, numbers, [key])}`);
  edge.onAnswer();
}

function errorBody(code: number, message: string, data?: JsonObject): string {
  return `"error":${JSON.stringify({ code, message, ...(data === undefined ? {} : { data }) })}`;
}

function refusedBody({ text, code }: { readonly text: string; readonly code: string }, decisionId: string): string {
  return errorBody(REFUSED_MESSAGE, text, { decision_id: decisionId, code });
}

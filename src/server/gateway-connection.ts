import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import { errorAnswer, resultAnswer, type Answer } from "./answers.ts";
import type { Confirm } from "./confirm.ts";
import type { Connection } from "./connection.ts";
import { elicitationOutcome } from "./elicitation-outcome.ts";
import type { Exchange } from "./exchange.ts";
import { callUpstream } from "./gateway-call.ts";
import { answerDiscover, answerInitialize, clientIsReady } from "./gateway-hello.ts";
import { answerList, isList } from "./gateway-lists.ts";
import { answerMessage } from "./gateway-messages.ts";
import { serverFacts, type Names } from "./gateway-names.ts";
import type { GatewayEdge } from "./gateway-types.ts";
import { ask, takeAnswer } from "./gateway-upward.ts";
import { writeJson } from "../wire/json-writer.ts";
import { isModern, modernClient } from "./modern.ts";
import { elicitationParams } from "./question.ts";
import { readRequestId, type RequestId } from "./request-id.ts";
import { RPC } from "./rpc.ts";
import { screenLine, TOO_LONG, type RefusedLine, type ScreenedLine, type ScreenedRequest } from "./screen.ts";
import type { ClientFacts } from "../session/session.ts";
import { andThen } from "./turns.ts";

/** One client's connection to the gateway: the same edge as of `serve`, and the upstreams behind it (reference/gateway.md, Pumping). */
export function gatewayConnection(edge: GatewayEdge, names: Names): Connection {
  return {
    receive: (line) => receive(edge, names, { line: screenLine(line), exchange: undefined }),
    take: (line, exchange) => receive(edge, names, { line, exchange }),
    refuseTooLong: () => refuse(edge, TOO_LONG),
    abort: () => edge.inFlight.abortAll(),
    idle: () => edge.inFlight.idle(),
    async close() {
      edge.state.isClosing = true;
      edge.log.close();
      await Promise.all(edge.upstreams.map((server) => server.close()));
    },
  };
}

/** A client that has not said what it can do. */
const NOBODY: ClientFacts = Object.freeze({ elicitation: false });

/** Ids of our own requests to a client, as JSON text; nobody else uses them (reference/mcp.md §4.1). */
const OUR_ID = /^"regate-[0-9a-f]{8,}-\d+"$/;

interface Received {
  readonly line: ScreenedLine;
  readonly exchange: Exchange | undefined;
}

function receive(edge: GatewayEdge, names: Names, { line, exchange }: Received): Answer | undefined | Promise<Answer | undefined> {
  if (line.kind === "refused") return refuse(edge, line);
  if (line.kind === "request") return answer(edge, names, { request: line, exchange });
  if (line.kind === "notification") notified(edge, line, exchange);
  else if (line.kind === "dropped") edge.log.count(`dropped ${line.reason}`);
  else if (line.kind === "response") takeAnswer(edge, line);
  return undefined;
}

function refuse({ log }: GatewayEdge, { rule, code, message, id }: RefusedLine): Answer {
  log.count(`refused a line (${rule}, ${code})`);
  return errorAnswer({ code, message }, id);
}

function keyOf(id: RequestId, exchange: Exchange | undefined): RequestId {
  return exchange?.scope === undefined ? id : { ...id, key: `${exchange.scope} ${id.key}` };
}

interface Asking {
  readonly request: ScreenedRequest;
  readonly exchange: Exchange | undefined;
}

function answer(edge: GatewayEdge, names: Names, { request, exchange }: Asking): Answer | Promise<Answer | undefined> {
  const { id, method } = request;
  if (OUR_ID.test(id.json))
    return refuse(edge, { kind: "refused", rule: "own_id", code: RPC.invalidRequest, message: "`id` has the form of ours", id });
  const own = keyOf(id, exchange);
  const flight = edge.inFlight.open(own, method !== "initialize");
  if (!flight) return refuse(edge, { kind: "refused", rule: "id_in_flight", code: RPC.invalidRequest, message: "`id` is in flight", id });
  exchange?.givenUp?.addEventListener("abort", () => edge.inFlight.cancel(own.key), { once: true });
  const land = (reply: Answer): Answer | undefined => {
    edge.reasons.delete(own.key);
    return flight.land() ? reply : undefined;
  };
  const fail = (error: unknown): Answer | undefined => {
    edge.log.fault(error);
    return land(errorAnswer({ code: RPC.internal, message: "internal error" }, id));
  };
  try {
    const reply = dispatch(edge, names, { request, key: own.key, signal: flight.signal, exchange });
    return reply instanceof Promise ? reply.then(land, fail) : (land(reply) ?? reply);
  } catch (error) {
    return fail(error) ?? errorAnswer({ code: RPC.internal, message: "internal error" }, id);
  }
}

interface Dispatched extends Asking {
  readonly key: string;
  readonly signal: Withdrawal;
}

function dispatch(edge: GatewayEdge, names: Names, dispatched: Dispatched): Answer | Promise<Answer> {
  const { request } = dispatched;
  const { id, method } = request;
  if (method === "initialize") return answerInitialize(edge, request);
  if (isModern(request)) {
    const client = modernClient(request);
    if ("error" in client) return errorAnswer(client.error, id);
    edge.corridor.setClient(client.facts);
    if (method === "server/discover") return answerDiscover(edge, request);
  } else {
    edge.corridor.setClient(edge.state.facts ?? NOBODY);
    if (method === "ping") return resultAnswer(id, "{}");
  }
  if (method === "tools/call") return callUpstream(edge, names, dispatched);
  return isList(method) ? answerList(edge, names, request) : answerMessage(edge, names, dispatched);
}

function notified(edge: GatewayEdge, line: ScreenedLine & { kind: "notification" }, exchange: Exchange | undefined): void {
  const { method, params, numbers } = line;
  if (method === "notifications/initialized") return edge.state.hello === undefined || edge.state.isReady ? undefined : clientIsReady(edge);
  if (method === "notifications/cancelled") return cancelled(edge, params, exchange);
  void andThen(edge.corridor.message({ method, from: "client", params, facts: serverFacts(undefined) }), (verdict) => {
    if (!verdict.allowed) return edge.log.count("dropped a notification that policy refuses");
    const text = writeJson(params, numbers, ["params"]);
    for (const server of edge.upstreams)
      if (server.peer()?.notify(method, text === "{}" ? undefined : text) === false)
        edge.log.count("dropped a notification that a server does not take");
    return undefined;
  });
  return undefined;
}

function cancelled({ inFlight, reasons }: GatewayEdge, { requestId, reason }: JsonObject, exchange: Exchange | undefined): void {
  const id = readRequestId(requestId);
  if (id === undefined) return;
  const { key } = keyOf(id, exchange);
  if (typeof reason === "string") reasons.set(key, reason);
  inFlight.cancel(key);
  reasons.delete(key);
}

/** Asks the human of a client with a handshake, under an id of ours. */
export function confirmThrough(edge: GatewayEdge): Confirm {
  return async ({ question, signal }) => {
    if (edge.state.facts?.elicitation !== true) return "no_channel";
    return await new Promise((resolve) => {
      const id = ask(edge, "elicitation/create", {
        answer: ({ result }) => resolve(isJsonObject(result) ? elicitationOutcome(result) : "malformed"),
      });
      signal.addEventListener("abort", () => {
        if (!edge.asked.delete(id)) return;
        edge.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"${id}"}}`);
        resolve("cancelled");
      });
      const params = JSON.stringify(elicitationParams(question));
      if (edge.send(`{"jsonrpc":"2.0","id":"${id}","method":"elicitation/create","params":${params}}`)) return;
      edge.asked.delete(id);
      resolve("no_channel");
    });
  };
}

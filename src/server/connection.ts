import { AsyncLocalStorage } from "node:async_hooks";
import type { JsonObject } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { ClientFacts } from "../session/session.ts";
import { errorAnswer, renderReply, type Answer } from "./answers.ts";
import { clientFacts } from "./client-facts.ts";
import type { Corridor } from "./corridor-types.ts";
import { elicitThrough } from "./elicit.ts";
import { createEdgeLog, type EdgeLog } from "./edge-log.ts";
import type { Exchange } from "./exchange.ts";
import type { HumanLine } from "./human-line.ts";
import { createInFlight, type InFlight } from "./in-flight.ts";
import { openLegacySession, type LegacySession } from "./mcp-server.ts";
import { callWithRetry } from "./modern-call.ts";
import { discover, isModern, modernClient, privateList, takesNotices } from "./modern.ts";
import { readRequestId, type RequestId } from "./request-id.ts";
import { noticeThrough, passesNotice, supportsUrl } from "./notice.ts";
import { RPC, rpcError, type RpcReply } from "./rpc.ts";
import { screenLine, TOO_LONG, type RefusedLine, type ScreenedLine, type ScreenedRequest } from "./screen.ts";
import { callTool, listTools } from "./tool-methods.ts";

/** What a connection needs from its transport and its host process. */
export interface ConnectionOptions {
  readonly corridor: Corridor;
  /** Regate's version, told to clients. */
  readonly version: string;
  /** Is connected with this client's human, who is asked by `elicitation/create`. */
  readonly human?: Pick<HumanLine, "connect">;
  /** Takes a message of ours (not an answer) to the client: JSON on one line, without LF. */
  readonly send: (json: string) => void;
  /** Takes one line for stderr. */
  readonly log: (line: string) => void;
  /** Told that a line answered a question of ours: the next line must wait until those who asked have heard it. */
  readonly onAnswer?: () => void;
}

/** One client's connection, whatever carries its lines. */
export interface Connection {
  /**
   * Takes one line. Calls enter the corridor before this returns, in the order of the lines.
   * @returns the one answer, at once when it needs no waiting; undefined when there is none: notifications, answers to us, dropped lines,
   *   cancelled requests. Never throws or rejects.
   */
  receive(line: Uint8Array): Answer | undefined | Promise<Answer | undefined>;
  /** As `receive`, for a line that was screened already and came with a request of its own (HTTP). */
  take(line: ScreenedLine, exchange: Exchange): Answer | undefined | Promise<Answer | undefined>;
  /** The one answer to a line that was too long to be read. */
  refuseTooLong(): Answer;
  /** Aborts the requests in flight; they are still answered. */
  abort(): void;
  /** Resolves as soon as every request is answered. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** The parts of an open connection. */
interface Edge extends Pick<ConnectionOptions, "corridor" | "version"> {
  readonly log: EdgeLog;
  readonly inFlight: InFlight;
  readonly legacy: LegacySession;
  /** Sends a message of ours on its way to the client. */
  readonly send: (json: string) => void;
  readonly onAnswer: (() => void) | undefined;
  /** The exchange on whose behalf something is done; none over stdio. */
  readonly exchanges: AsyncLocalStorage<Exchange>;
  /** What the first `initialize` said; absent before it. */
  legacyFacts?: ClientFacts;
  /** The client opens addresses for the human. */
  opensUrls?: boolean;
  /** Whether log messages of level `notice` are wanted; they are unless the client said otherwise. */
  takesNotices?: boolean;
  /** Whether the stateless request on whose behalf something is done takes notices; outside of one there is no answer. */
  readonly wishes: AsyncLocalStorage<boolean>;
}

/** Opens a connection: framing and transport are the caller's, everything behind a line is here (design §11). */
export async function openConnection({ corridor, version, human, send, log: write, onAnswer }: ConnectionOptions): Promise<Connection> {
  const log = createEdgeLog(write);
  const exchanges = new AsyncLocalStorage<Exchange>();
  const sendBack = (json: string): void => {
    if (exchanges.getStore()?.send(json) !== true) send(json);
  };
  const legacy = await openLegacySession({
    version,
    send: (message) => sendBack(JSON.stringify(message)),
    onError: () => log.count("dropped a message that the SDK does not take"),
  });
  const edge: Edge = {
    corridor,
    version,
    log,
    legacy,
    send: sendBack,
    onAnswer,
    exchanges,
    inFlight: createInFlight(),
    wishes: new AsyncLocalStorage(),
  };
  const notice = noticeThrough({
    elicit: legacy.elicit,
    canOpenUrl: () => edge.wishes.getStore() === undefined && edge.opensUrls === true,
    canLog: () => edge.wishes.getStore() ?? (edge.legacyFacts !== undefined && edge.takesNotices !== false),
    send: (message) => sendBack(JSON.stringify(message)),
  });
  human?.connect(
    elicitThrough(legacy.elicit, () => edge.legacyFacts?.elicitation === true),
    notice,
  );
  return {
    receive: (line) => receive(edge, screenLine(line)),
    take: (line, exchange) => exchanges.run(exchange, () => receive(edge, line, exchange)),
    refuseTooLong: () => refuse(edge, TOO_LONG),
    abort: () => edge.inFlight.abortAll(),
    idle: () => edge.inFlight.idle(),
    close: async () => {
      log.close();
      await legacy.close();
    },
  };
}

function receive(edge: Edge, line: ScreenedLine, exchange?: Exchange): Answer | undefined | Promise<Answer | undefined> {
  if (line.kind === "refused") return refuse(edge, line);
  if (line.kind === "request") return answer(edge, line, exchange);
  if (line.kind === "notification") notified(edge, line, exchange);
  else if (line.kind === "dropped") edge.log.count(`dropped ${line.reason}`);
  else if (line.kind === "response") answered(edge, line.message);
  return undefined;
}

type ScreenedNotification = Extract<ScreenedLine, { kind: "notification" }>;

function answered({ legacy, log, onAnswer }: Edge, message: JsonObject): void {
  if (legacy.respond(message)) onAnswer?.();
  else log.count("dropped an answer to no request of ours");
}

function refuse({ log }: Edge, { rule, code, message, id }: RefusedLine): Answer {
  log.count(`refused a line (${rule}, ${code})`);
  return errorAnswer({ code, message }, id);
}

function notified({ inFlight, legacy }: Edge, { method, params }: ScreenedNotification, exchange: Exchange | undefined): void {
  if (method !== "notifications/cancelled") return legacy.notify(method, params);
  const id = readRequestId(params["requestId"]);
  if (id) inFlight.cancel(scoped(id, exchange).key);
}

/** An id as it counts among those in flight. */
function scoped(id: RequestId, exchange: Exchange | undefined): RequestId {
  return exchange?.scope === undefined ? id : { ...id, key: `${exchange.scope} ${id.key}` };
}

function answer(edge: Edge, request: ScreenedRequest, exchange?: Exchange): Answer | undefined | Promise<Answer | undefined> {
  const { id, method } = request;
  const inFlight = scoped(id, exchange);
  const flight = edge.inFlight.open(inFlight, method !== "initialize");
  if (!flight) return refuse(edge, { kind: "refused", rule: "id_in_flight", code: RPC.invalidRequest, message: "`id` is in flight", id });
  exchange?.givenUp?.addEventListener("abort", () => edge.inFlight.cancel(inFlight.key), { once: true });
  const land = (reply: RpcReply): Answer | undefined => (flight.land() ? renderReply(id, reply, method) : undefined);
  const fail = (error: unknown): Answer | undefined => land(fault(edge, error));
  try {
    const isStateless = exchange?.scope !== undefined || isModern(request);
    const reply = isStateless ? modernReply(edge, request, flight.signal) : legacyReply(edge, request, flight.signal);
    return reply instanceof Promise ? reply.then(land, fail) : land(reply);
  } catch (error) {
    return fail(error);
  }
}

/** Whatever was thrown is a fault of ours; the client learns nothing of what it was. */
function fault({ log }: Edge, error: unknown): RpcReply {
  log.fault(error);
  return rpcError(RPC.internal, "internal error");
}

const METHOD_NOT_FOUND = rpcError(RPC.methodNotFound, "method not found");

function modernReply(
  { corridor, version, send, wishes }: Edge,
  request: ScreenedRequest,
  signal: Withdrawal,
): RpcReply | Promise<RpcReply> {
  const client = modernClient(request);
  if ("error" in client) return client;
  switch (request.method) {
    case "server/discover":
      return discover(version);
    case "tools/list":
      return privateList(listTools(corridor), version);
    case "tools/call":
      corridor.setClient(client.facts);
      return wishes.run(takesNotices(request), () => callWithRetry(corridor, request.params ?? {}, { signal, version, send }));
    default:
      return METHOD_NOT_FOUND;
  }
}

function legacyReply(edge: Edge, request: ScreenedRequest, signal: Withdrawal): RpcReply | Promise<RpcReply> {
  const { corridor } = edge;
  switch (request.method) {
    case "ping":
      return { result: {} };
    case "tools/list":
      return listTools(corridor);
    case "tools/call":
      corridor.setClient(edge.legacyFacts ?? { elicitation: false });
      return callTool(corridor, request.params ?? {}, { signal, send: edge.send });
    case "initialize":
      return initialize(edge, request.params ?? {});
    case "logging/setLevel":
      return setLevel(edge, request.params ?? {});
    default:
      return METHOD_NOT_FOUND;
  }
}

function setLevel(edge: Edge, params: JsonObject): RpcReply {
  const passes = passesNotice(params["level"]);
  if (passes === undefined) return rpcError(RPC.invalidParams, "`params` do not fit the method");
  edge.takesNotices = passes;
  return { result: {} };
}

/** Only the first handshake tells who the client is: a second one is answered and changes nothing (design §3). */
function initialize(edge: Edge, params: JsonObject): RpcReply | Promise<RpcReply> {
  const reply = edge.legacy.initialize(params);
  if (!reply) return rpcError(RPC.invalidParams, "`params` do not fit the method");
  edge.opensUrls ??= supportsUrl(params["capabilities"]);
  edge.legacyFacts ??= clientFacts(params["capabilities"], params["clientInfo"]);
  return reply;
}

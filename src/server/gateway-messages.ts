import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { ToolFacts } from "../call/tool-call.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { Refusal } from "../gate/verdict.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import { refuse } from "../gate/refuse.ts";
import { identityOf } from "../upstream/entry.ts";
import { hasCapability, type Upstream } from "../upstream/upstream.ts";
import { errorAnswer, resultAnswer, type Answer } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import { forward, tokenOf, type ForwardEnd } from "./gateway-forward.ts";
import { serverOfResource } from "./gateway-resources.ts";
import { serverFacts, type Names } from "./gateway-names.ts";
import { redacted } from "./gateway-redact.ts";
import { bringUp } from "./gateway-hello.ts";
import { answerListen } from "./gateway-listen.ts";
import { greetIfNeeded } from "./gateway-start.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { writeJson } from "../wire/json-writer.ts";
import { isModern } from "./modern.ts";
import { RPC, rpcError } from "./rpc.ts";
import type { ScreenedRequest } from "./screen.ts";
import { andThen } from "./turns.ts";

/** Code of every refused message (reference/gateway.md, Decisions). */
export const REFUSED_MESSAGE = 4403;

/** Methods whose results carry content to the model and pass `gate/result`. */
const WITH_CONTENT: ReadonlySet<string> = new Set(["resources/read", "prompts/get", "completion/complete", "tasks/result"]);

/** What a server answers at once: it has as long as for a call. A `subscriptions/listen` or a method that nobody here knows may take its time. */
const BOUNDED: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
]);

/** A request of the client that is neither a call nor a list. */
export interface GatewayMessage {
  readonly request: ScreenedRequest;
  readonly key: string;
  readonly signal: Withdrawal;
  readonly exchange: Exchange | undefined;
}

/** Answers a request through `gate/message`: a refusal is an error and leaves no byte at any upstream. */
export async function answerMessage(edge: GatewayEdge, names: Names, message: GatewayMessage): Promise<Answer> {
  const { request } = message;
  const { method, params = {}, id } = request;
  const first = edge.upstreams.length === 1 ? edge.upstreams[0] : undefined;
  const named = promptTarget(edge, names, request);
  const facts = serverFacts(named?.server ?? first);
  const judged = edge.corridor.message({ method, from: "client", params, facts });
  const verdict = judged instanceof Promise ? await judged : judged;
  if (!verdict.allowed) return refusedMessage(request, verdict);
  greetIfNeeded(edge, request);
  await serversUp(edge, request, first ?? named?.server);
  const isListen = method === "subscriptions/listen" && isModern(request);
  if (isListen && first?.era() !== "modern") return await answerListen(edge, message);
  if (first === undefined && method === "logging/setLevel") return await toAll(edge, message);
  const target = first ?? named?.server ?? (await targetOf(edge, request));
  if (target === "ambiguous")
    return refusedMessage(request, { decisionId: verdict.decisionId, refusal: refuse("handler", "name.ambiguous") });
  if (target === undefined) return errorAnswer(unroutable(request), id);
  const pin = await pinProblem(edge, target, named?.name);
  if (pin === "unknown") return errorAnswer(unroutable(request), id);
  if (pin !== undefined) return refusedMessage(request, { decisionId: verdict.decisionId, refusal: pin });
  const peer = target.peer();
  if (peer === undefined)
    return refusedMessage(request, { decisionId: verdict.decisionId, refusal: refuse("handler", "upstream.unavailable") });
  const owner: Owner = { key: message.key, idJson: id.json, exchange: message.exchange, token: tokenOf(request.params) };
  const end = await forward(edge, peer, {
    method,
    params: named === undefined ? request.params : named.params,
    numbers: request.numbers,
    owner,
    signal: message.signal,
    timeoutMs: BOUNDED.has(method) ? (target.entry.timeoutMs ?? edge.parts.limits.timeoutMs) : undefined,
  });
  return answerOf(edge, { request, facts, end, decisionId: verdict.decisionId });
}

/** Waits for what comes up; started again is the server that the request is for, or may be for. */
async function serversUp(edge: GatewayEdge, { params = {} }: ScreenedRequest, target: Upstream<Owner> | undefined): Promise<void> {
  const { ref, uri } = params;
  const isOfResource = typeof uri === "string" || (isJsonObject(ref) && typeof ref["uri"] === "string");
  const wanted = edge.upstreams.filter((server) => {
    const status = server.status();
    return status === "starting" || (status === "down" && (server === target || (target === undefined && isOfResource)));
  });
  await Promise.all(wanted.map((server) => bringUp(edge, server, 10_000)));
}

interface Ended {
  readonly request: ScreenedRequest;
  readonly facts: ToolFacts;
  readonly end: ForwardEnd;
  readonly decisionId: string;
}

function answerOf(edge: GatewayEdge, { request, facts, end, decisionId }: Ended): Answer | Promise<Answer> {
  const { id, method, params = {} } = request;
  if (end.kind === "error") {
    return {
      json: `{"jsonrpc":"2.0","id":${id.json},"error":${writeJson(end.error, end.numbers, ["error"])}}`,
      code: Number(end.error["code"]),
    };
  }
  if (end.kind !== "result") return refusedMessage(request, { decisionId, refusal: refuse("handler", codeOfEnd(end)) });
  const verdict = WITH_CONTENT.has(method)
    ? edge.corridor.result({ method, params, facts, result: end.result, parent: decisionId })
    : ({ allowed: true, redact: [] } as const);
  return andThen(verdict, (judged) => {
    if (!judged.allowed) return refusedMessage(request, judged);
    const value = redacted(end.result, judged.redact);
    const whole = isModern(request) && !Object.hasOwn(value, "resultType") ? { ...value, resultType: "complete" } : value;
    const text = writeJson(whole, value === end.result ? end.numbers : [], ["result"]);
    if (Buffer.byteLength(text) <= edge.parts.limits.maxResultBytes) return resultAnswer(id, text);
    return refusedMessage(request, { decisionId, refusal: refuse("handler", "upstream.result_too_large") });
  });
}

function codeOfEnd(end: ForwardEnd): RefusalCode {
  if (end.kind === "timeout") return "upstream.timeout";
  // What was withdrawn may have been sent.
  return end.kind === "lost" && !end.sent ? "upstream.unavailable" : "upstream.outcome_unknown";
}

/** The error of a refused message: positive code, stable text, the decision. */
function refusedMessage(
  { id }: ScreenedRequest,
  { refusal, decisionId }: { readonly refusal: Refusal; readonly decisionId: string },
): Answer {
  return errorAnswer({ code: REFUSED_MESSAGE, message: refusal.text, data: { decision_id: decisionId, code: refusal.code } }, id);
}

interface PromptTarget {
  readonly server?: Upstream<Owner>;
  /** The prompt's own name. */
  readonly name: string;
  readonly params: JsonObject;
}

/** The prompt that prompts/get or a completion reference names; of several servers by its joined name. */
function promptTarget({ upstreams }: GatewayEdge, names: Names, { method, params = {} }: ScreenedRequest): PromptTarget | undefined {
  const { ref } = params;
  const isCompletion = method === "completion/complete" && isJsonObject(ref) && ref["type"] === "ref/prompt";
  const given = isCompletion ? ref["name"] : method === "prompts/get" ? params["name"] : undefined;
  if (typeof given !== "string") return undefined;
  if (upstreams.length === 1) return { name: given, params };
  const server = names.isServed(given) ? upstreams.find((one) => given.startsWith(names.wireName(one, ""))) : undefined;
  if (server === undefined) return { name: given, params };
  const name = given.slice(names.wireName(server, "").length);
  return { server, name, params: isCompletion ? { ...params, ref: { ...ref, name } } : { ...params, name } };
}

/** With several servers: the one that a uri belongs to. */
async function targetOf(edge: GatewayEdge, { method, params = {} }: ScreenedRequest): Promise<Upstream<Owner> | "ambiguous" | undefined> {
  const { ref } = params;
  const uri = method === "completion/complete" && isJsonObject(ref) ? ref["uri"] : params["uri"];
  return typeof uri === "string" ? await serverOfResource(edge, uri) : undefined;
}

function unroutable({ method, params = {} }: ScreenedRequest) {
  const { uri } = params;
  if (typeof uri === "string") return rpcError(RPC.invalidParams, "unknown resource", { uri }).error;
  if (method === "prompts/get" || method === "completion/complete") return rpcError(RPC.invalidParams, "unknown prompt").error;
  return rpcError(RPC.methodNotFound, "method not found").error;
}

/** A server or prompt that its pins hold back; of several servers also a prompt that is not listed: joined names are looked up. */
async function pinProblem(
  { parts, upstreams }: GatewayEdge,
  server: Upstream<Owner>,
  prompt: string | undefined,
): Promise<Refusal | "unknown" | undefined> {
  const status = parts.pins.serverStatus({ id: server.entry.id, identity: identityOf(server.entry) });
  if (status !== "ok") return refuse("handler", `pin.${status}`);
  if (prompt === undefined) return undefined;
  const pages = await server.list({ method: "prompts/list", key: "prompts" }, undefined);
  const listed = pages?.kind === "listed" ? pages.entries.map(({ value }) => value) : [];
  const named = listed.flatMap((definition) => {
    const name = isJsonObject(definition) ? definition["name"] : undefined;
    return typeof name === "string" ? [{ name, definition }] : [];
  });
  const found = named.length === 0 ? undefined : server.observe("prompts", named).get(prompt);
  if (found === undefined) return upstreams.length > 1 ? "unknown" : undefined;
  if (found === "pinned") return undefined;
  return refuse("handler", found === "new" ? "pin.new" : "pin.changed");
}

/** A log level goes to every server that logs. */
async function toAll(edge: GatewayEdge, { request, key, signal, exchange }: GatewayMessage): Promise<Answer> {
  const owner: Owner = { key, idJson: request.id.json, exchange, token: undefined };
  const { method, params, numbers } = request;
  const logging = edge.upstreams.filter((server) => hasCapability(server.greeting(), "logging"));
  await Promise.all(
    logging.map(async (server) => {
      const peer = server.peer();
      if (peer !== undefined) await forward(edge, peer, { method, params, numbers, owner, signal, timeoutMs: 5_000 });
    }),
  );
  return resultAnswer(request.id, "{}");
}

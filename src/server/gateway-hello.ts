import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { errorAnswer, resultAnswer, type Answer } from "./answers.ts";
import { clientFacts } from "./client-facts.ts";
import { eraOf, greet, LATEST_LEGACY, settleWithin } from "./gateway-start.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { writeJson } from "../wire/json-writer.ts";
import { completed } from "./modern.ts";
import { RPC } from "./rpc.ts";
import type { ScreenedRequest } from "./screen.ts";
import { within } from "../wire/within.ts";

/** How long the only upstream has to answer initialize before Regate does. */
const FORWARD_MS = 3_000;
const LEGACY_VERSIONS: ReadonlySet<unknown> = new Set(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]);

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

/**
 * Answers `initialize`: with one server by its own answer, unchanged; with several, or when it takes too long, by ours. Only the first one
 * counts: it is sent to each upstream once, and a second changes nothing.
 */
export async function answerInitialize(edge: GatewayEdge, request: ScreenedRequest): Promise<Answer> {
  const { params = {}, numbers, id } = request;
  const isFirst = edge.state.facts === undefined && edge.state.hello === undefined;
  if (!isFit(params)) return errorAnswer({ code: RPC.invalidParams, message: "`params` do not fit the method" }, id);
  if (isFirst) {
    const { capabilities, clientInfo } = params;
    edge.state.facts = clientFacts(capabilities, clientInfo);
    edge.state.capabilities = isJsonObject(capabilities) ? capabilities : {};
    edge.state.hello = { era: "legacy", params: writeJson(params, numbers, ["params"]) };
  }
  const [server] = edge.upstreams;
  const greetings = edge.upstreams.map((one) => one.greet(edge.state.hello ?? { era: "legacy", params: "{}" }));
  if (edge.upstreams.length > 1 || server === undefined) return ourselves(edge, request);
  const answer = await within(FORWARD_MS, greetings[0] ?? Promise.resolve(undefined));
  if (answer?.kind === "error")
    return {
      json: `{"jsonrpc":"2.0","id":${id.json},"error":${writeJson(answer.error, answer.numbers, ["error"])}}`,
      code: Number(answer.error["code"]),
    };
  if (answer?.kind !== "result") return ourselves(edge, request);
  return resultAnswer(id, writeJson(answer.result, answer.numbers, ["result"]));
}

function isFit({ protocolVersion, capabilities, clientInfo }: JsonObject): boolean {
  return typeof protocolVersion === "string" && isJsonObject(capabilities) && isJsonObject(clientInfo);
}

function ourselves(edge: GatewayEdge, { id, params = {} }: ScreenedRequest): Answer {
  edge.state.answersItself = true;
  for (const server of edge.upstreams) edge.state.missed.add(server);
  const { protocolVersion } = params;
  const result = {
    protocolVersion: LEGACY_VERSIONS.has(protocolVersion) ? protocolVersion : LATEST_LEGACY,
    capabilities: CAPABILITIES,
    serverInfo: { name: "regate", version: edge.parts.version },
  };
  return resultAnswer(id, JSON.stringify(result));
}

/** The client is ready: every server is told so and brought up; what comes up after a list is told by list_changed. */
export function clientIsReady(edge: GatewayEdge): void {
  edge.state.isReady = true;
  for (const server of edge.upstreams) {
    server.initialized();
    void greet(edge, server)
      .then(() => server.settle())
      .then((isUp) => isUp && tellLate(edge, server));
  }
}

/** Tells a client of lists that were answered, or whose existence was announced, without this server. */
export function tellLate(edge: GatewayEdge, server: Upstream<Owner>): void {
  if (!edge.state.missed.delete(server) || edge.state.isClosing) return;
  for (const subscription of edge.subscriptions) subscription.attach(server);
  for (const kind of ["tools", "prompts", "resources"]) {
    const method = `notifications/${kind}/list_changed`;
    for (const subscription of edge.subscriptions) subscription.changed(method, {});
    if (edge.state.hello?.era !== "modern") edge.send(`{"jsonrpc":"2.0","method":"${method}"}`);
  }
}

/** Brings a server up for a request to it: one that is down is started again, and its return is told to the client. */
export async function bringUp(edge: GatewayEdge, server: Upstream<Owner>, ms?: number): Promise<void> {
  const wasDown = server.status() === "down";
  if (wasDown && !edge.state.isClosing) server.start();
  if (!(await settleWithin(edge, server, ms)) || !wasDown) return;
  edge.state.missed.add(server);
  tellLate(edge, server);
}

/**
 * Answers server/discover without harming the real servers: a dual-era server's own result, "method not found" for a legacy one, and a
 * result of ours when several servers all know the revision.
 */
export async function answerDiscover(edge: GatewayEdge, { id, params, numbers }: ScreenedRequest): Promise<Answer> {
  const text = params === undefined || !Object.hasOwn(params, "_meta") ? "" : writeJson(params, numbers, ["params"]);
  const answers = await Promise.all(edge.upstreams.map((server) => eraOf(edge, server, text)));
  if (answers.some(({ era }) => era === "legacy")) return errorAnswer({ code: RPC.methodNotFound, message: "method not found" }, id);
  const [only] = answers;
  if (answers.length === 1 && only?.era === "modern") return resultAnswer(id, writeJson(only.result, only.numbers, ["result"]));
  const ours = { supportedVersions: ["2026-07-28"], capabilities: CAPABILITIES, ttlMs: 5_000, cacheScope: "private" };
  const reply = completed({ result: ours }, edge.parts.version);
  return resultAnswer(id, JSON.stringify("result" in reply ? reply.result : {}));
}

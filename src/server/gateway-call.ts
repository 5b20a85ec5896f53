import { isJsonObject, type JsonObject } from "../call/json.ts";
import type { Withdrawal } from "../call/withdrawal.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { ToolContext } from "../tools/tool.ts";
import { identityOf, settingsOf } from "../upstream/entry.ts";
import { createSlots } from "../upstream/slots.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { errorAnswer, resultAnswer, type Answer } from "./answers.ts";
import type { CallToolResult } from "./corridor-types.ts";
import type { Exchange } from "./exchange.ts";
import { forward, tokenOf } from "./gateway-forward.ts";
import type { Names, Target } from "./gateway-names.ts";
import { argumentsMisfit } from "./gateway-arguments.ts";
import { noReply, recordable, resultText, standIn, taken, type Reply } from "./gateway-reply.ts";
import { greetIfNeeded } from "./gateway-start.ts";
import { currentTarget, isCurrent, isServed, isSettled, waitsFor } from "./gateway-target.ts";
import type { GatewayEdge, Owner } from "./gateway-types.ts";
import { isModern } from "./modern.ts";
import { refusalCodeOf } from "./results.ts";
import { PIN_CODES, refusal } from "./gateway-refusals.ts";
import { asking, retryChannel } from "./gateway-retry.ts";
import { paramMismatch } from "./gateway-params.ts";
import { quoted, RPC, type RpcError } from "./rpc.ts";
import type { ScreenedRequest } from "./screen.ts";

/** A tools/call on its way. */
export interface GatewayCall {
  readonly request: ScreenedRequest;
  /** Key among the requests in flight. */
  readonly key: string;
  readonly signal: Withdrawal;
  readonly exchange: Exchange | undefined;
}

/**
 * Answers tools/call: through the corridor, and then to the one upstream that the table names. Enters the corridor before this returns,
 * unless the server that may have the tool is still coming up.
 */
export function callUpstream(edge: GatewayEdge, names: Names, call: GatewayCall): Promise<Answer> {
  const name = nameOf(call);
  greetIfNeeded(edge, call.request);
  const target = names.find(name);
  const waits = isSettled(target) ? [] : waitsFor(edge, target);
  if (waits.length === 0) return enter(edge, { names, call, target });
  return Promise.all(waits).then(() => enter(edge, { names, call, target: names.find(name) }));
}

interface Entered {
  readonly names: Names;
  readonly call: GatewayCall;
  readonly target: Target;
  /** It was judged before, as another tool than there is now. */
  readonly isAnew?: boolean;
}

async function enter(edge: GatewayEdge, entered: Entered): Promise<Answer> {
  const { request, signal } = entered.call;
  // Of a tool that the agent may not see nothing is told by its headers either.
  const wrong = headersProblem(edge, entered.call, entered.target);
  if (wrong !== undefined && edge.corridor.isShown(nameOf(entered.call))) return errorAnswer(wrong, request.id);
  const reply = noReply();
  const given = request.params?.["arguments"];
  const channel = isModern(request) ? retryChannel(edge, request.params ?? {}) : undefined;
  const mayExist = entered.target.kind !== "absent" || entered.target.servers.some((server) => server.status() === "down");
  const answer = await edge.corridor.call({
    tool: nameOf(entered.call),
    arguments: isJsonObject(given) ? given : {},
    isPrivate: true,
    path: "direct",
    signal,
    retry: channel?.retry,
    answered: () => recordable(reply),
    handler: mayExist ? (_args, context) => run(edge, entered, { context, reply, strip: channel?.isOurs === true }) : undefined,
  });
  if (reply.kind === "stale" && entered.isAnew !== true)
    return await enter(edge, { ...entered, target: entered.names.find(nameOf(entered.call)), isAnew: true });
  const { id } = request;
  if (answer.kind === "unknown_tool" || reply.kind === "unknown") {
    return errorAnswer({ code: RPC.invalidParams, message: `unknown tool ${quoted(nameOf(entered.call))}` }, id);
  }
  if (channel?.asked !== undefined) return resultAnswer(id, JSON.stringify(asking(channel.asked, answer.result)));
  const isOwn = (reply.kind === "result" || reply.kind === "error") && refusalCodeOf(answer.result) === undefined;
  if (!isOwn) return resultAnswer(id, JSON.stringify(isModern(request) ? { ...answer.result, resultType: "complete" } : answer.result));
  if (reply.kind === "error") return { json: `{"jsonrpc":"2.0","id":${id.json},"error":${reply.text}}`, code: Number(reply.value["code"]) };
  return resultAnswer(id, resultText(reply, answer.result, isModern(request)));
}

/** A call over HTTP whose `Mcp-Param-*` headers do not say what its arguments say. */
function headersProblem({ log }: GatewayEdge, { request, exchange }: GatewayCall, target: Target): RpcError | undefined {
  if (exchange?.headers === undefined || target.kind !== "tool" || target.tool.status !== "ok") return undefined;
  const given = request.params?.["arguments"];
  const name = paramMismatch(target.tool.definition["inputSchema"], isJsonObject(given) ? given : {}, exchange.headers);
  if (name === undefined) return undefined;
  log.count(`refused a call (headers, ${RPC.headerMismatch})`);
  return { code: RPC.headerMismatch, message: `\`${name}\` is missing or does not say what the body says` };
}

interface Run {
  readonly context: ToolContext;
  readonly reply: Reply;
  /** The confirmation's own keys are not for the upstream. */
  readonly strip: boolean;
}

/** The handler of an admitted call. Throws a refusal of its own code for whatever does not reach the upstream's answer. */
async function run(edge: GatewayEdge, { names, call, target: first }: Entered, { context, reply, strip }: Run): Promise<CallToolResult> {
  const name = nameOf(call);
  const fail = (code: RefusalCode, detail = ""): never => {
    throw refusal(code, context.link.decisionId, detail);
  };
  /** What policy has judged is what is called: nothing is sent to a tool that was defined otherwise. */
  const stale = (): never => {
    reply.kind = "stale";
    return fail("upstream.unavailable");
  };
  const target = isCurrent(names, name, first) ? first : await currentTarget(edge, { names, name, first });
  if (target.kind === "absent") {
    if (target.servers.some((server) => server.status() !== "up")) return fail("upstream.unavailable");
    reply.kind = "unknown";
    return standIn(true);
  }
  const { server } = target;
  const status = edge.parts.pins.serverStatus({ id: server.entry.id, identity: identityOf(server.entry) });
  if (status !== "ok") return fail(`pin.${status}`);
  if (target.kind === "ambiguous") return fail("name.ambiguous");
  const { tool } = target;
  if (tool.status !== "ok") return fail(PIN_CODES[tool.status]);
  const wrong = target === first ? undefined : headersProblem(edge, call, target);
  if (wrong !== undefined) {
    Object.assign(reply, { kind: "error", value: wrong, numbers: [], text: JSON.stringify(wrong) });
    return standIn(true);
  }
  const { facts } = context.call;
  if (facts.digest !== tool.digest || facts.server !== server.entry.id) return stale();
  const settings = settingsOf(server.entry, tool.name);
  const checked = argumentsMisfit(context.call.arguments, tool, settings.arguments);
  const misfit = typeof checked === "object" ? await checked : checked;
  if (misfit !== undefined) return fail("call.arguments_invalid", misfit);
  const release =
    settings.concurrency === undefined
      ? () => undefined
      : await slotsOf(edge, { server, tool: tool.name, count: settings.concurrency }).take(context.ending);
  if (release === undefined) return standIn(true);
  try {
    if (settings.concurrency !== undefined && !isServed(names.find(name), tool)) return stale();
    const peer = server.peer();
    if (peer === undefined) return fail("upstream.unavailable");
    const params = paramsFor(edge, { call, name: tool.name, strip });
    const owner = ownerOf(call, context);
    const { inputSchema } = tool.definition;
    const end = await forward(edge, peer, {
      method: "tools/call",
      params,
      numbers: call.request.numbers,
      owner,
      signal: context.ending,
      timeoutMs: settings.timeoutMs ?? edge.parts.limits.timeoutMs,
      context: isJsonObject(inputSchema) ? { inputSchema } : undefined,
    });
    return taken(edge, end, { context, reply, fail });
  } finally {
    release();
  }
}

/** The client's params; of several servers the one that is meant gets its own name for the tool. */
function paramsFor(edge: GatewayEdge, { call, name, strip }: { call: GatewayCall; name: string; strip: boolean }): JsonObject {
  const { requestState: _state, inputResponses: _responses, ...rest } = strip ? (call.request.params ?? {}) : {};
  const params = strip ? rest : (call.request.params ?? {});
  return edge.upstreams.length === 1 ? params : { ...params, name };
}

function ownerOf({ key, request, exchange }: GatewayCall, { call }: ToolContext): Owner {
  return { key, idJson: request.id.json, exchange, token: tokenOf(request.params), facts: call.facts };
}

function slotsOf({ parts }: GatewayEdge, { server, tool, count }: { server: Upstream<Owner>; tool: string; count: number }) {
  const { entry } = server;
  const key = entry.tools.get(tool)?.concurrency === undefined ? entry.id : `${entry.id} ${tool}`;
  const slots = parts.slots.get(key) ?? createSlots(count);
  parts.slots.set(key, slots);
  return slots;
}

const nameOf = ({ request }: GatewayCall): string => request.params?.["name"] as string;

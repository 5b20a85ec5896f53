import { fix } from "../call/fixed.ts";
import type { JsonObject, JsonValue } from "../call/json.ts";
import type { ShellAnalysis, ToolCall, ToolFacts } from "../call/tool-call.ts";
import type { Claim, SessionView } from "../session/session.ts";
import type { PolicyInput } from "./input.ts";

/** What is known when a call is put to policy. Everything but `call`, `session` and `environment` is absent when not set. */
export interface PolicyInputParts {
  readonly call: ToolCall;
  readonly session: SessionView;
  readonly environment: { readonly sandbox: "bwrap" | "none" };
  /** Working directory of run_shell. */
  readonly workdir?: string | undefined;
  /** What the host supplies; never from arguments. */
  readonly context?: Readonly<JsonObject> | undefined;
  readonly approval?: PolicyInput["approval"];
  readonly elevation?: PolicyInput["elevation"];
  readonly lease?: PolicyInput["lease"];
  readonly subject?: Readonly<JsonObject> | undefined;
  /** What the message of a delegated call claims; no rule may go by it. */
  readonly envelope?: Readonly<JsonObject> | undefined;
  /** True for `gate/listing`: `usage` is left out, since a list must not vary with it (design §2). */
  readonly listing?: boolean | undefined;
}

/**
 * Builds the policy input of design §2. Pure, and the only builder there is: real calls, explanations and replays all use it, so
 * that trial and real answers cannot differ. `agent` is made from the claim and the call's class alone; nothing in the arguments
 * reaches anything but `arguments`, `args` and `shell` (law 8). Optional fields are absent when not set, never null.
 */
export function buildPolicyInput(parts: PolicyInputParts): PolicyInput & JsonObject {
  const { call, session, environment, workdir, context, approval, elevation, lease, subject, envelope, listing } = parts;
  // In the order in which the log writes them.
  const input: Record<string, unknown> = { agent: agentOf(session.claim, call) };
  if (approval !== undefined) input["approval"] = approval;
  input["args"] = argStrings(call.arguments);
  input["arguments"] = call.arguments;
  input["client"] = session.client;
  input["command"] = call.tool;
  if (context !== undefined) input["context"] = context;
  if (elevation !== undefined) input["elevation"] = elevation;
  input["environment"] = environment;
  if (envelope !== undefined) input["envelope"] = envelope;
  input["groups"] = session.groups;
  if (lease !== undefined) input["lease"] = lease;
  input["method"] = "tools/call";
  input["path"] = call.path;
  input["profile"] = session.profile;
  input["session"] = session.identity;
  input["session_id"] = session.claim.sessionId;
  if (call.shell !== undefined) input["shell"] = shellOf(call.shell);
  if (subject !== undefined) input["subject"] = subject;
  input["time"] = call.time;
  input["tool"] = call.facts;
  if (listing !== true) input["usage"] = session.usage;
  input["user"] = session.user;
  if (workdir !== undefined) input["workdir"] = workdir;
  return input as unknown as PolicyInput & JsonObject;
}

/** What is known when a message that is no call, or a result, is put to policy. */
export interface MessageInputParts {
  readonly time: string;
  readonly session: SessionView;
  readonly environment: { readonly sandbox: "bwrap" | "none" };
  readonly context?: Readonly<JsonObject> | undefined;
  /** The tool that it belongs to, or what is known of the server. */
  readonly facts: ToolFacts;
  readonly method: string;
  /** Who sent a message; absent for a result. */
  readonly from?: "client" | "upstream" | undefined;
  readonly params?: Readonly<JsonObject> | undefined;
  readonly result?: Readonly<JsonObject> | undefined;
  /** The call whose result it is. */
  readonly call?: ToolCall | undefined;
}

/** Builds the input of `gate/message` and `gate/result`: the claim as for calls, and the message (reference/gateway.md). */
export function buildMessageInput(parts: MessageInputParts): PolicyInput & JsonObject {
  const { time, session, environment, context, facts, method, from, params, result, call } = parts;
  const { agentId, sessionId } = session.claim;
  const agent = { id: agentId, session_id: sessionId, kind: "mcp", risk: call?.risk ?? "unknown", dry_run: false };
  const input: Record<string, unknown> = { time, user: session.user, groups: session.groups, session_id: sessionId, agent };
  if (call !== undefined) {
    input["command"] = call.tool;
    input["args"] = argStrings(call.arguments);
    input["arguments"] = call.arguments;
    input["path"] = call.path;
  }
  input["tool"] = facts;
  input["session"] = session.identity;
  input["profile"] = session.profile;
  input["client"] = session.client;
  input["usage"] = session.usage;
  input["method"] = method;
  if (from !== undefined) input["from"] = from;
  if (params !== undefined) input["params"] = params;
  if (result !== undefined) input["result"] = result;
  if (context !== undefined) input["context"] = context;
  input["environment"] = environment;
  return input as unknown as PolicyInput & JsonObject;
}

/**
 * Arguments as `key=value` strings, sorted by UTF-16 code units: strings verbatim, every other value as JSON (design §2, field
 * `args`). Neither keys nor values are escaped; a rule that must tell them apart reads `arguments`.
 */
export function argStrings(args: Readonly<JsonObject>): string[] {
  return Object.entries(args)
    .map(([key, value]) => `${key}=${textOf(value)}`)
    .sort();
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function agentOf(claim: Claim, call: ToolCall): PolicyInput["agent"] {
  const { agentId: id, sessionId: session_id } = claim;
  const last = agents.get(claim);
  if (last !== undefined && last.risk === call.risk && last.dry_run === call.dryRun) return last;
  const agent = fix({ id, session_id, kind: "mcp", risk: call.risk, dry_run: call.dryRun });
  agents.set(claim, agent);
  return agent;
}

const agents = new WeakMap<Claim, NonNullable<PolicyInput["agent"]>>();

function shellOf({ verifiable, destructive, findings, commands, redirects }: ShellAnalysis): object {
  return { verifiable, destructive, findings, commands, redirects };
}

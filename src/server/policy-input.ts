import type { JsonObject } from "../call/json.ts";
import { NO_COMMAND } from "../call/make-call.ts";
import type { MadeCall } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import { riskClass } from "../call/risk-table.ts";
import { buildPolicyInput } from "../policy/build-input.ts";
import type { SessionView } from "../session/session.ts";
import type { Core } from "./core.ts";
import { grantsOf, leaseOf } from "./grants.ts";
import type { Grants } from "./grants.ts";

/** What a call is judged with beside itself. */
export interface Seen {
  readonly session: SessionView;
  /** What humans have granted; looked up unless given. */
  readonly grants?: Grants;
}

/** The policy input of one call in this corridor (design §2). */
export function inputFor(core: Core, { call, delegated }: MadeCall, { session, grants = grantsOf(core, call) }: Seen): JsonObject {
  const { workdir, context } = core.options;
  const theirs = delegated?.session;
  return buildPolicyInput({
    call,
    session: theirs === undefined ? session : { ...session, ...theirs },
    environment: core.environment,
    workdir,
    context,
    elevation: grants.elevation?.shown,
    lease: leaseOf(grants),
    subject: delegated?.subject,
    envelope: delegated?.envelope,
  });
}

/**
 * The policy input of one entry of a listing: the tool without arguments, and nothing that changes while the session lasts (design §2:
 * a list does not vary with session state).
 */
export function listingInputFor(core: Core, tool: string): JsonObject {
  const { workdir, context } = core.options;
  const now = core.now();
  const facts = core.options.factsOf(tool);
  const call: ToolCall = {
    tool,
    arguments: {},
    path: "direct",
    time: now.toISOString(),
    facts,
    risk: riskClass(facts, NO_COMMAND),
    dryRun: false,
  };
  const view = core.session.view(tool, now.getTime());
  const {
    session: _session,
    profile: _profile,
    ...input
  } = buildPolicyInput({ call, session: view, environment: core.environment, workdir, context, listing: true });
  return input;
}

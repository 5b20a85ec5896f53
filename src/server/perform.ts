import type { JsonObject } from "../call/json.ts";
import { isLocalShell } from "../call/make-call.ts";
import type { ToolCall } from "../call/tool-call.ts";
import type { ApprovalUse } from "../govern/approval-use.ts";
import { REFUSALS } from "../gate/refusals.ts";
import type { Decision } from "../policy/decision.ts";
import type { CallLink } from "../tools/tool.ts";
import type { Admission } from "./admission.ts";
import { endUse, unapproved, useEndOf } from "./approval-use.ts";
import type { Core } from "./core.ts";
import type { CallAnswer, CallRequest, CallToolResult } from "./corridor-types.ts";
import { handlerRefusal, runHandler } from "./handler.ts";
import type { HandlerEnd } from "./handler.ts";
import { outcomeFacts } from "./outcome-facts.ts";
import { isUnchanged } from "./prepare.ts";
import { LazyContext } from "./lazy-context.ts";
import type { Prepared } from "./prepare.ts";
import { decidedResult } from "./results.ts";

/** An admitted call on its way to the handler. */
export interface AdmittedCall {
  readonly request: CallRequest;
  readonly call: ToolCall;
  readonly admission: Admission;
  readonly decision: Decision;
  readonly prepared: Prepared;
}

/** Runs an admitted call, if there is something to run, and records how it ended. Never throws. */
export async function perform(core: Core, admitted: AdmittedCall): Promise<CallAnswer> {
  const startedAt = performance.now();
  const { admission, prepared, call } = admitted;
  const { decisionId, ticket } = admission;
  const done = ({ status, code }: { status: string; code?: string }, facts: JsonObject = {}): void => {
    const durationMs = performance.now() - startedAt;
    const some = Object.keys(facts).length > 0 ? facts : undefined;
    core.recorder.outcome({ decisionId, tool: call.tool, status, code, durationMs, facts: some });
  };
  if (prepared.kind === "unknown") {
    ticket?.ended();
    done({ status: "error", code: "call.unknown_tool" });
    recordOutput(core, admitted, { content: [], isError: true });
    return { kind: "unknown_tool" };
  }
  const end = prepared.kind === "run" ? await run(core, admitted, prepared) : invalid(admitted, prepared.problem);
  const isKnown = admission.session.variables !== null;
  const recorded = end.status === "ok" && isKnown && ticket?.succeeded(admission.session.profile.active);
  const read = recorded instanceof Promise ? await recorded : recorded === true;
  const facts = outcomeFacts(end.result);
  Object.assign(facts, profileGifts(admitted, end), leaseIds(admitted, end));
  if (read) facts["identity_read_recorded"] = true;
  done(end, facts);
  const given = admitted.request.answered?.() ?? plainOf(end.result);
  core.recorder.afterwards(() => recordOutput(core, admitted, given));
  const isOwn = end.code === undefined && !(prepared.kind === "run" && prepared.passesOn === true);
  return { kind: "result", result: isOwn ? decidedResult(end.result, decisionId, admitted.decision.warnings) : end.result };
}

/** A result as JSON: its interface lacks an index signature. */
function plainOf(result: CallToolResult): JsonObject {
  return result as unknown as JsonObject;
}

/** Puts what is answered into the recording. The text of a result with structured content says the same, so it is left out. */
function recordOutput(core: Core, { call, admission }: AdmittedCall, { content, structuredContent, isError }: JsonObject): void {
  const data = structuredContent === undefined ? { content: content ?? [] } : { structuredContent };
  const recorded = { decisionId: admission.decisionId, tool: call.tool, arguments: call.arguments };
  try {
    core.options.recording?.output(recorded, isError === true ? { ...data, isError } : data);
  } catch (error) {
    core.report(error);
  }
}

/** What the active profile gave to a command: names of variables, never their values, and paths of the home directory. */
function profileGifts({ call, admission }: AdmittedCall, { status }: HandlerEnd): JsonObject {
  if (!isLocalShell(call.tool, call.facts) || status === "dry_run" || status === "arguments_invalid") return {};
  const names = Object.keys(admission.session.variables ?? {}).sort();
  const home = (admission.session.home ?? []).map(({ path, write }) => `${path}${write ? " (write)" : ""}`);
  return { ...(names.length > 0 ? { profile_variables: names } : {}), ...(home.length > 0 ? { profile_home: home } : {}) };
}

/** Which leases gave a secret to a command: their ids go on record. */
function leaseIds({ admission }: AdmittedCall, { status }: HandlerEnd): JsonObject {
  if (admission.grants.leases.length === 0) return {};
  const ids = admission.grants.leases.map(({ id }) => id);
  return status !== "dry_run" && status !== "arguments_invalid" && ids.length > 0 ? { leases: ids } : {};
}

async function run(core: Core, admitted: AdmittedCall, prepared: Prepared & { kind: "run" }): Promise<HandlerEnd> {
  const { request, call, admission, decision } = admitted;
  const { decisionId, session, ticket } = admission;
  if (request.handler !== undefined && !isUnchanged(request, call)) {
    ticket?.ended();
    return { status: "error", code: "call.changed", result: handlerRefusal(decisionId, "call.changed") };
  }
  const { use, barred } = admission;
  if (barred !== undefined) {
    ticket?.ended();
    return barred;
  }
  const guard = guardOf(use);
  const ended = admission.hold === undefined ? core.session.usage.started() : admission.hold.start();
  const settled = core.running.begin();
  if (prepared.passesOn === true && request.retry !== undefined) core.retries.set(decisionId, request.retry);
  if (prepared.passesOn === true && request.progress !== undefined) core.progress.set(decisionId, request.progress);
  const end = await runHandler({
    decisionId,
    timeoutMs: prepared.timeoutMs,
    signal: request.signal,
    endings: core.endings,
    start: (stop) => {
      const { leases } = admission.grants;
      return prepared.start(new LazyContext({ call, decision, session, leases, link: linkOf(admitted), beforeSpawn: guard.check }, stop));
    },
    onSettled() {
      ended();
      ticket?.ended();
      core.retries.delete(decisionId);
      core.progress.delete(decisionId);
      settled();
    },
    report: core.report,
  });
  if (use !== undefined) await endUse(core, use, guard.isStale() ? "stale" : useEndOf(end));
  if (use !== undefined && guard.isStale()) return unapproved("approval.stale", { id: use.id, decisionId });
  return call.dryRun && end.status === "ok" ? { ...end, status: "dry_run" } : end;
}

/** Looks once more, right before something is spawned, whether it is what was approved. */
function guardOf(use: ApprovalUse | undefined): { readonly check: () => void; readonly isStale: () => boolean } {
  let isStale = false;
  return {
    check() {
      if (use === undefined || use.isUnchanged()) return;
      isStale = true;
      throw new Error("what would run is no longer what was approved");
    },
    isStale: () => isStale,
  };
}

function linkOf({ request, admission }: AdmittedCall): CallLink {
  const delegated = request.delegated ?? request.from?.delegated;
  const link = { decisionId: admission.decisionId, scripted: request.from?.scripted === true };
  return delegated === undefined ? link : { ...link, delegated };
}

function invalid({ admission }: AdmittedCall, problem: string): HandlerEnd {
  admission.ticket?.ended();
  const text = `${REFUSALS["call.arguments_invalid"].text}: ${problem}`;
  return {
    status: "arguments_invalid",
    code: "call.arguments_invalid",
    result: handlerRefusal(admission.decisionId, "call.arguments_invalid", text),
  };
}

import { randomUUID } from "node:crypto";
import type { Refusal, Verdict } from "../gate/verdict.ts";
import type { OpenRequest } from "../govern/approval-filed.ts";
import type { ApprovalUse } from "../govern/approval-use.ts";
import type { Decision } from "../policy/decision.ts";
import type { SessionView } from "../session/session.ts";
import { record } from "./admission-record.ts";
import type { Judged } from "./admission-record.ts";
import { useApproval } from "./approval-use.ts";
import { askDesk } from "./approvals.ts";
import type { KnownStandings } from "./approvals.ts";
import type { Core } from "./core.ts";
import { rearms } from "./effects.ts";
import type { Effects, EffectTicket } from "./effects.ts";
import type { Grants } from "./grants.ts";
import type { HandlerEnd } from "./handler.ts";
import { judgeCounted, type AdmissionRequest } from "./judge-call.ts";
import type { Hold } from "./shared-holds.ts";
import { andThen } from "./turns.ts";

/** One call that was judged, with its decision on record and its effect applied. */
export interface Admission {
  readonly decisionId: string;
  readonly verdict: Verdict;
  /** The session as it was judged. */
  readonly session: SessionView;
  /** Epoch of the identity state right after the effect. */
  readonly epoch: number;
  /** What humans have granted, as policy saw it. */
  readonly grants: Grants;
  /** Present when policy allowed the call. */
  readonly ticket?: EffectTicket | undefined;
  /** Present when the call runs on an approval. */
  readonly use?: ApprovalUse | undefined;
  /** What is answered in place of running the call, although it was admitted: its approval could not be used. */
  readonly barred?: HandlerEnd | undefined;
  /** The request that the call waits for. */
  readonly request?: OpenRequest | undefined;
  /** Present when fronts share the state and the call counts as running or switching there. */
  readonly hold?: Hold;
  /** A refusal that is counted where fronts share the state. */
  readonly counted?: boolean;
}

/** How often the desk may be asked while one call is judged; policy that asks for ever other things gets no answer. */
const MAX_QUESTIONS = 4;

/**
 * Judges one call, records the decision and applies its effect, in one synchronous step, unless its approval has to be looked for and used.
 * To be taken in turn: the next call is judged only after that (design §5).
 */
export function admit(core: Core, request: AdmissionRequest): Admission | Promise<Admission> {
  return andThen(judgeAsking(core, request), (judged) =>
    withApproval(core, request, conclude(core, { request, judged, begin: (decision) => core.effects.begin(decision) })),
  );
}

/** Judges a call, and asks the desk until it can be judged without asking; nothing is on record yet. */
export function judgeAsking(core: Core, request: AdmissionRequest): Judged | Promise<Judged> {
  const known: KnownStandings = new Map();
  const judged = judgeNow(core, request, known);
  return judged.findings.wanted === undefined ? judged : judgeAfterDesk(core, request, { known, judged });
}

interface AskedDesk {
  readonly known: KnownStandings;
  readonly judged: Judged;
}

async function judgeAfterDesk(core: Core, request: AdmissionRequest, { known, judged: first }: AskedDesk): Promise<Judged> {
  let judged = first;
  for (let asked = 0; judged.findings.wanted !== undefined && asked < MAX_QUESTIONS; asked += 1) {
    await askDesk(core, judged.findings.wanted, known);
    judged = judgeNow(core, request, known);
  }
  return judged;
}

function judgeNow(core: Core, request: AdmissionRequest, known: KnownStandings): Judged {
  const look = core.session.watch.look();
  core.session.watch.take(look);
  return judgeCounted(core, request, { look: { ...look, lapsed: false }, known });
}

/** Uses the approval that an admitted call runs on. */
export function withApproval(core: Core, request: AdmissionRequest, admission: Admission): Admission | Promise<Admission> {
  const { use, verdict } = admission;
  if (!verdict.admitted || use === undefined || request.isIntact?.() === false) return admission;
  return andThen(useApproval(core, use, admission), (barred) => ({ ...admission, barred }));
}

/** A call that was judged and is not on record yet. */
export interface Concluded {
  readonly request: AdmissionRequest;
  readonly judged: Judged;
  /** Applies the effect of a decision that is on record. */
  readonly begin: Effects["begin"];
}

/** Records the decision, and applies its effect: in this order, so that nothing happens that is not on record. */
export function conclude(core: Core, { request, judged, begin }: Concluded): Admission {
  const decisionId = randomUUID();
  const begins = begun(request, judged);
  const refused = record(core, { decisionId, made: request.made, judged, rearmed: rearms(begins) });
  if (refused !== undefined)
    return { decisionId, verdict: refused, session: judged.session, grants: judged.grants, epoch: core.session.identity.epoch };
  haltOn(core, decisionId, judged.verdict.decision);
  const ticket = begins === undefined ? undefined : begin(begins);
  if (mutates(request, judged)) core.session.watch.mutated();
  const { verdict, session, grants, findings } = judged;
  const { admitted } = verdict;
  return {
    decisionId,
    verdict,
    session,
    grants,
    epoch: core.session.identity.epoch,
    ticket,
    use: admitted ? findings.use : undefined,
    request: admitted ? undefined : findings.request,
  };
}

/** The decision whose effect begins: an allowed call's, unless a human outside has not approved it, or one in the session has said no. */
export function begun(request: AdmissionRequest, { verdict }: Judged): Decision | undefined {
  if (request.verdict !== undefined || verdict.decision?.allow !== true) return undefined;
  return verdict.admitted || !isUnapproved(verdict.refusal) ? verdict.decision : undefined;
}

function isUnapproved({ stage, code }: Refusal): boolean {
  return stage === "approval" || code === "store.unavailable";
}

/** Whether a call uses up a confirmation, where that is limited: it may change something and says nothing about who is active. */
export function mutates({ made: { call } }: AdmissionRequest, { verdict }: Judged): boolean {
  return verdict.admitted && verdict.decision.effect === "none" && !(call.facts.known && call.facts.read_only);
}

/** A denial with `halt` stops the session (design §2); until a human resumes it, where that can be said. */
function haltOn(core: Core, decisionId: string, decision: Decision | undefined): void {
  if (decision?.halt !== true || decision.allow) return;
  const [reason] = decision.reasons;
  if (core.options.authorities === undefined) core.stopped = true;
  else core.options.authorities.stops.halt({ decisionId, code: reason?.code ?? "policy.denied", rule: reason?.rule ?? "" });
}

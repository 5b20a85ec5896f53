import { randomUUID } from "node:crypto";
import type { MadeCall } from "../call/make-call.ts";
import { refuse } from "../gate/refuse.ts";
import type { RefusalCode } from "../gate/refusals.ts";
import type { Decision } from "../policy/decision.ts";
import type { ClientFacts } from "../session/session.ts";
import type { SharedMoment, SharedSettlement } from "../session/shared-store.ts";
import { admit, begun, conclude, judgeAsking, mutates, withApproval, type Admission } from "./admission.ts";
import type { Judged } from "./admission-record.ts";
import type { Core } from "./core.ts";
import { rearms, type EffectTicket } from "./effects.ts";
import type { AdmissionRequest } from "./judge-call.ts";
import { StoreLost, type SharedFront } from "./shared-front.ts";
import type { Hold } from "./shared-holds.ts";
import { andThen } from "./turns.ts";

/** A call that is to be judged. */
export interface Ask {
  readonly made: MadeCall;
  /** It is judged for the first time. */
  readonly counts: boolean;
  /**
   * How it is judged, asked in its turn, when the session's state is known.
   * @param isStale the state has changed since this was last asked
   */
  readonly request: (isStale: boolean) => AdmissionRequest;
}

/** Where others change the state again and again a call is not judged for ever. */
const MOST_TRIES = 8;

/** Judges a call in its turn; at once where nothing has to be waited for: the state is this front's own, and so are approvals. */
export function admitInTurn(core: Core, ask: Ask): Admission | Promise<Admission> {
  const { shared } = core;
  if (shared !== undefined) return admitShared(core, shared, ask);
  return core.turns.take(() => andThen(admit(core, ask.request(false)), (admission) => counted(core, ask, admission)));
}

function counted(core: Core, { made, counts }: Ask, admission: Admission): Admission {
  if (counts) core.session.usage.judged(made.call.tool, core.now().getTime());
  return admission;
}

/**
 * Judges a call with the state that fronts share: read and counted in one step, judged here, and its effect made to count before it is on
 * record and before the next call of this front is judged. If another front changed the state meanwhile the call is judged again. What the
 * store does not tell is not guessed: the call is refused, on record (issue 7).
 */
function admitShared(core: Core, front: SharedFront, ask: Ask): Admission | Promise<Admission> {
  const client = core.session.client();
  const known = front.faults();
  return core.turns.take(async () => {
    const isLost = front.faults() !== known;
    try {
      if (isLost) throw new StoreLost("the shared state could not be used for the call before");
      return await judgedInTurn(core, front, { ask, client });
    } catch (error) {
      if (!(error instanceof StoreLost)) throw error;
      if (!isLost) front.fault(error);
      front.mirror.lose();
      return await refusedCall(core, ask, core.shutdown.signal.aborted ? "gate.closed" : "store.unavailable");
    } finally {
      front.mirror.unload();
    }
  });
}

async function refusedCall(core: Core, { made }: Ask, code: RefusalCode): Promise<Admission> {
  const verdict = { admitted: false, refusal: refuse("admission", code) } as const;
  return { ...(await admit(core, { made, confirmation: () => "none", verdict })), counted: true };
}

interface Turn {
  readonly ask: Ask;
  /** What the client could do when it called; meanwhile another request may have said something else. */
  readonly client: ClientFacts;
}

async function judgedInTurn(core: Core, front: SharedFront, { ask, client }: Turn): Promise<Admission> {
  const { tool } = ask.made.call;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const token = randomUUID();
    const look = front.mirror.look();
    const as = ask.counts && tries === 0 ? "call" : "again";
    const moment = await front.reach(front.store.enter({ ...look.shared, token, tool, as }));
    front.mirror.load(moment, look, tool);
    core.session.setClient(client);
    const request = ask.request(tries > 0);
    const judged = await judgeAsking(core, request);
    const admission = await settled(core, front, { request, judged, moment, token });
    if (admission === undefined) continue;
    front.fine();
    return admission;
  }
  throw new StoreLost("the shared state changes faster than a call can be judged");
}

interface Judging {
  readonly request: AdmissionRequest;
  readonly judged: Judged;
  readonly moment: SharedMoment;
  readonly token: string;
}

/** @returns undefined when the state has moved: nothing has happened */
async function settled(core: Core, front: SharedFront, judging: Judging): Promise<Admission | undefined> {
  const { request, judged, moment, token } = judging;
  const runs = judged.verdict.admitted;
  const isSwitch = rearms(begun(request, judged));
  const isMutation = mutates(request, judged);
  const denied = !runs && isFinal(request, judged);
  if (!runs || isSwitch || isMutation) {
    const { stamp } = moment;
    const settlement = { token, stamp, rearms: isSwitch, mutates: isMutation, runs, denied };
    if ((await settledInStore(front, settlement)) === "moved") return undefined;
  }
  const hold = runs || isSwitch ? front.holds.open({ token, running: runs, switching: isSwitch }) : undefined;
  try {
    const begin = (decision: Decision): EffectTicket => ticketOf(front, decision, { moment, hold });
    const admission = await withApproval(core, request, conclude(core, { request, judged, begin }));
    if (!admission.verdict.admitted && admission.ticket === undefined) hold?.release();
    return { ...admission, counted: denied, ...(hold === undefined ? {} : { hold }) };
  } catch (error) {
    hold?.release();
    throw error;
  }
}

/** A call that is refused because of the store does not count as running, as far as the store can still be told. */
async function settledInStore(front: SharedFront, settlement: SharedSettlement): Promise<"settled" | "moved"> {
  try {
    return await front.reach(front.store.settle(settlement));
  } catch (error) {
    void front.store.release(settlement.token, "").catch(() => undefined);
    throw error;
  }
}

/** A call that waits for a human is not refused yet. */
function isFinal({ waits }: AdmissionRequest, { verdict, findings }: Judged): boolean {
  if (verdict.admitted || verdict.refusal.code === "confirm.pending") return false;
  return findings.request === undefined || waits !== true;
}

/** The effect itself has been settled already; what is left is what the end of the handler means. */
function ticketOf(
  front: SharedFront,
  decision: Decision,
  { moment, hold }: { readonly moment: SharedMoment; readonly hold: Hold | undefined },
): EffectTicket {
  if (rearms(decision)) {
    front.mirror.identity.rearm();
    return { succeeded: () => false, ended: () => hold?.release() };
  }
  const isRead = decision.allow && decision.effect === "record_identity_read";
  return { succeeded: (profile) => isRead && front.confirm(moment, profile), ended: () => undefined };
}

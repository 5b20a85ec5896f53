import type { Decision } from "../policy/decision.ts";
import type { IdentityState } from "../session/identity-state.ts";
import type { IdentityWatch } from "../session/identity-watch.ts";

/** What an admitted call may still do to the session when its handler ends. */
export interface EffectTicket {
  /**
   * Records an identity read, if this call is one and nothing switched the profile since before it was admitted. Tells whether it did; later,
   * where the state is shared.
   */
  succeeded(profile: string | null): boolean | Promise<boolean>;
  /** The handler is over, however it ended; must be called once it can do nothing more. */
  ended(): void;
}

/** Applies the effects that the policy decides, and nothing else (design §6). */
export interface Effects {
  /** Re-arms at once when the decision says so; a read is recorded only when its handler has succeeded. */
  begin(decision: Decision): EffectTicket;
}

/** Whether applying a decision's effect re-arms the gate. */
export function rearms(decision: Decision | undefined): boolean {
  return decision?.allow === true && decision.effect === "rearm";
}

/**
 * Makes the effects of one session. A read that was admitted while a switch was still running may have seen the profile before it, so
 * it confirms nothing; neither does one that a switch overtook.
 */
export function createEffects(identity: IdentityState, watch: Pick<IdentityWatch, "record" | "switchStarts">): Effects {
  let switching = 0;
  const beginSwitch = (): EffectTicket => {
    identity.rearm();
    switching += 1;
    const isOver = watch.switchStarts();
    const end = (): void => {
      switching -= 1;
      isOver();
    };
    return { succeeded: () => false, ended: once(end) };
  };
  const beginRead = (): EffectTicket => {
    const { epoch } = identity;
    const quiet = switching === 0;
    return {
      succeeded(profile) {
        return quiet && identity.epoch === epoch && watch.record(profile);
      },
      ended: () => undefined,
    };
  };
  return {
    begin(decision) {
      if (rearms(decision)) return beginSwitch();
      return decision.allow && decision.effect === "record_identity_read" ? beginRead() : NOTHING;
    },
  };
}

const NOTHING: EffectTicket = { succeeded: () => false, ended: () => undefined };

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

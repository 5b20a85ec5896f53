import { fix } from "../call/fixed.ts";
import type { SessionView } from "./session.ts";

/**
 * Identity state of one session (seed 000; design §6): armed until an identity read, armed again by every profile switch. In memory only,
 * one instance a session, shared by every path. It knows no rules: which call has which effect is the policy's decision.
 */
export class SessionIdentityState {
  #confirmed = false;
  #profile: string | null = null;
  #epoch = 0;
  #view: SessionView["identity"] | undefined;

  /** Whether an identity read has occurred since the session started or the profile was last switched. */
  get identityConfirmed(): boolean {
    return this.#confirmed;
  }

  /** How often the gate has been re-armed: a change means that what was known before an await no longer holds. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Marks that an identity read has occurred.
   * @param profile label of the profile that the read showed; null when none is active or none was told
   */
  recordIdentityRead(profile: string | null = null): void {
    this.#confirmed = true;
    this.#profile = profile;
    this.#view = undefined;
  }

  /** Re-arms the gate after a profile change: the next mutation must be confirmed again. */
  rearm(): void {
    this.#confirmed = false;
    this.#profile = null;
    this.#epoch += 1;
    this.#view = undefined;
  }

  /** The state as policy sees it: plain data, no reference to this object (design §2, field `session`). */
  view(): SessionView["identity"] {
    this.#view ??= fix({ identity_confirmed: this.#confirmed, confirmed_profile: this.#profile, epoch: this.#epoch });
    return this.#view;
  }

  /** The state as it would be after re-arming: for a look at a session whose confirmation no longer holds. */
  rearmedView(): SessionView["identity"] {
    return { identity_confirmed: false, confirmed_profile: null, epoch: this.#epoch + 1 };
  }
}

/** What a session needs of its identity state, wherever that is kept. */
export type IdentityState = Pick<SessionIdentityState, keyof SessionIdentityState>;

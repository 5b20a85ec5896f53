import type { ActiveProfile, ProfileSource } from "./active-profile.ts";
import { NO_PROFILE } from "./active-profile.ts";
import type { SessionIdentityState } from "./identity-state.ts";

/** Hardening beyond seed 000; each is off when absent (reference: identity gate, weaknesses 8, 10 and 14). */
export interface IdentityRules {
  /** A read that showed no active profile confirms nothing. */
  readonly requireProfile?: boolean | undefined;
  /** A confirmation holds only while the active profile has the label that was read; renaming it ends it. */
  readonly bindProfile?: boolean | undefined;
  /** Milliseconds after which a confirmation ends. */
  readonly maxAgeMs?: number | undefined;
  /** Number of admitted mutating calls after which a confirmation ends. */
  readonly maxMutations?: number | undefined;
}

/** What is so at one moment, found without changing anything. */
export interface IdentityLook {
  readonly profile: ActiveProfile;
  /** The active profile cannot be known. */
  readonly unreadable: boolean;
  /** What was confirmed no longer holds. */
  readonly lapsed: boolean;
}

/** Keeps an identity state true to what happens beside the calls themselves. */
export interface IdentityWatch {
  look(): IdentityLook;
  /** Makes a look count: re-arms when the confirmation lapsed, and remembers who was active. */
  take(look: IdentityLook): void;
  /** Records a read that showed `profile`, unless the rules say that it confirms nothing. Tells whether it did. */
  record(profile: string | null): boolean;
  /** A switch of this session begins to run; the returned function says that it is over. */
  switchStarts(): () => void;
  /** A mutating call was admitted. */
  mutated(): void;
}

/** What a watch needs. */
export interface WatchOptions {
  readonly identity: SessionIdentityState;
  readonly source?: ProfileSource | undefined;
  readonly rules?: IdentityRules | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Told when the active profile cannot be known, once until it can be again. */
  readonly report?: ((problem: unknown) => void) | undefined;
}

/**
 * Watches over the confirmation of a session: a switch of the active profile by another process, or whatever else changed it outside this
 * session's own switches, re-arms the gate at the next call (design §6; reference: identity gate, weakness 1); so does what the rules
 * limit. While a switch of this session runs, changes are its own; whatever is active when it ends is what the next read will show.
 */
export function createIdentityWatch({ identity, source = () => NO_PROFILE, rules = {}, now, report }: WatchOptions): IdentityWatch {
  let seen: string | undefined;
  let switching = 0;
  let confirmed: { readonly at: number; mutations: number } | undefined;
  const lookAtProfile = lookQuietly(source, report);

  function isOutworn(profile: ActiveProfile): boolean {
    if (!identity.identityConfirmed) return false;
    if (rules.bindProfile === true && identity.view().confirmed_profile !== profile.label) return true;
    const age = confirmed === undefined ? 0 : now() - confirmed.at;
    if (rules.maxAgeMs !== undefined && (age < 0 || age >= rules.maxAgeMs)) return true;
    return rules.maxMutations !== undefined && (confirmed?.mutations ?? 0) >= rules.maxMutations;
  }

  return {
    look() {
      const { profile, unreadable } = lookAtProfile();
      const changed = switching === 0 && seen !== undefined && seen !== profile.mark;
      return { profile, unreadable, lapsed: changed || isOutworn(profile) };
    },
    take({ profile, lapsed }) {
      if (lapsed) identity.rearm();
      seen = profile.mark;
      if (!identity.identityConfirmed) confirmed = undefined;
      else confirmed ??= { at: now(), mutations: 0 };
    },
    record(profile) {
      if (rules.requireProfile === true && profile === null) return false;
      identity.recordIdentityRead(profile);
      confirmed = { at: now(), mutations: 0 };
      return true;
    },
    switchStarts() {
      switching += 1;
      return () => {
        switching -= 1;
        if (switching === 0) seen = lookAtProfile().profile.mark;
      };
    },
    mutated() {
      if (confirmed !== undefined) confirmed.mutations += 1;
    },
  };
}

/** Mark of a profile that cannot be known: differs from every other, so that its coming and going re-arms. */
const UNREADABLE: ActiveProfile = Object.freeze({ ...NO_PROFILE, mark: "unreadable" });

/** Makes looks that never throw: a profile that cannot be known is no profile, and that is told once until it can be again. */
export function lookQuietly(source: ProfileSource, report: (problem: unknown) => void = () => undefined) {
  let reported = false;
  return (): { readonly profile: ActiveProfile; readonly unreadable: boolean } => {
    try {
      const profile = source();
      reported = false;
      return { profile, unreadable: false };
    } catch (error) {
      if (!reported) report(error);
      reported = true;
      return { profile: UNREADABLE, unreadable: true };
    }
  };
}

import { lockSession } from "../audit/session-lock.ts";
import { provision } from "../session/profile-changes.ts";
import type { DeclaredProfile } from "../session/profile-changes.ts";
import { isProfileError } from "../session/profile-error.ts";
import { openProfileStore } from "../session/profile-store.ts";
import type { ProfileStore } from "../session/profile-store.ts";

/** What the profiles of a server are made from. */
export interface ServerProfilesOptions {
  readonly stateDir: string;
  /** What the operator declares; absent when nothing is. */
  readonly declaredProfiles?: readonly DeclaredProfile[] | undefined;
  /** Takes one line for the operator. */
  readonly note: (line: string) => void;
}

/**
 * Opens the profiles of a state directory and takes over what the operator declares. A store that cannot be used does not keep the server
 * from starting: nothing can be confirmed then, and nothing runs under a profile.
 */
export function serverProfiles({ stateDir, declaredProfiles = [], note }: ServerProfilesOptions): ProfileStore {
  const homes = new Map(declaredProfiles.map(({ label, home = [] }) => [label, home]));
  const store = openProfileStore({ stateDir, lock: lockSession, homes });
  try {
    if (declaredProfiles.length > 0) store.update(provision(declaredProfiles));
    else store.read();
  } catch (error) {
    note(profileProblem(error));
  }
  return store;
}

/** What is wrong with the store, in one line for the operator, without a value of it. */
export function profileProblem(error: unknown): string {
  const detail = isProfileError(error) ? (error.detail ?? error.message) : "unexpected error";
  return `profiles cannot be used until this is mended: ${detail}`;
}

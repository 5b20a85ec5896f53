import type { HomeGrant } from "../call/profile-words.ts";

/** Who is active at one moment. */
export interface ActiveProfile {
  /** The label that humans and agents see; null when no profile is active. */
  readonly label: string | null;
  /** Variables that the profile gives to commands. Values go nowhere else. */
  readonly variables: Readonly<Record<string, string>>;
  /** What commands see of the home directory in the sandbox; absent: nothing. */
  readonly home?: readonly HomeGrant[];
  /** Changes whenever the active profile may have changed; internal, never shown. */
  readonly mark: string;
}

/** Tells who is active now; asked anew for each call. Throws when that cannot be known. */
export type ProfileSource = () => ActiveProfile;

/** A source from a function that tells the label alone, as embedders have one. */
export function labelSource(label: () => string | null): ProfileSource {
  return () => {
    const now = label();
    return { label: now, variables: {}, mark: JSON.stringify(now) };
  };
}

/** Nobody, for ever. */
export const NO_PROFILE: ActiveProfile = Object.freeze({ label: null, variables: Object.freeze({}), mark: "" });

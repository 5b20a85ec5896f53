import { SETTINGS } from "./settings.ts";
import { pick, type Sources, switchedOn } from "./sources.ts";

/** Hardening of the identity gate beyond the seed; what is absent or false is off. */
export interface IdentityOptions {
  readonly requireProfile: boolean;
  readonly bindProfile: boolean;
  readonly maxAgeMs?: number;
  readonly maxMutations?: number;
}

/** The hardening of the identity gate as it is set. */
export function identityOptions(sources: Sources): IdentityOptions {
  const maxAge = pick(SETTINGS.identityMaxAgeSeconds, sources);
  const maxMutations = pick(SETTINGS.identityMaxMutations, sources);
  return Object.freeze({
    requireProfile: switchedOn(SETTINGS.identityRequireProfile, sources),
    bindProfile: switchedOn(SETTINGS.identityBindProfile, sources),
    ...(maxAge === undefined ? {} : { maxAgeMs: Number(maxAge.value) * 1_000 }),
    ...(maxMutations === undefined ? {} : { maxMutations: Number(maxMutations.value) }),
  });
}

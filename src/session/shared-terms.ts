/** How long a call counts as running, and a switch too, after its front was last heard of. */
export const LEASE_MS = 30_000;

/** Counters outlive the identity state: a limit that is forgotten lets through. */
const MIN_COUNTERS_MS = 3_600_000;

/**
 * Milliseconds without any sign of a front after which a session's counters are forgotten.
 * @param lifetimeMs lifetime of the identity state
 */
export function countersLifetimeMs(lifetimeMs: number): number {
  return Math.max(lifetimeMs, MIN_COUNTERS_MS);
}

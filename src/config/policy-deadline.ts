import type { BundleChoice } from "./bundle.ts";
import { SETTINGS } from "./settings.ts";
import { pick, type Sources } from "./sources.ts";

/** For bundles of one's own in a process that serves. */
const DEFAULT_DEADLINE_MS = 1_000;

/** Milliseconds that one evaluation may take, where somebody says so. */
export function deadline(sources: Sources): number | undefined {
  const picked = pick(SETTINGS.policyDeadlineMs, sources);
  return picked === undefined ? undefined : Number(picked.value);
}

/**
 * The deadline of a process that serves. Nobody has measured a bundle of one's own. What this package ships took 0.1 s at most, with the
 * longest command lines (docs/engine.md, `bench/worst.bench.mjs`), and a thread of its own costs as much as its rules do.
 */
export function deadlineOf(bundle: BundleChoice, sources: Sources): { readonly policyDeadlineMs?: number } {
  const policyDeadlineMs = deadline(sources) ?? (bundle.packaged ? undefined : DEFAULT_DEADLINE_MS);
  return policyDeadlineMs === undefined ? {} : { policyDeadlineMs };
}

import { DelegateError } from "./delegate-error.ts";

/** The numbers that the horizon rests on, in whole seconds; `maxDeliveries` is a count (reference: tool sessions, §5). */
export interface HorizonConfig {
  /** How long the outer turn's checkpoint lives. */
  readonly turnCheckpointTtl: number;
  /** The outer turn's final execution lease. */
  readonly executionLease: number;
  /** How long an entry must be idle before another worker takes it over; also the lease of a claim. */
  readonly claimMinIdle: number;
  /** How often workers look for such entries. */
  readonly claimSweep: number;
  /** How often one entry is handed out. */
  readonly maxDeliveries: number;
  /** How long one call may run. */
  readonly maxExec: number;
  /** The horizon itself: lifetime of record, proof, ledger entry and reply lane. */
  readonly proofTtl: number;
}

/** Names of the numbers, in the order in which they are judged. */
export const HORIZON_FIELDS = [
  "turnCheckpointTtl",
  "executionLease",
  "claimMinIdle",
  "claimSweep",
  "maxDeliveries",
  "maxExec",
  "proofTtl",
] as const satisfies readonly (keyof HorizonConfig)[];

/** Longest lifetime that anything of a delegated call may have: a week. */
export const MAX_TTL_SECONDS = 604_800;

/**
 * The validated horizon (seed 002): the one lifetime of ledger entry, session record, publisher proof and abandoned reply lane. It strictly
 * outlives the outer checkpoint plus its final execution lease, and every redelivery of the source stream. Nothing has a default.
 * @returns `proofTtl`, in seconds
 * @throws DelegateError `horizon_invalid` when a number is missing, no whole number within bounds, or too small
 */
export function durableToolProofTtlSeconds(config: unknown): number {
  const horizon = horizonOf(config);
  const { turnCheckpointTtl, executionLease, claimMinIdle, claimSweep, maxDeliveries, maxExec, proofTtl } = horizon;
  const bounds = [
    [turnCheckpointTtl + executionLease, "turnCheckpointTtl + executionLease"],
    [maxDeliveries * (claimMinIdle + claimSweep + maxExec), "maxDeliveries * (claimMinIdle + claimSweep + maxExec)"],
  ] as const;
  const violated = bounds.filter(([bound]) => !(proofTtl > bound)).map(([bound, formula]) => `${bound} (${formula})`);
  if (violated.length > 0) throw invalid(`proofTtl is ${proofTtl} and must be greater than ${violated.join(" and than ")}`);
  return proofTtl;
}

function horizonOf(config: unknown): HorizonConfig {
  if (typeof config !== "object" || config === null) throw invalid("the horizon's configuration must be an object");
  const unknown = Reflect.ownKeys(config).find((key) => !(HORIZON_FIELDS as readonly unknown[]).includes(key));
  if (unknown !== undefined) throw invalid(`\`${String(unknown)}\` is no number of the horizon`);
  return Object.fromEntries(HORIZON_FIELDS.map((name) => [name, numberOf(config, name)])) as unknown as HorizonConfig;
}

function numberOf(config: object, name: keyof HorizonConfig): number {
  const value: unknown = Object.hasOwn(config, name) ? (config as Record<string, unknown>)[name] : undefined;
  if (value === undefined) throw invalid(`${name} is missing`);
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1 || value > MAX_TTL_SECONDS) {
    throw invalid(`${name} must be a whole number from 1 to ${MAX_TTL_SECONDS}`);
  }
  return value;
}

function invalid(message: string): DelegateError {
  return new DelegateError("horizon_invalid", message);
}

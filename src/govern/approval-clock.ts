import { readFileSync } from "node:fs";

/** An end in time, on the wall clock and on the monotonic clock of one boot. */
export interface Deadline {
  /** RFC 3339 UTC. */
  readonly created_at: string;
  /** RFC 3339 UTC. */
  readonly expires_at: string;
  readonly monotonic?: { readonly boot: string; readonly until_ms: number } | undefined;
}

/** How far a clock may lie behind the one that wrote a time. */
const SKEW_MS = 5_000;

/** Makes the end of something that begins now and lasts `seconds`. */
export function deadlineIn(seconds: number, now: Date): Deadline {
  const boot = bootId();
  return {
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + seconds * 1_000).toISOString(),
    ...(boot === undefined ? {} : { monotonic: { boot, until_ms: monotonicMs() + seconds * 1_000 } }),
  };
}

/**
 * Whether an end has come. Either clock is enough: one that was set back extends nothing, and a time before the beginning means that
 * this clock cannot be trusted.
 */
export function isOver({ created_at, expires_at, monotonic }: Deadline, now: Date): boolean {
  const time = now.getTime();
  if (time >= Date.parse(expires_at) || time + SKEW_MS < Date.parse(created_at)) return true;
  return monotonic !== undefined && monotonic.boot === bootId() && monotonicMs() >= monotonic.until_ms;
}

/** Whether something was done between beginning and end, as far as the clocks of two machines agree. */
export function isWithin({ created_at, expires_at }: Pick<Deadline, "created_at" | "expires_at">, at: string): boolean {
  const time = Date.parse(at);
  return time + SKEW_MS >= Date.parse(created_at) && time <= Date.parse(expires_at) + SKEW_MS;
}

/** Milliseconds of the system's monotonic clock, the same for every process of one boot. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

let known: { readonly id: string | undefined } | undefined;

/** Names this boot; undefined where the system does not say. */
function bootId(): string | undefined {
  known ??= { id: readBootId() };
  return known.id;
}

function readBootId(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return undefined;
  }
}

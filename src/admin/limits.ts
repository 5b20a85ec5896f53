import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** How often who may ask. */
export interface RateLimits {
  /** Requests of one key in a minute. */
  readonly perKey: number;
  /** Requests without a valid key of one address in a minute. */
  readonly perAddress: number;
  /** Requests with a wrong key of one address in a minute. */
  readonly failures: number;
}

/** Limits unless others are given. */
export const DEFAULT_LIMITS: RateLimits = { perKey: 1_200, perAddress: 600, failures: 30 };

/** Counts requests. A valid key is never refused for what others do at its address: an agent on this machine must not lock a human out. */
export interface Limiter {
  /** Seconds to wait; undefined when the request may go on. */
  readonly take: (kind: keyof RateLimits, who: string) => Promise<number | undefined>;
}

/** Makes the counters of one server. */
export function createLimiter(limits: RateLimits = DEFAULT_LIMITS): Limiter {
  const minute = (points: number): RateLimiterMemory => new RateLimiterMemory({ points, duration: 60 });
  const counters = { perKey: minute(limits.perKey), perAddress: minute(limits.perAddress), failures: minute(limits.failures) };
  return {
    async take(kind, who) {
      try {
        await counters[kind].consume(who);
        return undefined;
      } catch (error) {
        if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
        throw error;
      }
    },
  };
}

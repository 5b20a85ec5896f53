import type { Usage } from "./session.ts";

const MINUTE_MS = 60_000;
/** From this many different names on, new names share one counter: it counts too much, never too little. */
const MAX_NAMES = 10_000;
const OTHERS = "";

/** Counters of one session (design §2, field `usage`); times are Unix milliseconds. */
export interface UsageCounter {
  /** Counts a call, after its first verdict. */
  judged(tool: string, now: number): void;
  /** Counts a call that the gate refused, whenever it did. */
  denied(): void;
  /** Counts a handler as running until the returned function is called. */
  started(): () => void;
  /** The counters before the call that is about to be judged; `tool_calls` counts earlier calls of this tool. */
  view(tool: string, now: number): Usage;
}

/**
 * Makes the counters of a session.
 * @param startedAt time at which the session began
 */
export function createUsage(startedAt: number): UsageCounter {
  const recent = createRecent();
  const byTool = new Map<string, number>();
  let calls = 0;
  let denied = 0;
  let running = 0;
  const keyOf = (tool: string): string => (byTool.has(tool) || byTool.size < MAX_NAMES ? tool : OTHERS);
  return {
    judged(tool, now) {
      const key = keyOf(tool);
      byTool.set(key, (byTool.get(key) ?? 0) + 1);
      calls += 1;
      recent.add(now);
    },
    denied() {
      denied += 1;
    },
    started() {
      let ended = false;
      running += 1;
      return () => {
        if (!ended) running -= 1;
        ended = true;
      };
    },
    view: (tool, now) => ({
      calls,
      calls_last_minute: recent.count(now - MINUTE_MS),
      denied,
      elapsed_seconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
      running,
      tool_calls: byTool.get(keyOf(tool)) ?? 0,
    }),
  };
}

/** Times in the order in which they came; those that are too old are let go in bulk, so that a call costs the same at any rate. */
function createRecent(): { add(time: number): void; count(oldest: number): number } {
  let times: number[] = [];
  let head = 0;
  return {
    add: (time) => {
      times.push(time);
    },
    count(oldest) {
      while (head < times.length && (times[head] ?? oldest) <= oldest) head += 1;
      if (head > 1024 && head * 2 > times.length) {
        times = times.slice(head);
        head = 0;
      }
      return times.length - head;
    },
  };
}

// Timing shared by the benchmarks: interleaved rounds, percentiles over all calls, microseconds.

/** Percentile of a sorted array; `part` between 0 and 1. */
export function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/**
 * Measures candidates in turn, round by round, so that a drift of the machine meets all alike.
 * @param candidates `[name, (index, prepared) => unknown | Promise, prepare?]`; `prepare()` makes what a call takes and is not measured
 * @param options rounds, and calls in a round; the first round is a warm-up and not counted
 * @returns rows with p50, p99 (microseconds) and calls a second
 */
export async function compare(candidates, { rounds, calls }) {
  const times = new Map(candidates.map(([name]) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, call, prepare] of candidates) {
      for (let index = 0; index < calls; index += 1) {
        const prepared = prepare?.();
        const started = process.hrtime.bigint();
        const result = call(index, prepared);
        if (result instanceof Promise) await result;
        const elapsed = Number(process.hrtime.bigint() - started) / 1000;
        if (round > 0) times.get(name).push(elapsed);
      }
    }
  }
  return candidates.map(([name]) => {
    const sorted = times.get(name).toSorted((a, b) => a - b);
    const total = sorted.reduce((sum, value) => sum + value, 0);
    return {
      what: name,
      "p50 µs": percentile(sorted, 0.5),
      "p99 µs": percentile(sorted, 0.99),
      "calls/s": Math.round((sorted.length / total) * 1e6),
    };
  });
}

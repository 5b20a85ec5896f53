// Whether memory that was measured at several points of a long run is flat.

/** The first points warm up: code is compiled, buffers and pools grow to their size. */
const WARM_UP = 2;

/**
 * What may be gained between the warm-up and the end, whatever the number of calls. Held memory is counted after a collection, and what
 * it gains honestly does not depend on the number of calls (counters of the last minute); resident memory also has pages that the
 * collector has not given back yet, and goes up and down by some 30 MB.
 */
const MAY_GAIN = { heap: 8 * 1024 * 1024, rss: 64 * 1024 * 1024 };

/** Slope of the line of least squares through points `[x, y]`. */
function slope(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([one]) => one), mean(([, one]) => one)];
  const over = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return over / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}

/**
 * @param rows `{calls, heap, external, rss}` in the order of the run; memory in bytes, calls so far
 * @returns bytes a call by kind, and a line for each kind that is not flat: its slope over the calls after the warm-up gains too much
 */
export function growthOf(rows) {
  const later = rows.slice(WARM_UP);
  if (later.length < 2) return { growth: { heap: 0, rss: 0 }, problems: ["too few points to tell whether memory is flat"] };
  const of = (bytes) => slope(later.map((row) => [row.calls, bytes(row)]));
  const growth = { heap: of((row) => row.heap + row.external), rss: of((row) => row.rss) };
  const span = later.at(-1).calls - later[0].calls;
  const problems = Object.entries(growth)
    .filter(([kind, bytes]) => bytes * span > MAY_GAIN[kind])
    .map(
      ([kind, bytes]) =>
        `${kind} grows by ${bytes.toFixed(1)} bytes a call, ${((bytes * span) / 1024 / 1024).toFixed(1)} MB in ${span} calls`,
    );
  return { growth, problems };
}

let lastMs = Number.NaN;
let lastText = "";

/**
 * Writes a time as RFC 3339 UTC with milliseconds. One call writes the same moment several times, so the last one is kept.
 * @param ms Unix milliseconds
 * @throws RangeError for what is no time
 */
export function isoTime(ms: number): string {
  if (ms === lastMs) return lastText;
  lastText = new Date(ms).toISOString();
  lastMs = ms;
  return lastText;
}

/** Longest time for which anything is granted (design §8). */
export const MAX_GRANT_MS = 24 * 60 * 60 * 1_000;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/**
 * Reads a duration such as `10m`, `90s` or `1h30m`.
 * @returns milliseconds; undefined when it is none, not above zero or longer than 24 hours
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,6}[hms])+$/.test(text)) return undefined;
  const ms = [...text.matchAll(/(\d+)([hms])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ""] ?? 0), 0);
  return ms > 0 && ms <= MAX_GRANT_MS ? ms : undefined;
}

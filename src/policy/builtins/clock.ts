import { parseDecimal, toInteger, isInt64 } from "./decimal.ts";
import { BuiltinLimit, isArray, isNumber, isString, type RegoValue } from "./values.ts";

/** A moment in a time zone, as Go's `time.Time` shows it. */
export interface Moment {
  /** Nanoseconds since 1970, a 64-bit integer. */
  readonly ns: bigint;
  /** IANA name, or `UTC`. */
  readonly zone: string;
}

/** Wall clock of a moment in its zone. */
export interface Wall {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const NS_PER_SECOND = 1_000_000_000n;
const DAY = 86_400;
/** Zone names that the IANA data writes in capitals; all other parts of a name are capitalised words. */
const CAPITALS =
  /^(EST|MST|HST|EST5EDT|CST6CDT|MST7MDT|PST8PDT|WET|CET|MET|EET|GMT|GMT0|GMT[+-]\d{1,2}|UTC|UCT|PRC|ROC|ROK|NZ|NZ-CHAT|GB|W-SU|US)$/;
const WORDS = /^[A-Z][a-z]+([_-][A-Za-z]+)*$/;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/**
 * Reads the operand of OPA's clock builtins: nanoseconds, or an array of nanoseconds and a zone name (`tzTime` in OPA v1/topdown/time.go).
 * @returns undefined for what OPA refuses
 * @throws {BuiltinLimit} for the zone `Local`, which would make a decision depend on the machine
 */
export function toMoment(operand: RegoValue | undefined): Moment | undefined {
  const [first, zone = "", layout = ""] = isArray(operand) ? operand : [operand];
  if (!isNumber(first) || !isString(zone) || !isString(layout)) return undefined;
  const decimal = parseDecimal(first.text);
  const ns = decimal === undefined ? undefined : toInteger(decimal);
  if (ns === undefined || !isInt64(ns)) return undefined;
  if (zone === "Local") throw new BuiltinLimit("time: the zone `Local` is not reproducible");
  if (zone === "" || zone === "UTC") return { ns, zone: "UTC" };
  return formatOf(zone) === undefined ? undefined : { ns, zone };
}

/** Wall clock of a moment. */
export function wallOf(moment: Moment): Wall {
  const seconds = floorDivide(moment.ns, NS_PER_SECOND);
  return wallOfSeconds(seconds + offsetAt(moment.zone, seconds));
}

/** Day of the week of a moment, 0 for Sunday. */
export function weekdayOf(moment: Moment): number {
  const seconds = floorDivide(moment.ns, NS_PER_SECOND);
  const days = Math.floor((seconds + offsetAt(moment.zone, seconds)) / DAY);
  return (((days + 4) % 7) + 7) % 7;
}

/**
 * Nanoseconds of a wall clock in a zone; fields beyond their range carry over, and a wall clock that a zone skips or repeats is resolved as Go's
 * `time.Date` does.
 * @param fraction nanoseconds within the second
 */
export function momentOf(wall: Wall, zone: string, fraction: bigint): bigint {
  const unadjusted = daysSinceEpoch(wall.year, wall.month, wall.day) * DAY + wall.hour * 3600 + wall.minute * 60 + wall.second;
  const first = offsetAt(zone, unadjusted);
  const offset = first === 0 ? 0 : offsetAt(zone, unadjusted - first);
  return BigInt(unadjusted - offset) * NS_PER_SECOND + fraction;
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar; months and days may lie outside their range. */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const months = year * 12 + (month - 1);
  const shifted = months - 2;
  const y = Math.floor(shifted / 12);
  const m = shifted - y * 12;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * m + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468 + (day - 1);
}

/** Integer division towards minus infinity, as a number. */
export function floorDivide(value: bigint, by: bigint): number {
  const quotient = value / by;
  return Number(value % by < 0n ? quotient - 1n : quotient);
}

function wallOfSeconds(seconds: number): Wall {
  const days = Math.floor(seconds / DAY);
  const rest = seconds - days * DAY;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const m = Math.floor((5 * dayOfYear + 2) / 153);
  const month = m < 10 ? m + 3 : m - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * m + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
  };
}

/** Seconds that a zone is ahead of UTC at a moment, from the zone data of the JavaScript engine. */
function offsetAt(zone: string, seconds: number): number {
  const format = zone === "UTC" ? undefined : formatOf(zone);
  if (format === undefined) return 0;
  const parts = new Map(format.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN;
  const local = daysSinceEpoch(part("year"), part("month"), part("day")) * DAY + part("hour") * 3600 + part("minute") * 60 + part("second");
  return local - seconds;
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) {
    if (formats.size >= 64) formats.clear();
    formats.set(zone, makeFormat(zone));
  }
  return formats.get(zone);
}

/** JavaScript accepts zone names in any letter case, Go by their exact name. */
function makeFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (!zone.split("/").every((part) => WORDS.test(part) || CAPITALS.test(part))) return undefined;
  try {
    const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
    return new Intl.DateTimeFormat("en-US", { ...numeric, timeZone: zone, hourCycle: "h23", calendar: "iso8601", numberingSystem: "latn" });
  } catch {
    return undefined;
  }
}

import { daysSinceEpoch, floorDivide, momentOf, toMoment, wallOf, weekdayOf, type Wall } from "./clock.ts";
import { isInt64, toInt64 } from "./decimal.ts";
import { parseDuration } from "./go-duration.ts";
import { BuiltinLimit, isNumber, isString, number, type HostBuiltin, type RegoValue } from "./values.ts";

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const MAX_SHIFT = 1_000_000n;

/** `time.clock(ns)`: hour, minute and second. */
export const clock: HostBuiltin = {
  arity: 1,
  call: (operand) => {
    const moment = toMoment(operand);
    if (moment === undefined) return undefined;
    const wall = wallOf(moment);
    return [wall.hour, wall.minute, wall.second].map((part) => number(part));
  },
};

/** `time.date(ns)`: year, month and day. */
export const date: HostBuiltin = {
  arity: 1,
  call: (operand) => {
    const moment = toMoment(operand);
    if (moment === undefined) return undefined;
    const wall = wallOf(moment);
    return [wall.year, wall.month, wall.day].map((part) => number(part));
  },
};

/** `time.weekday(ns)`: English name of the day. */
export const weekday: HostBuiltin = {
  arity: 1,
  call: (operand) => {
    const moment = toMoment(operand);
    return moment === undefined ? undefined : WEEKDAYS[weekdayOf(moment)];
  },
};

/** `time.parse_rfc3339_ns(text)`: nanoseconds since 1970, with the liberties that Go's parser takes (one-digit hours, a comma, `+24:60`). */
export const parseRfc3339: HostBuiltin = {
  arity: 1,
  call: (text) => {
    const match = isString(text) ? RFC3339.exec(text) : null;
    if (match === null) return undefined;
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
    if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
    if (hour > 23 || minute > 59 || second > 59) return undefined;
    const [aheadHours, aheadMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
    if (aheadHours > 24 || aheadMinutes > 60) return undefined;
    const ahead = (aheadHours * 60 + aheadMinutes) * 60 * (match[8] === "-" ? -1 : 1);
    const fraction = BigInt((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
    return inRange(momentOf({ year, month, day, hour, minute, second: second - ahead }, "UTC", fraction));
  },
};

/** `time.parse_duration_ns(text)`: a Go duration, with OPA's days, weeks and years. */
export const parseDurationNs: HostBuiltin = {
  arity: 1,
  call: (text) => {
    const ns = isString(text) ? parseDuration(text) : undefined;
    return ns === undefined ? undefined : number(ns);
  },
};

/** `time.add_date(ns, years, months, days)`: calendar arithmetic in the operand's zone (Go `Time.AddDate`). */
export const addDate: HostBuiltin = {
  arity: 4,
  call: (operand, ...shift) => {
    const moment = toMoment(operand);
    const [years, months, days] = shift.map(toShift);
    if (moment === undefined || years === undefined || months === undefined || days === undefined) return undefined;
    const wall = wallOf(moment);
    const moved = { ...wall, year: wall.year + years, month: wall.month + months, day: wall.day + days };
    const fraction = moment.ns - BigInt(floorDivide(moment.ns, 1_000_000_000n)) * 1_000_000_000n;
    const isFar = Math.abs(moved.year + moved.month / 12 + moved.day / 365) > 100_000;
    return isFar ? undefined : inRange(momentOf(moved, moment.zone, fraction));
  },
};

/** `time.diff(a, b)`: years, months, days, hours, minutes and seconds between two moments, in the zone of the first. */
export const diff: HostBuiltin = {
  arity: 2,
  call: (first, second) => {
    const [a, b] = [toMoment(first), toMoment(second)];
    if (a === undefined || b === undefined) return undefined;
    const [from, to] = a.ns > b.ns ? [{ ...b, zone: a.zone }, a] : [a, { ...b, zone: a.zone }];
    return difference(wallOf(from), wallOf(to)).map((part) => number(part));
  },
};

function difference(from: Wall, to: Wall): number[] {
  const parts = [
    to.year - from.year,
    to.month - from.month,
    to.day - from.day,
    to.hour - from.hour,
    to.minute - from.minute,
    to.second - from.second,
  ];
  let [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  if (seconds < 0) [seconds, minutes] = [seconds + 60, minutes - 1];
  if (minutes < 0) [minutes, hours] = [minutes + 60, hours - 1];
  if (hours < 0) [hours, days] = [hours + 24, days - 1];
  if (days < 0) [days, months] = [days + daysIn(from.year, from.month), months - 1];
  if (months < 0) [months, years] = [months + 12, years - 1];
  return [years, months, days, hours, minutes, seconds];
}

function daysIn(year: number, month: number): number {
  return daysSinceEpoch(year, month + 1, 1) - daysSinceEpoch(year, month, 1);
}

function inRange(ns: bigint): RegoValue | undefined {
  return isInt64(ns) ? number(ns) : undefined;
}

function toShift(value: RegoValue): number | undefined {
  const whole = isNumber(value) ? toInt64(value.text) : undefined;
  if (whole === undefined) return undefined;
  if (whole > MAX_SHIFT * 366n || whole < -MAX_SHIFT * 366n) throw new BuiltinLimit("time.add_date: shift is too large");
  return Number(whole);
}

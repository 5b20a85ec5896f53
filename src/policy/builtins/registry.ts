import { cidrIsValid, quoteMeta, rangeStep } from "./misc.ts";
import { findN, replace } from "./regex.ts";
import { compareVersions, isValid } from "./semver.ts";
import { sprintf } from "./sprintf.ts";
import { anyPrefixMatch, anySuffixMatch, count, hexDecode, hexEncode, indexofN, sha256 } from "./strings.ts";
import { objectSubset } from "./subset.ts";
import { addDate, clock, date, diff, parseDurationNs, parseRfc3339, weekday } from "./time.ts";
import { parse, parseBytes } from "./units.ts";
import type { HostBuiltin } from "./values.ts";

/**
 * Every builtin that this engine supplies to a policy module, by its Rego name. Pure functions of their operands: no clock, no randomness,
 * no network, no environment. `policy/capabilities.json` must not allow a host builtin that is not here (design §2, Engine).
 */
export const HOST_BUILTINS: ReadonlyMap<string, HostBuiltin> = new Map([
  ["crypto.sha256", sha256],
  ["glob.quote_meta", quoteMeta],
  ["hex.decode", hexDecode],
  ["hex.encode", hexEncode],
  ["indexof_n", indexofN],
  ["net.cidr_is_valid", cidrIsValid],
  ["numbers.range_step", rangeStep],
  ["object.subset", objectSubset],
  ["regex.find_n", findN],
  ["regex.replace", replace],
  ["semver.compare", compareVersions],
  ["semver.is_valid", isValid],
  ["sprintf", sprintf],
  ["strings.any_prefix_match", anyPrefixMatch],
  ["strings.any_suffix_match", anySuffixMatch],
  ["strings.count", count],
  ["time.add_date", addDate],
  ["time.clock", clock],
  ["time.date", date],
  ["time.diff", diff],
  ["time.parse_duration_ns", parseDurationNs],
  ["time.parse_rfc3339_ns", parseRfc3339],
  ["time.weekday", weekday],
  ["units.parse", parse],
  ["units.parse_bytes", parseBytes],
]);

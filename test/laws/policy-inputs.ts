import * as fc from "fast-check";
import { DECLARED_RISK } from "../../src/call/risk-table.ts";

/** Strings that comparisons get wrong: other scripts, normal forms, prototype keys, numbers, NUL, astral characters. */
const TRICKY = [
  ["", " ", "0", "1", "-1", "1e3", "null", "true", "__proto__", "constructor", "toString", "length"],
  ["caf\u00e9", "cafe\u0301", "\u0000", "a\u0000b", "\u{1F0A1}", "\uFFFD", "\u2028", "аgent", "RUN_SHELL", "run_shell "],
].flat();
const word = fc.oneof(
  fc.constantFrom(...TRICKY),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 0.5, -1e-7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
);
const scalar = fc.oneof(fc.constantFrom(null, true, false), number, word);
const key = fc.oneof(fc.constantFrom("0", "1", "10", "-1", "01", "1.5", "id", "tools", "__proto__", "constructor"), word);

/** Any JSON value of small depth, with numbers and numeric strings among its keys. */
const junk = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("any"), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie("any")), { maxLength: 3 }).map((pairs) => objectOf(pairs)),
  ),
})).any;

/** Mostly one of the values, now and then anything. */
const mostly = (...values: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: junk });

/** An object with some of the fields, now and then anything instead. */
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: fc.record(fields, { requiredKeys: [] }) }, { weight: 1, arbitrary: junk });

const names = [...DECLARED_RISK.keys()];
const keys = [...DECLARED_RISK].map(([name, row]) => row.command_key ?? name);
const flag = mostly(true, false);
const tools = fc.oneof({ weight: 5, arbitrary: fc.array(mostly(...names), { maxLength: 3 }) }, { weight: 1, arbitrary: junk });

const agent = some({
  id: mostly("a1", "mcp-1", ""),
  session_id: mostly("s1", "s1", "s2", ""),
  kind: mostly("mcp"),
  risk: mostly("read", "mutable", "destructive", "unknown"),
  dry_run: flag,
});
const tool = some({
  name: mostly(...names),
  command_key: fc.oneof({ weight: 3, arbitrary: mostly(...keys) }, { weight: 2, arbitrary: fc.constant(null) }),
  known: mostly(true, true, false),
  read_only: flag,
  destructive: mostly(false, false, true),
  handoff: mostly(false, false, true),
  live_write: mostly(false, false, false, true),
});
const elevation = some({
  role: mostly("human-approved-agent", "human-approved-agent", "prod-admin"),
  reason: mostly("clean up", "clean up", "", " "),
  tools,
});

/**
 * Policy inputs that reach every branch of the shipped rules: fields that are missing, of the wrong type, or tricky. All are within
 * the engine's bounds.
 */
export const policyInputs: fc.Arbitrary<Record<string, unknown>> = fc
  .record(
    {
      command: mostly(...names, "run_shell", "run_shell", "whoami", "purge"),
      session_id: mostly("s1", "s1", "s1", ""),
      agent,
      tool,
      session: some({ identity_confirmed: flag, confirmed_profile: mostly(null, "p"), epoch: mostly(0, 1) }),
      elevation,
      arguments: junk,
      args: junk,
      context: junk,
    },
    { requiredKeys: [] },
  )
  .chain((known) => fc.array(fc.tuple(key, junk), { maxLength: 2 }).map((more) => Object.assign(objectOf(more), known)));

/** An object of own keys: `__proto__` is a key like others. */
function objectOf(pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of pairs) Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  return object;
}

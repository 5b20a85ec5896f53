import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import {
  IDENTITY_READ_COMMANDS,
  IDENTITY_READ_CONSOLE_TOOLS,
  identityGateRefusal,
  PROFILE_SWITCHING_COMMANDS,
  SessionIdentityState,
} from "../../src/index.ts";

const REFUSAL =
  "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched";

const SWITCHES = ["config.switch", "config.profile.create", "config.profile.sandbox.use"];
const READS = ["config.profile.status", "overview.status"];
const READ_ONLY = ["list_sessions", "audit_log", "search", "describe", "execute", "cloud_query"];
const MUTATING = ["run_shell", "eval_starlark", "config.profile.rename", "config.profile.edit"];
/** What nobody declares, and what only resembles a member of a set or the name of an object's property. */
const UNKNOWN = [
  "",
  "whoami",
  "harness_load",
  "config_switch",
  "Config.switch",
  "switch",
  "config.switch.x",
  "overview",
  "__proto__",
  "constructor",
  "toString",
  "read",
];

const state = (confirmed: boolean): SessionIdentityState => {
  const made = new SessionIdentityState();
  if (confirmed) made.recordIdentityRead();
  return made;
};

describe("[000-pure] identityGateRefusal", () => {
  const rows = [
    ...SWITCHES.map((key) => [key, null, null, false, false] as const),
    ...READS.map((key) => [key, null, null, true, true] as const),
    ...READ_ONLY.map((key) => [key, null, null, false, true] as const),
    ...MUTATING.map((key) => [key, REFUSAL, null, false, true] as const),
    ...UNKNOWN.map((key) => [key, REFUSAL, null, false, true] as const),
  ];
  it.each(rows)(
    "[000-order-switch] [000-order-read] [000-order-read-only] [000-order-mutating] %s",
    (key, armed, confirmed, afterArmed, afterConfirmed) => {
      const [one, other] = [state(false), state(true)];
      expect(identityGateRefusal(key, { state: one })).toBe(armed);
      expect(one.identityConfirmed).toBe(afterArmed);
      expect(identityGateRefusal(key, { state: other })).toBe(confirmed);
      expect(other.identityConfirmed).toBe(afterConfirmed);
    },
  );

  it("[000-state] [000-state-record] [000-state-rearm] [000-state-property] takes any object of the state's shape", () => {
    const seen: string[] = [];
    const own = { identityConfirmed: false, recordIdentityRead: () => seen.push("read"), rearm: () => seen.push("rearm") };
    expect(identityGateRefusal("config.switch", { state: own })).toBeNull();
    expect(identityGateRefusal("overview.status", { state: own })).toBeNull();
    expect(identityGateRefusal("run_shell", { state: own })).toBe(REFUSAL);
    expect(seen).toEqual(["rearm", "read"]);
  });

  it("[000-declared] reads mutability from the table, and an own row makes a built-in command only stricter", () => {
    const refused = (key: string, risk: Record<string, unknown>) => identityGateRefusal(key, { state: state(false), risk }) !== null;
    expect(refused("note.read", { "note.read": { read_only: true } })).toBe(false);
    expect(refused("note.read", { "note.read": { read_only: true, destructive: true } })).toBe(true);
    expect(refused("note.read", { "note.read": { read_only: true, live_write: true } })).toBe(true);
    expect(refused("note.read", { "note.read": { read_only: "yes" } })).toBe(true);
    expect(refused("note.read", { "note.read": null })).toBe(true);
    expect(refused("list_sessions", { list_sessions: { read_only: false } })).toBe(true);
    expect(refused("run_shell", { run_shell: { read_only: true } })).toBe(true);
  });

  it("takes own sets and an own language", () => {
    const own = state(true);
    const options = { state: own, switching: new Set(["taxpayer.switch"]), reads: new Set(["taxpayer.show"]), locale: "de-AT" };
    expect(identityGateRefusal("taxpayer.switch", options)).toBeNull();
    expect(identityGateRefusal("config.switch", options)).toMatch(/^Identität: /);
    expect(identityGateRefusal("taxpayer.show", options)).toBeNull();
    expect(identityGateRefusal("filing.submit", options)).toBeNull();
  });

  it("[000-no-interpolation] says the same whatever is called, over every sequence of calls", () => {
    const keys = constantFrom(...SWITCHES, ...READS, ...READ_ONLY, ...MUTATING, ...UNKNOWN);
    assert(
      property(array(keys, { maxLength: 60 }), string(), (sequence, other) => {
        const own = new SessionIdentityState();
        let confirmed = false;
        for (const key of [...sequence, other]) {
          const refusal = identityGateRefusal(key, { state: own });
          const harmless = SWITCHES.includes(key) || READS.includes(key) || READ_ONLY.includes(key);
          expect(refusal).toBe(harmless || confirmed ? null : REFUSAL);
          confirmed = READS.includes(key) || (confirmed && !SWITCHES.includes(key));
          expect(own.identityConfirmed).toBe(confirmed);
        }
      }),
    );
  });
});

describe("the sets", () => {
  it.each([
    ["[000-switching] PROFILE_SWITCHING_COMMANDS", PROFILE_SWITCHING_COMMANDS, SWITCHES],
    ["[000-reads] IDENTITY_READ_COMMANDS", IDENTITY_READ_COMMANDS, READS],
    ["[000-console] IDENTITY_READ_CONSOLE_TOOLS", IDENTITY_READ_CONSOLE_TOOLS, ["whoami", "harness_load"]],
  ])("%s are sets that nobody can change", (_name, set, members) => {
    expect([...set]).toEqual(members);
    expect(set).toEqual(new Set(members));
    expect(Object.isFrozen(set)).toBe(true);
    const open = set as Set<string>;
    expect(() => open.add("run_shell")).toThrow(TypeError);
    expect(() => open.delete(members[0] ?? "")).toThrow(TypeError);
    expect(() => open.clear()).toThrow(TypeError);
    expect(set.size).toBe(members.length);
  });
});

import { describe, expect, it } from "vitest";
import { SessionIdentityState } from "../../src/session/identity-state.ts";
import { createIdentityWatch } from "../../src/session/identity-watch.ts";
import type { IdentityRules } from "../../src/session/identity-watch.ts";

/** A watch over a profile that the test changes by hand. */
function watched(rules: IdentityRules = {}) {
  const world = { label: "Erik" as string | null, mark: 1, fails: false, now: 1_000 };
  const identity = new SessionIdentityState();
  const reports: unknown[] = [];
  const watch = createIdentityWatch({
    identity,
    rules,
    now: () => world.now,
    report: (problem) => reports.push(problem),
    source() {
      if (world.fails) throw new Error("unreadable");
      return { label: world.label, variables: {}, mark: String(world.mark) };
    },
  });
  const look = (): boolean => {
    const seen = watch.look();
    watch.take(seen);
    return identity.identityConfirmed;
  };
  look();
  return { world, identity, watch, look, reports };
}

describe("createIdentityWatch", () => {
  it("leaves a confirmation alone while nothing happens", () => {
    const { watch, look, identity } = watched();
    expect(watch.record("Erik")).toBe(true);
    for (let index = 0; index < 5; index += 1) expect(look()).toBe(true);
    expect(identity.epoch).toBe(0);
  });

  it("re-arms once for each switch of another process, also back to the same profile", () => {
    const { watch, look, identity, world } = watched();
    watch.record("Erik");
    world.mark = 2;
    expect([look(), look(), identity.epoch]).toEqual([false, false, 1]);
    watch.record("Erik");
    expect([look(), identity.epoch]).toEqual([true, 1]);
  });

  it("re-arms while armed too, so that a read under way does not confirm what was active before", () => {
    const { look, identity, world } = watched();
    world.mark = 2;
    look();
    expect(identity.epoch).toBe(1);
  });

  it("a look alone changes nothing", () => {
    const { watch, identity, world } = watched();
    watch.record("Erik");
    world.mark = 2;
    expect(watch.look().lapsed).toBe(true);
    expect([identity.identityConfirmed, identity.epoch]).toEqual([true, 0]);
  });

  it("takes what changes during a switch of this session for its own, and what changes after it for another's", () => {
    const { watch, look, identity, world } = watched();
    const first = watch.switchStarts();
    const second = watch.switchStarts();
    world.mark = 2;
    look();
    first();
    world.mark = 3;
    look();
    expect(identity.epoch).toBe(0);
    second();
    look();
    expect(identity.epoch).toBe(0);
    world.mark = 4;
    look();
    expect(identity.epoch).toBe(1);
  });

  it("re-arms when the profile cannot be known any more, and again when it can; says so once", () => {
    const { watch, look, identity, world, reports } = watched();
    watch.record("Erik");
    world.fails = true;
    expect([look(), look(), identity.epoch]).toEqual([false, false, 1]);
    expect(watch.look()).toMatchObject({ unreadable: true, profile: { label: null } });
    expect(reports).toHaveLength(1);
    world.fails = false;
    expect([look(), identity.epoch]).toEqual([false, 2]);
    world.fails = true;
    look();
    expect(reports).toHaveLength(2);
  });
});

describe("hardening, which is off unless a rule is given", () => {
  it("requireProfile: no profile, no confirmation", () => {
    expect(watched().watch.record(null)).toBe(true);
    const { watch, identity } = watched({ requireProfile: true });
    expect([watch.record(null), identity.identityConfirmed]).toEqual([false, false]);
    expect([watch.record("Erik"), identity.identityConfirmed]).toEqual([true, true]);
  });

  it("bindProfile: another label ends it", () => {
    const bound = watched({ bindProfile: true });
    const free = watched();
    for (const { watch, world } of [bound, free]) {
      watch.record("Erik");
      world.label = "Erika";
    }
    expect([bound.look(), free.look()]).toEqual([false, true]);
    bound.watch.record("Erika");
    expect(bound.look()).toBe(true);
    bound.watch.record(null);
    expect(bound.look()).toBe(false);
  });

  it("maxAgeMs: ends after that time, and when the clock goes back; a read renews it", () => {
    const { watch, look, world } = watched({ maxAgeMs: 100 });
    watch.record("Erik");
    world.now += 99;
    expect(look()).toBe(true);
    watch.record("Erik");
    world.now += 99;
    expect(look()).toBe(true);
    world.now += 1;
    expect(look()).toBe(false);
    watch.record("Erik");
    world.now -= 1;
    expect(look()).toBe(false);
  });

  it("maxMutations: ends after so many; a read renews it", () => {
    const { watch, look } = watched({ maxMutations: 2 });
    watch.mutated();
    watch.record("Erik");
    watch.mutated();
    expect(look()).toBe(true);
    watch.record("Erik");
    watch.mutated();
    watch.mutated();
    expect([look(), look()]).toEqual([false, false]);
    watch.record("Erik");
    expect(look()).toBe(true);
  });

  it("counts from its first look for a confirmation that somebody else recorded", () => {
    const { identity, look, world } = watched({ maxAgeMs: 100 });
    identity.recordIdentityRead("Erik");
    expect(look()).toBe(true);
    world.now += 100;
    expect(look()).toBe(false);
  });
});

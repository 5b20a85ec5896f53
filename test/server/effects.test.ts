import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/policy/decision.ts";
import { createEffects, rearms } from "../../src/server/effects.ts";
import { createIdentityWatch } from "../../src/session/identity-watch.ts";
import { SessionIdentityState } from "../../src/session/identity-state.ts";

function decision(effect: Decision["effect"], allow = true): Decision {
  return { allow, reasons: [], effect, confirm: "none" };
}
const READ = decision("record_identity_read");
const SWITCH = decision("rearm");

function session() {
  const identity = new SessionIdentityState();
  return { identity, effects: createEffects(identity, createIdentityWatch({ identity, now: () => 0 })) };
}

describe("createEffects", () => {
  it("records a read only when it has succeeded", () => {
    const { identity, effects } = session();
    const ticket = effects.begin(READ);
    expect(identity.identityConfirmed).toBe(false);
    expect(ticket.succeeded("erika")).toBe(true);
    expect(identity.view()).toEqual({ identity_confirmed: true, confirmed_profile: "erika", epoch: 0 });
  });

  it("re-arms before the handler runs, and records nothing when a switch succeeds", () => {
    const { identity, effects } = session();
    identity.recordIdentityRead();
    const ticket = effects.begin(SWITCH);
    expect(identity.view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 1 });
    expect(ticket.succeeded("x")).toBe(false);
    expect(identity.identityConfirmed).toBe(false);
  });

  it.each([
    ["no effect", decision("none")],
    ["a denied read", decision("record_identity_read", false)],
    ["a denied switch", decision("rearm", false)],
  ])("does nothing for %s", (_, document) => {
    const { identity, effects } = session();
    void effects.begin(document).succeeded("x");
    expect(identity.view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 0 });
    expect(rearms(document)).toBe(false);
  });

  it("does not record a read that a switch overtook", () => {
    const { identity, effects } = session();
    const read = effects.begin(READ);
    effects.begin(SWITCH).ended();
    expect(read.succeeded("old")).toBe(false);
    expect(identity.identityConfirmed).toBe(false);
  });

  it("does not record a read that began while a switch was still running", () => {
    const { identity, effects } = session();
    const change = effects.begin(SWITCH);
    const early = effects.begin(READ);
    expect(early.succeeded("old")).toBe(false);
    change.ended();
    change.ended();
    expect(effects.begin(READ).succeeded("new")).toBe(true);
    expect(identity.view()).toEqual({ identity_confirmed: true, confirmed_profile: "new", epoch: 1 });
  });

  it("agrees with a model: confirmed only by a read that began and ended with no switch running since it began", () => {
    const steps = array(constantFrom("begin read", "end read", "begin switch", "end switch"), { maxLength: 40 });
    assert(
      property(steps, (names) => {
        const { identity, effects } = session();
        const reads: { ticket: ReturnType<typeof effects.begin>; valid: boolean }[] = [];
        const switches: ReturnType<typeof effects.begin>[] = [];
        let confirmed = false;
        for (const name of names) {
          if (name === "begin read") reads.push({ ticket: effects.begin(READ), valid: switches.length === 0 });
          if (name === "begin switch") {
            switches.push(effects.begin(SWITCH));
            for (const read of reads) read.valid = false;
            confirmed = false;
          }
          if (name === "end switch") switches.shift()?.ended();
          if (name === "end read") {
            const read = reads.shift();
            void read?.ticket.succeeded(null);
            confirmed = confirmed || read?.valid === true;
          }
          expect(identity.identityConfirmed).toBe(confirmed);
        }
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { SessionIdentityState } from "../../src/session/identity-state.ts";

describe("SessionIdentityState", () => {
  it("starts armed", () => {
    expect(new SessionIdentityState().view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 0 });
  });

  it("is confirmed by a read and armed again by a switch, which raises the epoch", () => {
    const state = new SessionIdentityState();
    state.recordIdentityRead("erika");
    expect(state.identityConfirmed).toBe(true);
    expect(state.view()).toEqual({ identity_confirmed: true, confirmed_profile: "erika", epoch: 0 });
    state.rearm();
    expect(state.identityConfirmed).toBe(false);
    expect(state.view()).toEqual({ identity_confirmed: false, confirmed_profile: null, epoch: 1 });
  });

  it("forgets the profile of an earlier read when a later one shows none", () => {
    const state = new SessionIdentityState();
    state.recordIdentityRead("erika");
    state.recordIdentityRead();
    expect(state.view()).toEqual({ identity_confirmed: true, confirmed_profile: null, epoch: 0 });
  });

  it("raises the epoch with every switch, also when it is armed already", () => {
    const state = new SessionIdentityState();
    state.rearm();
    state.rearm();
    expect(state.epoch).toBe(2);
  });

  it("cannot be set from outside", () => {
    const state = new SessionIdentityState();
    expect(() => Object.assign(state, { identityConfirmed: true })).toThrow(TypeError);
    expect(() => Object.assign(state, { epoch: 7 })).toThrow(TypeError);
  });
});

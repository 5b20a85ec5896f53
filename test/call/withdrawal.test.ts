import { describe, expect, it } from "vitest";
import { createWithdrawal } from "../../src/call/withdrawal.ts";

describe("createWithdrawal", () => {
  it("calls everybody who listens, once, and nobody who has stopped", () => {
    const { withdrawal, abort } = createWithdrawal();
    const acts: string[] = [];
    const gone = (): void => void acts.push("gone");
    withdrawal.addEventListener("abort", () => acts.push("one"));
    withdrawal.addEventListener("abort", gone);
    withdrawal.addEventListener("abort", () => acts.push("two"));
    withdrawal.removeEventListener("abort", gone);
    expect([withdrawal.aborted, acts]).toEqual([false, []]);
    abort();
    abort();
    expect([withdrawal.aborted, acts]).toEqual([true, ["one", "two"]]);
  });

  it("gives the same as an AbortSignal, whenever it is asked for", () => {
    const reason = new Error("call.timeout");
    const early = createWithdrawal();
    const signal = early.signal();
    expect([signal.aborted, early.signal()]).toEqual([false, signal]);
    early.abort(reason);
    expect([signal.aborted, signal.reason]).toEqual([true, reason]);
    const late = createWithdrawal();
    late.abort(reason);
    expect([late.signal().aborted, late.signal().reason]).toEqual([true, reason]);
  });
});

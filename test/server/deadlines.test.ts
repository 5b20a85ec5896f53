import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { after } from "../../src/server/deadlines.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("after", () => {
  it("acts when the time is over, in the order in which it was asked", async () => {
    const acts: string[] = [];
    after(1_000, () => acts.push("one"));
    await vi.advanceTimersByTimeAsync(400);
    after(1_000, () => acts.push("two"));
    after(300, () => acts.push("short"));
    await vi.advanceTimersByTimeAsync(599);
    expect(acts).toEqual(["short"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(acts).toEqual(["short", "one"]);
    await vi.advanceTimersByTimeAsync(400);
    expect(acts).toEqual(["short", "one", "two"]);
  });

  it("does nothing that was called off, and still what comes later", async () => {
    const acts: string[] = [];
    const off = after(500, () => acts.push("off"));
    off();
    await vi.advanceTimersByTimeAsync(200);
    after(500, () => acts.push("on"));
    await vi.advanceTimersByTimeAsync(499);
    expect(acts).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(acts).toEqual(["on"]);
  });

  it("needs one timer for all that are of the same length", async () => {
    for (let call = 0; call < 100; call += 1) after(700, () => undefined)();
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(700);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("needs one timer however much is asked for while it acts", async () => {
    let acted = 0;
    const again = (): void => {
      acted += 1;
      if (acted < 50) after(300, again);
      after(300, () => undefined)();
    };
    after(300, again);
    after(300, () => undefined);
    for (let round = 0; round < 10; round += 1) {
      await vi.advanceTimersByTimeAsync(300);
      expect(vi.getTimerCount()).toBe(1);
    }
    expect(acted).toBe(10);
    await vi.advanceTimersByTimeAsync(300 * 60);
    expect([acted, vi.getTimerCount()]).toEqual([50, 0]);
  });

  it("does not act on what another one that is due at the same time has called off", async () => {
    const acts: string[] = [];
    let off = (): void => undefined;
    after(200, () => (acts.push("one"), off()));
    off = after(200, () => acts.push("off"));
    after(200, () => acts.push("two"));
    await vi.advanceTimersByTimeAsync(200);
    expect(acts).toEqual(["one", "two"]);
  });
});

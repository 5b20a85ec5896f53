import { describe, expect, it } from "vitest";
import { createUsage } from "../../src/session/usage.ts";

describe("createUsage", () => {
  it("starts at zero and does not count the call that is being judged", () => {
    const usage = createUsage(1_000);
    expect(usage.view("a", 3_500)).toEqual({
      calls: 0,
      tool_calls: 0,
      calls_last_minute: 0,
      running: 0,
      denied: 0,
      elapsed_seconds: 2,
    });
  });

  it("counts calls, calls of one tool, denials and running handlers", () => {
    const usage = createUsage(0);
    usage.judged("a", 0);
    usage.judged("b", 0);
    usage.judged("a", 0);
    usage.denied();
    const end = usage.started();
    usage.started();
    expect(usage.view("a", 0)).toMatchObject({ calls: 3, tool_calls: 2, denied: 1, running: 2 });
    expect(usage.view("b", 0).tool_calls).toBe(1);
    end();
    end();
    expect(usage.view("a", 0).running).toBe(1);
  });

  it("forgets calls that are a minute old", () => {
    const usage = createUsage(0);
    for (let at = 0; at < 100_000; at += 10) usage.judged("a", at);
    expect(usage.view("a", 100_000).calls_last_minute).toBe(5_999);
    expect(usage.view("a", 161_000)).toMatchObject({ calls: 10_000, calls_last_minute: 0 });
  });

  it("keeps counting when thousands of names are tried, too much rather than too little", () => {
    const usage = createUsage(0);
    for (let name = 0; name < 10_050; name += 1) usage.judged(`hostile-${name}`, 0);
    usage.judged("constructor", 0);
    expect(usage.view("hostile-0", 0).tool_calls).toBe(1);
    expect(usage.view("constructor", 0).tool_calls).toBe(51);
    expect(usage.view("never-seen", 0).tool_calls).toBe(51);
  });

  it("does not go below zero when the clock goes back", () => {
    expect(createUsage(5_000).view("a", 0).elapsed_seconds).toBe(0);
  });
});

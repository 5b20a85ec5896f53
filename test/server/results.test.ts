import { describe, expect, it } from "vitest";
import { refuse } from "../../src/gate/refuse.ts";
import { outcomeFacts } from "../../src/server/outcome-facts.ts";
import { decidedResult, refusalResult } from "../../src/server/results.ts";

describe("refusalResult", () => {
  it("is one text block, isError and what would help", () => {
    expect(refusalResult(refuse("dry_run", "agent.dry_run_required"), "d1")).toEqual({
      content: [{ type: "text", text: "agent: destructive action requires dry_run=true" }],
      isError: true,
      _meta: { "regate/decision": { decision_id: "d1", code: "agent.dry_run_required", retryable: true, resolve: "dry_run" } },
    });
  });

  it("has no resolve where nothing helps, and never structured content [M04]", () => {
    expect(refusalResult(refuse("entitlement", "agent.not_entitled"), "d1")).toEqual({
      content: [{ type: "text", text: "agent: tool is not entitled" }],
      isError: true,
      _meta: { "regate/decision": { decision_id: "d1", code: "agent.not_entitled", retryable: false } },
    });
  });
});

describe("decidedResult", () => {
  it("adds the decision and its warnings, and replaces what the tool says under that key", () => {
    const result = {
      content: [],
      structuredContent: { a: 1 },
      _meta: { other: 1, "regate/decision": { decision_id: "forged", code: "x" } },
    };
    const warnings = [{ code: "w", rule: "r", message: "m", remedy: "z" }];
    expect(decidedResult(result, "d1", warnings)).toEqual({
      content: [],
      structuredContent: { a: 1 },
      _meta: { other: 1, "regate/decision": { decision_id: "d1", warnings: [{ code: "w", rule: "r", message: "m" }] } },
    });
    expect(decidedResult({ content: [] }, "d1")).toEqual({ content: [], _meta: { "regate/decision": { decision_id: "d1" } } });
  });
});

describe("outcomeFacts", () => {
  it("repeats small facts that are what they must be", () => {
    const structuredContent = { exit_code: 1, signal: "SIGKILL", timed_out: true, truncated: false, stdout: "secret" };
    expect(outcomeFacts({ content: [], structuredContent })).toEqual({
      exit_code: 1,
      signal: "SIGKILL",
      timed_out: true,
      truncated: false,
    });
    expect(outcomeFacts({ content: [], structuredContent: { exit_code: null, signal: null } })).toEqual({ exit_code: null, signal: null });
  });

  it("repeats nothing that a foreign tool made up", () => {
    const structuredContent = { exit_code: 1.5, signal: "SIG\ud800", timed_out: "yes", truncated: [true] };
    expect(outcomeFacts({ content: [], structuredContent })).toEqual({});
    expect(outcomeFacts({ content: [] })).toEqual({});
  });
});

import { describe, expect, it } from "vitest";
import { GATE_ORDER } from "../../src/gate/order.ts";
import { REFUSALS } from "../../src/gate/refusals.ts";

const place = (id: string): number => GATE_ORDER.findIndex((stage) => stage.id === id);

describe("GATE_ORDER", () => {
  it("names each stage once", () => {
    expect(new Set(GATE_ORDER.map((stage) => stage.id)).size).toBe(GATE_ORDER.length);
  });

  it.each([
    ["entitlement", "dry_run"],
    ["dry_run", "policy"],
    ["policy", "approval"],
    ["approval", "confirm"],
    ["confirm", "handler"],
  ])("has %s before %s", (first, second) => {
    expect(place(first)).toBeGreaterThanOrEqual(0);
    expect(place(first)).toBeLessThan(place(second));
  });

  it("gives each code of the refusal table to exactly one stage", () => {
    const codes = GATE_ORDER.flatMap((stage) => stage.codes);
    expect(codes.toSorted()).toEqual(Object.keys(REFUSALS).toSorted());
  });

  it("has a code and a reason for each stage", () => {
    for (const stage of GATE_ORDER) {
      expect(stage.codes[0]).toBe(stage.code);
      expect(stage.reason).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it("is frozen, as the refusal table is", () => {
    expect(() => (GATE_ORDER as unknown[]).reverse()).toThrow(TypeError);
    expect(() => Object.assign(REFUSALS["agent.not_entitled"], { text: "" })).toThrow(TypeError);
    expect(() => Object.assign(REFUSALS, { "agent.not_entitled": null })).toThrow(TypeError);
  });
});

describe("REFUSALS", () => {
  it.each(Object.entries(REFUSALS))("%s speaks as the house does", (code, row) => {
    expect(code).toMatch(/^[a-z]+\.[a-z_]+$/);
    expect(row.text).toMatch(/^[a-z]+: [^\n]*[^.\s]$/);
  });

  it("has no two codes with one text, but the two denials that say nothing", () => {
    const texts = Object.entries(REFUSALS).flatMap(([code, row]) => (code === "policy.denied" ? [] : [row.text]));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

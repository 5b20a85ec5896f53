import { anything, assert, constantFrom, dictionary, json, jsonValue, oneof, property, string, subarray } from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundsError, serialise } from "../../src/policy/bounds.ts";
import { parseDecision } from "../../src/policy/decision-parser.ts";
import { loadEngine } from "../../src/policy/load.ts";

const DOCUMENT = { allow: true, reasons: [], effect: "none", confirm: "none" };
const KNOWN = ["allow", "reasons", "deny_reason", "warnings", "halt", "effect", "confirm", "approval", "sandbox"];

describe("an undefined, aborted, malformed or late result denies (law 3)", () => {
  it("no text but an exact document allows", () => {
    const texts = oneof(
      string(),
      json(),
      json().map((text) => `[{"result":${text}}]`),
      subarray([...Object.entries(DOCUMENT), ["extra", 1]])
        .map((entries) => Object.fromEntries(entries) as object)
        .map((result) => JSON.stringify([{ result }])),
      dictionary(constantFrom(...KNOWN, "x"), oneof(jsonValue(), constantFrom(true, "none", []))).map((result) =>
        JSON.stringify([{ result }]),
      ),
    );
    assert(
      property(texts, (text) => {
        const decision = parseDecision(text, "regate");
        expect(typeof decision.allow).toBe("boolean");
        if (!decision.allow) return;
        const [row] = JSON.parse(text) as [{ result: Record<string, unknown> }];
        expect(row.result["allow"]).toBe(true);
        expect(Object.keys(row.result).every((key) => KNOWN.includes(key))).toBe(true);
        expect(["reasons", "effect", "confirm"].every((key) => key in row.result)).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });

  it("whatever is put in the place of one part of an allow, it is an allow of the same form or a denial", () => {
    const part = constantFrom(...KNOWN);
    assert(
      property(part, jsonValue(), (key, value) => {
        const decision = parseDecision(JSON.stringify([{ result: { ...DOCUMENT, [key]: value } }]), "regate");
        if (key === "allow") expect(decision.allow).toBe(value === true);
        if (key === "effect") expect(decision.allow).toBe(["none", "rearm", "record_identity_read"].includes(value as string));
        if (key === "confirm") expect(decision.allow).toBe(["none", "elicit", "block"].includes(value as string));
        if (key === "halt") expect(decision.allow).toBe(typeof value === "boolean");
        if (key === "deny_reason") expect(decision.allow).toBe(typeof value === "string");
      }),
      { numRuns: 10_000 },
    );
  });

  it("decide never throws, and answers with a decision", async () => {
    const engine = await loadEngine("default");
    const value = anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
      withBoxedValues: true,
    });
    const input = oneof(value, dictionary(constantFrom("agent", "command", "tool", "session", "session_id", "elevation"), value));
    assert(
      property(input, (any) => {
        const decision = engine.decide(any);
        expect([typeof decision.allow, Array.isArray(decision.reasons)]).toEqual(["boolean", true]);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe("serialise writes what JSON.stringify writes, or refuses", () => {
  it("for JSON values", () => {
    assert(
      property(jsonValue({ stringUnit: "binary", maxDepth: 10 }), (value) => {
        const text = tryWrite(value);
        if (text === undefined) expect(hasUnsafe(value)).toBe(true);
        else expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 20_000 },
    );
  });

  it("for anything: what it writes is JSON and means the same", () => {
    assert(
      property(anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
        const text = tryWrite(value);
        if (text !== undefined) expect(text).toBe(JSON.stringify(value));
      }),
      { numRuns: 20_000 },
    );
  });
});

function tryWrite(value: unknown): string | undefined {
  try {
    return serialise(value);
  } catch (error) {
    if (error instanceof BoundsError) return undefined;
    throw error;
  }
}

/** Whether a JSON value has a number or a string that the engine refuses. */
function hasUnsafe(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.entries(value).some((entry) => entry.some(hasUnsafe));
}

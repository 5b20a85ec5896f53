import { array, assert, constant, constantFrom, jsonValue, oneof, property, record, tuple } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/audit/canonical.ts";
import type { JsonObject, JsonValue } from "../../src/call/json.ts";
import type { Engine, Entrypoint } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { buildBundle, closeBuilds } from "../policy/support/build.ts";

const ENTRYPOINTS = ["gate/decision", "gate/listing", "gate/message", "gate/result"] as const satisfies readonly Entrypoint[];
/** Every entrypoint says its own name and what it has read, and reads nothing else; a conflict aborts. */
const RULES = `package gate
given := object.get(input, "read", {"no": "value"})
default bad := ""
bad := "one" if input.conflict == true
bad := "two" if input.conflict == true
answer(name) := {
  "allow": given != {"no": "value"},
  "reasons": [],
  "effect": "none",
  "confirm": "none",
  "deny_reason": sprintf("%v %v%v", [name, [given], bad]),
}
decision := answer("gate/decision")
listing := answer("gate/listing")
message := answer("gate/message")
result := object.union(answer("gate/result"), {"redact": ["/x"]})
`;
let bundle: Uint8Array;

beforeAll(async () => {
  bundle = await buildBundle({ rego: RULES, entrypoints: ENTRYPOINTS });
}, 180_000);
afterAll(closeBuilds);

/** Values that are easily taken for one another; few, so that they come again and again. */
const alike = constantFrom<JsonValue[]>(
  null, 0, 1, "1", "", "null", [], {}, [1], ["1"], [[1]], { a: 1 }, { a: "1" }, { a: { b: 1 } }, { "a b": 1 }, '{"a":1}', "é", "e\u0301",
  "0 {}", true, "true", false, "\u2028", "😀",
); // prettier-ignore
const read = oneof(alike, jsonValue({ maxDepth: 2, noUnicodeString: true }) as typeof alike).filter(isExact);
const input = oneof(
  record({ read, conflict: constantFrom<JsonValue[]>(false, null, 1), other: alike }, { requiredKeys: [] }),
  record({ read, conflict: constant(true) }, { requiredKeys: ["conflict"] }),
);
const question = tuple(constantFrom(...ENTRYPOINTS), input);

/** OPA writes numbers its own way; only whole ones are written as here. */
function isExact(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0);
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}

describe("what an engine remembers", () => {
  it("is never the answer to another input or another entrypoint", async () => {
    const [asked, fresh] = [await loadEngine(bundle), await loadEngine(bundle)];
    assert(
      property(array(question, { minLength: 20, maxLength: 60 }), (questions) => {
        for (const [entrypoint, asks] of [...questions, ...questions]) {
          const answer = asked.decide(asks, entrypoint);
          if (asks.conflict === true) expect(answer.reasons[0]?.code).toBe("policy.error");
          else expect(answer).toEqual(alone(fresh, asks, entrypoint));
        }
      }),
      { numRuns: 60 },
    );
    asked.close();
    fresh.close();
  }, 60_000);

  it("is gone once the engine is closed", async () => {
    const engine = await loadEngine(bundle);
    const before = engine.decide({ read: "x" });
    expect(before.allow).toBe(true);
    expect(engine.decide({ read: "x" })).toBe(before);
    engine.close();
    for (const entrypoint of ENTRYPOINTS) expect(engine.decide({ read: "x" }, entrypoint).reasons[0]?.code).toBe("policy.error");
  });
});

/** Asked so that nothing can be remembered: the same value beside a text that is too long to be kept. */
function alone(engine: Engine, asks: JsonObject, entrypoint: Entrypoint): unknown {
  const answer = engine.decide({ ...asks, conflict: "x".repeat(5_000) }, entrypoint);
  expect(answer.deny_reason?.startsWith(`${entrypoint} `)).toBe(true);
  expect(canonicalJson(answer as unknown as JsonObject)).toContain(entrypoint === "gate/result" ? '"redact"' : '"reasons"');
  return answer;
}

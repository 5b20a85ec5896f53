import { describe, expect, it } from "vitest";
import { parseDecision } from "../../src/policy/decision-parser.ts";
import type { Dialect } from "../../src/policy/dialects.ts";

const allowed = { allow: true, reasons: [], effect: "none", confirm: "none" };
const denied = { allow: false, reasons: [{ code: "r.c", rule: "r", message: "no" }], effect: "none", confirm: "none" };

/** The result set with one document, as the module writes it. */
const setOf = (document: unknown) => JSON.stringify([{ result: document }]);
const parse = (document: unknown, dialect: Dialect = "regate") => parseDecision(setOf(document), dialect);
const engineSays = (code: string, text: string) => ({
  allow: false,
  reasons: [{ code, rule: "engine", message: text }],
  deny_reason: text,
  effect: "none",
  confirm: "none",
});
const MALFORMED = engineSays("policy.malformed", "policy: malformed decision document");
const NO_DECISION = engineSays("policy.no_decision", "policy: no decision (empty result set)");
const DEFAULT_DENY = engineSays("policy.default_deny", "policy: deny by default (no allow decision)");
const NON_BOOLEAN = engineSays("policy.non_boolean_allow", "policy: non-boolean allow");

describe("parseDecision", () => {
  it("reads a whole document", () => {
    const document = {
      ...allowed,
      deny_reason: "advisory",
      warnings: [{ code: "w", rule: "r", message: "m" }],
      halt: false,
      effect: "rearm",
      confirm: "elicit",
      approval: { approvers: ["zoe", "al", "zoe"], quorum: 2, ttl_seconds: 60 },
      sandbox: { network: false, write: "none" },
    };
    expect(parse(document)).toEqual({ ...document, approval: { approvers: ["al", "zoe"], quorum: 2, ttl_seconds: 60 } });
    expect(Object.keys(parse(document))).toEqual([
      "allow",
      "reasons",
      "deny_reason",
      "warnings",
      "halt",
      "effect",
      "confirm",
      "approval",
      "sandbox",
    ]);
  });

  const rows: readonly (readonly [string, unknown, unknown])[] = [
    ["allow", allowed, allowed],
    ["a denial with reasons", denied, denied],
    ["a denial without anything else", { allow: false }, { ...denied, reasons: [] }],
    ["a denial with a text", { allow: false, deny_reason: "no" }, { ...denied, reasons: [], deny_reason: "no" }],
    ["a denial with an empty text", { ...denied, deny_reason: "" }, denied],
    ["an empty document", {}, DEFAULT_DENY],
    ["a document without allow, with a text", { deny_reason: "why" }, engineSays("policy.default_deny", "why")],
    ["a document without allow, with an empty text", { deny_reason: "" }, DEFAULT_DENY],
    ["a document without allow, with reasons", { ...denied, allow: undefined }, DEFAULT_DENY],
    ["allow as text", { ...allowed, allow: "true" }, NON_BOOLEAN],
    ["allow as a number", { allow: 1 }, NON_BOOLEAN],
    ["allow as null", { allow: null, deny_reason: "x" }, NON_BOOLEAN],
    ["allow as an array", { allow: [true] }, NON_BOOLEAN],
    ["an unknown key beside a wrong allow", { allow: 1, extra: 1 }, MALFORMED],
    ["an unknown key", { ...allowed, extra: 1 }, MALFORMED],
    ["a key in another letter case", { ...allowed, Allow: true }, MALFORMED],
    ["a key of a JavaScript object", { ...allowed, constructor: 1 }, MALFORMED],
    ["__proto__ as a key", JSON.parse('{"allow":true,"reasons":[],"effect":"none","confirm":"none","__proto__":{}}'), MALFORMED],
    ["allow without reasons", { ...allowed, reasons: undefined }, MALFORMED],
    ["allow without effect", { ...allowed, effect: undefined }, MALFORMED],
    ["allow without confirm", { ...allowed, confirm: undefined }, MALFORMED],
    ["allow alone, which is another dialect", { allow: true }, MALFORMED],
    ["text", "allow", MALFORMED],
    ["true", true, MALFORMED],
    ["null", null, MALFORMED],
    ["an array", [allowed], MALFORMED],
    ["reasons that are an object", { ...allowed, reasons: {} }, MALFORMED],
    ["a reason that is text", { ...denied, reasons: ["no"] }, MALFORMED],
    ["a reason without a message", { ...denied, reasons: [{ code: "c", rule: "r" }] }, MALFORMED],
    ["a reason with a number as its code", { ...denied, reasons: [{ code: 1, rule: "r", message: "m" }] }, MALFORMED],
    ["a reason with an unknown key", { ...denied, reasons: [{ code: "c", rule: "r", message: "m", extra: 1 }] }, MALFORMED],
    ["a warning with a remedy", { ...allowed, warnings: [{ code: "c", rule: "r", message: "m", remedy: "x" }] }, MALFORMED],
    ["deny_reason as a number", { ...denied, deny_reason: 1 }, MALFORMED],
    ["deny_reason as null", { ...denied, deny_reason: null }, MALFORMED],
    ["halt as text", { ...denied, halt: "true" }, MALFORMED],
    ["an unknown effect", { ...allowed, effect: "Rearm" }, MALFORMED],
    ["an unknown confirm", { ...allowed, confirm: true }, MALFORMED],
    ["an approval with an unknown key", { ...allowed, approval: { by: "x" } }, MALFORMED],
    ["approvers that are text", { ...allowed, approval: { approvers: "al" } }, MALFORMED],
    ["a quorum of 1.5", { ...allowed, approval: { quorum: 1.5 } }, MALFORMED],
    ["a quorum of 0", { ...allowed, approval: { quorum: 0 } }, MALFORMED],
    ["a negative time to live", { ...allowed, approval: { ttl_seconds: -1 } }, MALFORMED],
    ["a sandbox with an unknown key", { ...allowed, sandbox: { read: "none" } }, MALFORMED],
    ["a sandbox that writes anywhere", { ...allowed, sandbox: { write: "anywhere" } }, MALFORMED],
    ["network as text", { ...allowed, sandbox: { network: "no" } }, MALFORMED],
  ];
  it.each(rows)("judges %s", (_what, document, decision) => {
    expect(parse(document)).toEqual(decision);
  });

  it.each([
    ["no row", "[]", NO_DECISION],
    ["two rows", `[${setOf(allowed).slice(1, -1)},${setOf(allowed).slice(1, -1)}]`, MALFORMED],
    ["a row with another key", JSON.stringify([{ result: allowed, x: 1 }]), MALFORMED],
    ["a row without a result", "[{}]", MALFORMED],
    ["a row that is no object", "[1]", MALFORMED],
    ["no array", "{}", MALFORMED],
    ["no JSON", "[{", MALFORMED],
    ["nothing", "", MALFORMED],
    ["a very long text", setOf({ ...allowed, deny_reason: "x".repeat(1024 * 1024) }), MALFORMED],
  ])("judges a result set with %s", (_what, text, decision) => {
    expect(parseDecision(text, "regate")).toEqual(decision);
  });

  it("sorts reasons and warnings by rule, code and message, and drops repetitions", () => {
    const reason = (rule: string, code: string, message: string, remedy?: string) => ({
      message,
      rule,
      ...(remedy === undefined ? {} : { remedy }),
      code,
    });
    const shuffled = [
      reason("b", "a", "a"),
      reason("a", "b", "a"),
      reason("a", "a", "b"),
      reason("a", "a", "a", "z"),
      reason("a", "a", "a"),
      reason("a", "b", "a"),
    ];
    const warnings = [reason("b", "a", "a"), reason("a", "z", "a")];
    const parsed = parse({ ...denied, reasons: shuffled, warnings });
    expect(parsed.reasons.map((one) => `${one.rule}${one.code}${one.message}${one.remedy ?? ""}`)).toEqual([
      "aaa",
      "aaaz",
      "aab",
      "aba",
      "baa",
    ]);
    expect(parsed.warnings?.map(({ rule }) => rule)).toEqual(["a", "b"]);
    expect(Object.keys(parsed.reasons[1] ?? {})).toEqual(["code", "rule", "message", "remedy"]);
  });

  it("gives a decision that nobody can change", () => {
    const parsed = parse({ ...denied, warnings: [], approval: { approvers: ["a"] }, sandbox: { network: true } });
    const parts = [parsed, parsed.reasons, parsed.reasons[0], parsed.warnings, parsed.approval, parsed.approval?.approvers, parsed.sandbox];
    expect(parts.map((part) => Object.isFrozen(part))).toEqual(parts.map(() => true));
    const engine = parse(1);
    expect([engine, engine.reasons, engine.reasons[0]].every((part) => Object.isFrozen(part))).toBe(true);
  });

  const dialects: readonly (readonly [Dialect, unknown, unknown])[] = [
    ["opa-allow", { allow: true }, allowed],
    ["opa-allow", { allow: true, deny_reason: "advisory" }, { ...allowed, deny_reason: "advisory" }],
    ["opa-allow", { allow: false, deny_reason: "no" }, { ...denied, reasons: [], deny_reason: "no" }],
    ["opa-allow", { allow: "yes" }, NON_BOOLEAN],
    ["opa-allow", {}, DEFAULT_DENY],
    ["opa-allow", { deny_reason: "why" }, engineSays("policy.default_deny", "why")],
    ["opa-allow", { allow: true, reasons: [] }, MALFORMED],
    ["opa-allow", true, MALFORMED],
    ["decision", { decision: "allow" }, allowed],
    ["decision", { decision: "allow", reason: "fine" }, { ...allowed, deny_reason: "fine" }],
    ["decision", { decision: "deny", reason: "no" }, { ...denied, reasons: [], deny_reason: "no" }],
    ["decision", { decision: "deny" }, { ...denied, reasons: [] }],
    ["decision", { decision: "requires-approval", reason: "ask" }, { ...allowed, deny_reason: "ask", confirm: "block", approval: {} }],
    ["decision", { decision: "not-applicable" }, { ...denied, reasons: [] }],
    ["decision", { decision: "ALLOW" }, { ...denied, reasons: [] }],
    ["decision", { decision: true }, MALFORMED],
    ["decision", {}, MALFORMED],
    ["decision", { decision: "allow", allow: true }, MALFORMED],
    ["decision", { decision: "allow", reason: 1 }, MALFORMED],
    ["decision", allowed, MALFORMED],
    ["regate", { decision: "allow" }, MALFORMED],
  ];
  it.each(dialects)("dialect %s: %j", (dialect, document, decision) => {
    expect(parse(document, dialect)).toEqual(decision);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, Entrypoint } from "../../src/policy/engine.ts";
import { loadEngine } from "../../src/policy/load.ts";
import { buildBundle, closeBuilds, decisionOf } from "./support/build.ts";

const SLOW = 180_000;
const FAILED = {
  allow: false,
  reasons: [{ code: "policy.error", rule: "engine", message: "policy: evaluation failed" }],
  deny_reason: "policy: evaluation failed",
  effect: "none",
  confirm: "none",
};
/** Allows `{ok: true}`, aborts by a conflict on `{conflict: true}`, echoes text made by builtins. */
const PROBE = decisionOf(
  '{"allow": ok, "reasons": [], "effect": "none", "confirm": "none", "deny_reason": text}',
  `default ok := false
ok if input.ok == true
default text := ""
text := "one" if input.conflict == true
text := "two" if input.conflict == true
text := sprintf("%v of %v", [input.n, {"zeta", "alpha", "b10", "b9"}]) if input.n
text := concat(",", regex.find_n(input.pattern, "abcabc", -1)) if input.pattern`,
);
let bundle: Uint8Array;
let engine: Engine;

beforeAll(async () => {
  bundle = await buildBundle(PROBE);
  engine = await loadEngine(bundle);
}, SLOW);
afterAll(closeBuilds);

describe("engine", { timeout: SLOW }, () => {
  it("allows what the policy allows and denies the rest", () => {
    expect(engine.decide({ ok: true })).toEqual({ allow: true, reasons: [], effect: "none", confirm: "none" });
    expect(engine.decide({ ok: "true" }).allow).toBe(false);
  });

  it("hands sets to builtins in Rego's order, and numbers as they are", () => {
    expect(engine.decide({ n: 12 }).deny_reason).toBe('12 of {"alpha", "b10", "b9", "zeta"}');
    expect(engine.decide({ n: 1.5 }).deny_reason).toBe('1.5 of {"alpha", "b10", "b9", "zeta"}');
    expect(engine.decide({ n: { b: [], a: null } }).deny_reason).toBe('{"a": null, "b": []} of {"alpha", "b10", "b9", "zeta"}');
    expect(engine.decide({ pattern: "b." }).deny_reason).toBe("bc,bc");
  });

  it("denies when the policy aborts, and decides the next call", () => {
    for (let round = 0; round < 3; round += 1) {
      expect(engine.decide({ conflict: true })).toEqual(FAILED);
      expect(engine.decide({ ok: true }).allow).toBe(true);
    }
  });

  it("takes a builtin's error as undefined, and a limit of the engine as an abort", () => {
    expect(engine.decide({ pattern: "(" })).toEqual({ allow: false, reasons: [], effect: "none", confirm: "none" });
    expect(engine.decide({ pattern: `${"(".repeat(300)}${")".repeat(300)}` })).toEqual(FAILED);
  });

  const noInput: readonly unknown[] = [
    undefined,
    null,
    true,
    0,
    "",
    '{"ok":true}',
    [],
    [{ ok: true }],
    () => ({ ok: true }),
    Symbol("s"),
    1n,
    new Map([["ok", true]]),
    Buffer.from('{"ok":true}'),
  ];
  it.each(noInput.map((value) => [value]))("denies what is no JSON object: %s", (value) => {
    expect(engine.decide(value)).toEqual(FAILED);
  });

  it("denies an entrypoint that the module does not have", () => {
    for (const name of ["gate/listing", "gate/other", "", "__proto__", "constructor", 0, -1, 99, 1.5, null]) {
      expect(engine.decide({ ok: true }, name as Entrypoint)).toEqual(FAILED);
    }
    expect(engine.decide({ ok: true }).allow).toBe(true);
  });

  it("denies an input whose own code throws", () => {
    const trap = new Proxy(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new Error("trap");
        },
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    );
    expect(engine.decide(trap)).toEqual(FAILED);
    expect(
      engine.decide({
        get ok(): boolean {
          throw new Error("trap");
        },
      }),
    ).toEqual(FAILED);
  });

  it("tells its listener what went wrong, and nobody else", async () => {
    const faults: string[] = [];
    const heard = await loadEngine(bundle, { onFault: (fault) => faults.push(fault.message) });
    heard.decide({ conflict: true });
    heard.decide({ n: Number.NaN });
    heard.decide({}, "gate/listing");
    expect(faults).toEqual([
      "policy aborted: policy.rego:7:1: var assignment conflict",
      "input has a number that is not finite",
      "module has no entrypoint `gate/listing`",
    ]);
    const broken = await loadEngine(bundle, {
      onFault: () => {
        throw new Error("listener");
      },
    });
    expect(broken.decide({ conflict: true })).toEqual(FAILED);
  });

  it("denies after close", async () => {
    const closed = await loadEngine(bundle);
    expect(closed.decide({ ok: true }).allow).toBe(true);
    closed.close();
    closed.close();
    expect(closed.decide({ ok: true })).toEqual(FAILED);
  });

  it("shows callers nothing that they could change", () => {
    expect([engine, engine.data].every((part) => Object.isFrozen(part))).toBe(true);
    const first = engine.decide({ ok: true });
    expect(() => Object.assign(first, { allow: false })).toThrow(TypeError);
    expect(() => (first.reasons as unknown[]).push(1)).toThrow(TypeError);
    expect(engine.decide({ ok: true })).toEqual({ allow: true, reasons: [], effect: "none", confirm: "none" });
  });

  it("has a limit of its own for inputs", async () => {
    const small = await loadEngine(bundle, { maxInputBytes: 40 });
    expect(small.decide({ ok: true }).allow).toBe(true);
    expect(small.decide({ ok: true, more: "x".repeat(40) })).toEqual(FAILED);
  });

  it("can check what the policy does not read", async () => {
    const [read, whole] = [await loadEngine("default"), await loadEngine("default", { check: "whole" })];
    const call = {
      command: "whoami",
      agent: { id: "a", session_id: "s" },
      session_id: "s",
      tool: { command_key: null, known: true, read_only: true },
    };
    expect([read.decide(call).allow, whole.decide(call).allow]).toEqual([true, true]);
    for (const arguments_ of [
      { a: "\ud800" },
      { a: Number.NaN },
      { a: 2 ** 53 },
      Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), 1),
    ]) {
      expect(read.decide({ ...call, arguments: arguments_ }).allow).toBe(true);
      expect(whole.decide({ ...call, arguments: arguments_ })).toEqual(FAILED);
    }
  });

  it("reads a foreign dialect when told to", async () => {
    const foreign = await buildBundle(decisionOf('{"decision": d, "reason": "r"}', 'default d := "deny"\nd := "allow" if input.ok'));
    const own = await loadEngine(foreign);
    expect(own.decide({ ok: true }).reasons[0]?.code).toBe("policy.malformed");
    const translated = await loadEngine(foreign, { dialect: "decision" });
    expect([translated.decide({ ok: true }).allow, translated.decide({}).deny_reason]).toEqual([true, "r"]);
  });

  it.each([
    ["an undefined decision", "x if input.never", "policy.no_decision"],
    ["a decision that is text", '"allow"', "policy.malformed"],
    ["an empty decision", "{}", "policy.default_deny"],
    ["allow as text", '{"allow": "yes"}', "policy.non_boolean_allow"],
  ])("denies %s (law 3)", async (_what, expression, code) => {
    const source = expression.startsWith("x if") ? { rego: "package gate\ndecision := 1 if input.never\n" } : decisionOf(expression);
    const odd = await loadEngine(await buildBundle(source));
    expect(odd.decide({}).reasons.map((reason) => reason.code)).toEqual([code]);
  });

  it("gives the same refusal whatever order a set has in WASM (trials W02)", async () => {
    const names = ["zeta", "alpha", "b10", "b9", "mid"];
    const set = names.map((name) => `{"code": "c.${name}", "rule": "r", "message": "${name}"}`).join(", ");
    const many = await loadEngine(
      await buildBundle(decisionOf(`{"allow": false, "reasons": {${set}}, "effect": "none", "confirm": "none"}`)),
    );
    expect(many.decide({}).reasons.map(({ message }) => message)).toEqual(["alpha", "b10", "b9", "mid", "zeta"]);
  });
});

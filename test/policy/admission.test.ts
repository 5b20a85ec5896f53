import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { admitModule, usedBuiltins } from "../../src/policy/admission.ts";
import type { BundleError } from "../../src/policy/bundle-error.ts";
import { NEVER_ALLOWED, WRONG_IN_WASM } from "../../src/policy/wasm-builtins.ts";
import { buildBundle, closeBuilds, decisionOf, unpack } from "./support/build.ts";

const SLOW = 180_000;
const DATA = Buffer.from("{}");
let plain: Uint8Array;

beforeAll(async () => {
  plain = await moduleOf('{"allow": false}');
}, SLOW);
afterAll(closeBuilds);

async function moduleOf(expression: string, more = "", print = false): Promise<Uint8Array> {
  return unpack(await buildBundle({ ...decisionOf(expression, more), print })).get("policy.wasm") ?? new Uint8Array();
}

async function refusal(wasm: Uint8Array): Promise<readonly string[]> {
  try {
    await admitModule(wasm, DATA);
    return ["admitted"];
  } catch (error) {
    return [(error as BundleError).code, (error as BundleError).message];
  }
}

/** The same bytes with one text replaced by another of the same length. */
function patched(wasm: Uint8Array, from: string, to: string): Uint8Array {
  const bytes = Buffer.from(wasm);
  const at = bytes.indexOf(from, 0, "latin1");
  if (at < 0 || from.length !== to.length) throw new Error(`nothing to patch: ${from}`);
  bytes.write(to, at, "latin1");
  return bytes;
}

/** The same module without one of its custom sections. */
function withoutCustom(wasm: Uint8Array, name: string): Uint8Array {
  const kept = [wasm.subarray(0, 8)];
  for (let at = 8; at < wasm.length;) {
    let [length, shift, next] = [0, 0, at + 1];
    for (let more = true; more; next += 1) {
      const byte = wasm[next] ?? 0;
      length |= (byte & 0x7f) << shift;
      shift += 7;
      more = byte >= 0x80;
    }
    const isIt = wasm[at] === 0 && Buffer.from(wasm.subarray(next + 1, next + 1 + name.length)).toString() === name;
    if (!isIt) kept.push(wasm.subarray(at, next + length));
    at = next + length;
  }
  return Buffer.concat(kept);
}

describe("admitModule", { timeout: SLOW }, () => {
  it("admits a module of OPA's compiler and says what it is", async () => {
    const { instance, facts, image } = await admitModule(plain, DATA);
    expect(instance.abi).toEqual({ version: 1, minor: 3 });
    expect([...instance.entrypoints]).toEqual([["gate/decision", 0]]);
    expect(facts.rulePaths).toEqual([["gate", "decision"]]);
    expect(facts.memory.minimum).toBeGreaterThanOrEqual(2);
    expect(image.memory.initial).toBeGreaterThan(facts.memory.minimum);
    expect(image.memory.maximum).toBe(2048);
  });

  it("reads the builtins in use out of the module's own code", async () => {
    const rego = 'helper(x) := upper(x) if startswith(x, "a")\nother contains y if some y in split(sprintf("%s", [helper(input.a)]), ",")';
    const { instance, facts } = await admitModule(await moduleOf('{"allow": count(other) > 2}', rego), DATA);
    expect([...usedBuiltins(facts, instance)].toSorted()).toEqual(["count", "gt", "split", "sprintf", "startswith", "upper"]);
    expect(facts.hostCalls).toEqual([{ id: instance.builtins.get("sprintf"), arity: 2 }]);
  });

  it("takes the memory that the module asks for (trials W07)", async () => {
    const rules = Array.from({ length: 1000 }, (_, index) => `r contains "reason number ${index}" if input.n == ${index}`).join("\n");
    const { instance, facts } = await admitModule(await moduleOf('{"allow": count(r) == 1}', rules), DATA);
    expect(facts.memory.minimum).toBeGreaterThan(2);
    expect(JSON.parse(instance.evaluate(0, '{"n":999}'))).toEqual([{ result: { allow: true } }]);
  });

  const natives: readonly (readonly [string, string])[] = [
    ["replace", 'replace(input.a, "", "x") == "y"'],
    ["json.marshal", 'json.marshal(input.a) == "y"'],
    ["json.unmarshal", "json.unmarshal(input.a) == 1"],
    ["json.is_valid", "json.is_valid(input.a)"],
    ["indexof", 'indexof(input.a, "") == 0'],
    ["format_int", 'format_int(input.a, 10) == "1"'],
    ["base64.decode", 'base64.decode(input.a) == "y"'],
    ["base64.is_valid", "base64.is_valid(input.a)"],
    ["base64url.decode", 'base64url.decode(input.a) == "y"'],
    ["numbers.range", "count(numbers.range(1, input.a)) == 1"],
    ["object.union_n", "count(object.union_n(input.a)) == 1"],
    ["regex.find_all_string_submatch_n", 'count(regex.find_all_string_submatch_n("a", input.a, -2)) == 1'],
  ];
  it.each(natives)("refuses `%s`, which the WASM runtime gets wrong, wherever it is called", async (name, expression) => {
    const reason = WRONG_IN_WASM.get(name)?.reason;
    const want = ["bundle.builtin", `builtin \`${name}\` is wrong in WASM: ${reason}`];
    expect(await refusal(await moduleOf(`{"allow": ${expression}}`))).toEqual(want);
    expect(await refusal(await moduleOf('{"allow": data.gate.deep.f(1)}', `deep.f(_) if ${expression}`))).toEqual(want);
  });

  it.each([
    ["time.now_ns", "time.now_ns() > 0"],
    ["rand.intn", 'rand.intn("x", 5) == 1'],
    ["http.send", 'http.send({"method": "get", "url": input.a}).status_code == 200'],
    ["opa.runtime", "opa.runtime().env.HOME == input.a"],
    ["uuid.rfc4122", 'uuid.rfc4122(input.a) == "x"'],
    ["net.lookup_ip_addr", "count(net.lookup_ip_addr(input.a)) == 1"],
  ])("refuses `%s`, which no policy may use", async (name, expression) => {
    expect(await refusal(await moduleOf(`{"allow": ${expression}}`))).toEqual([
      "bundle.builtin",
      `builtin \`${name}\` is not allowed: ${NEVER_ALLOWED.get(name)}`,
    ]);
  });

  it("refuses print, which writes to stdout", async () => {
    const wasm = await moduleOf('{"allow": x}', "default x := false\nx if { print(input.a); input.a == 1 }", true);
    expect(await refusal(wasm)).toEqual([
      "bundle.builtin",
      `builtin \`internal.print\` is not allowed: ${NEVER_ALLOWED.get("internal.print")}`,
    ]);
  });

  it("refuses a builtin that it does not provide", async () => {
    expect(await refusal(await moduleOf('{"allow": yaml.is_valid(input.a)}'))).toEqual([
      "bundle.builtin",
      "builtin `yaml.is_valid` is not provided",
    ]);
  });

  it("refuses a module that calls a builtin under another name, and one that it does not name", async () => {
    const wasm = await moduleOf('{"allow": strings.count(input.a, "x") == 1}');
    expect(await refusal(patched(wasm, "strings.count", "semver.isolid"))).toEqual([
      "bundle.builtin",
      "builtin `semver.isolid` is not provided",
    ]);
    expect(await refusal(patched(wasm, "strings.count", "time.weekday\0"))).toEqual([
      "bundle.builtin",
      "builtin `time.weekday` is called with 2 operands",
    ]);
  });

  it.each([
    ["nothing", () => new Uint8Array(0)],
    ["text", () => Buffer.from("no module")],
    ["half a module", () => plain.subarray(0, plain.length / 2)],
  ])("refuses %s", async (_what, wasm) => {
    expect(await refusal(wasm())).toEqual(["bundle.module", "policy.wasm is cut off or not a WebAssembly module"]);
  });

  it("refuses a module with another surface than OPA's ABI", async () => {
    const empty = Buffer.from("\0asm\x01\0\0\0", "latin1");
    expect(await refusal(empty)).toEqual(["bundle.module", "module does not export `builtins`: not an OPA policy of ABI 1.3"]);
    expect(await refusal(patched(plain, "opa_value_add_path", "opa_value_xxx_path"))).toEqual([
      "bundle.module",
      "module does not export `opa_value_add_path`: not an OPA policy of ABI 1.3",
    ]);
    expect(await refusal(patched(plain, "opa_abort", "opa_exit0"))).toEqual([
      "bundle.module",
      "module imports `env.opa_exit0`, which is not in OPA's ABI",
    ]);
  });

  it("refuses another ABI version", async () => {
    // The two globals are the last `i32.const n; end` of their section: 1 and 3.
    const marker = Buffer.from([0x7f, 0x00, 0x41, 0x01, 0x0b, 0x7f, 0x00, 0x41, 0x03, 0x0b]);
    const at = Buffer.from(plain).indexOf(marker);
    expect(at).toBeGreaterThan(0);
    const other = (offset: number, value: number) => {
      const bytes = Buffer.from(plain);
      bytes[at + offset] = value;
      return bytes;
    };
    expect(await refusal(other(3, 2))).toEqual(["bundle.module", "module has ABI version 2.3, not 1.3"]);
    expect(await refusal(other(8, 1))).toEqual(["bundle.module", "module has ABI version 1.1, not 1.3"]);
    expect(await refusal(other(8, 4))).toEqual(["admitted"]);
  });

  it("refuses a module without function names, because nothing could be said about its builtins", async () => {
    expect(await refusal(withoutCustom(plain, "name"))).toEqual([
      "bundle.module",
      "module cannot be checked: module has no function names, so the builtins in it cannot be checked",
    ]);
    expect(await refusal(withoutCustom(plain, "producers"))).toEqual(["admitted"]);
  });
});

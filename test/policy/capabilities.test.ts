import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOST_BUILTINS } from "../../src/policy/builtins/registry.ts";
import { cutCapabilities } from "../../src/policy/capabilities.ts";
import type { Capabilities } from "../../src/policy/capabilities.ts";
import { openToolchain } from "../../src/rego/toolchain.ts";

interface Cut {
  readonly builtins: readonly { readonly name: string }[];
}

const toolchain = openToolchain({ limitMs: 600_000 });
let current: Capabilities = { builtins: [] };
beforeAll(async () => {
  const outcome = await toolchain.capabilities();
  if (outcome.ok) current = outcome.value as unknown as Capabilities;
});
afterAll(() => toolchain.close());

const committed = JSON.parse(readFileSync("policy/capabilities.json", "utf8")) as Cut;
const names = committed.builtins.map(({ name }) => name);

const check = (text: string) =>
  toolchain.check({
    files: new Map([["x.rego", `package x\n\n${text}\n`]]),
    capabilities: JSON.parse(readFileSync("policy/capabilities.json", "utf8")) as object as Record<string, never>,
  });

describe("policy/capabilities.json", () => {
  it("is the cut of this OPA's capabilities (else run scripts/generate-capabilities.mjs)", () => {
    expect(cutCapabilities(current)).toEqual(committed);
    expect(readFileSync("policy/capabilities.json", "utf8")).toBe(`${JSON.stringify(committed, null, 2)}\n`);
  });

  it("declares each builtin as OPA does, but for `concat`", () => {
    const declared = new Map(current.builtins.map((builtin) => [builtin.name, builtin] as const));
    const changed = committed.builtins.filter((builtin) => JSON.stringify(builtin) !== JSON.stringify(declared.get(builtin.name)));
    expect(changed.map(({ name }) => name)).toEqual(["concat"]);
  });

  it.each(
    [
      ["replace", "base64.decode", "base64.is_valid", "base64url.decode", "json.is_valid", "json.unmarshal", "json.marshal"],
      ["indexof", "format_int", "numbers.range", "object.union_n", "regex.find_all_string_submatch_n", "internal.template_string"],
      ["http.send", "net.lookup_ip_addr", "opa.runtime", "rand.intn", "time.now_ns", "uuid.rfc4122", "trace", "print"],
      ["internal.print", "io.jwt.decode", "rego.parse_module", "json.match_schema"],
    ].flat(),
  )("leaves out %s", (name) => {
    expect(names).not.toContain(name);
  });

  it("has what the shipped rules and common policies need", () => {
    for (const name of ["count", "sort", "object.get", "startswith", "contains", "concat", "lower", ...HOST_BUILTINS.keys()]) {
      expect(names).toContain(name);
    }
  });

  it.each([
    ["a builtin that never returns", 'a := replace(input.x, "", "y")', "undefined function replace"],
    ["the network", 'a := http.send({"method": "get", "url": "http://x"})', "undefined function http.send"],
    ["the clock", "a := time.now_ns()", "undefined function time.now_ns"],
    ["printing", 'a if { print("x") }', "undefined function internal.print"],
    ["text made from a set", 'a := concat(",", {"b", "c"})', "concat: invalid argument(s)"],
    ["a template string", 'a := $"{input.x}"', "template strings are not supported"],
  ])("refuses %s", async (_note, text, message) => {
    const outcome = await check(text);
    expect(outcome.ok ? "accepted" : outcome.text).toContain(message);
  });

  it.each([
    ["text made from an array", 'a := concat(",", ["b", "c"])'],
    ["a negation that is true over something undefined", 'import future.keywords.not\n\na if not startswith(input.x, "y")'],
    ["imports of older keywords", "import rego.v1\n\nimport future.keywords.in\n\na if 1 in [1]"],
    ["a host builtin", 'a := sprintf("%d", [1])'],
  ])("accepts %s", async (_note, text) => {
    const outcome = await check(text);
    expect(outcome.ok ? "accepted" : outcome).toBe("accepted");
  });

  it("refuses to be cut from the capabilities of another OPA", () => {
    const older = { ...current, builtins: current.builtins.filter(({ name }) => name !== "strings.count") };
    expect(() => cutCapabilities(older)).toThrow("capabilities lack `strings.count`");
    expect(() => cutCapabilities({ builtins: current.builtins })).toThrow("capabilities lack `keywords_in_refs`, `rego_v1`");
  });
});

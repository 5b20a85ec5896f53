import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { fitsTemplate } from "../../src/server/uri-template.ts";

/** The same said with a pattern: right, and slow for hostile texts. */
function byPattern(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join("[^]+?")}$`).test(uri);
}

describe("a uri and a template (CVE-2026-0621)", () => {
  it.each([
    ["test://a", "test://a", true],
    ["test://a", "test://ab", false],
    ["test://t/{id}", "test://t/7", true],
    ["test://t/{id}", "test://t/", false],
    ["test://t/{id}/x", "test://t/7/x", true],
    ["test://t/{id}/x", "test://t//x", false],
    ["{a}{b}", "xy", true],
    ["{a}{b}", "x", false],
    ["{a}-{b}-{c}", "1-2-3", true],
    ["{a}-{b}-{c}", "1--3", false],
    ["a{b}a", "a", false],
    ["test://{+path}", "test://a/b?c", true],
  ])("%s and %s: %s", (template, uri, want) => {
    expect(fitsTemplate(template, uri)).toBe(want);
  });

  it("says what a pattern would say", () => {
    const text = string({ unit: constantFrom("a", "b"), maxLength: 4 });
    const template = array(text, { minLength: 1, maxLength: 4 }).map((literals) => literals.join("{x}"));
    assert(
      property(template, string({ unit: constantFrom("a", "b"), maxLength: 12 }), (one, uri) => {
        expect(fitsTemplate(one, uri)).toBe(byPattern(one, uri));
      }),
      { numRuns: 2_000 },
    );
  });

  it("a long uri fits no template, and is compared with none", () => {
    expect(fitsTemplate("a{x}", "a".repeat(65_536))).toBe(true);
    expect(fitsTemplate("a{x}", "a".repeat(65_537))).toBe(false);
    expect(fitsTemplate("a".repeat(65_537), "a".repeat(65_537))).toBe(true);
  });

  // Each of these would take hours or for ever if the search started over, or backtracked; the test's own limit is what fails then.
  it.each([
    ["a literal that nearly repeats", `{x}${"a".repeat(30_000)}b${"a".repeat(30_000)}{y}`, "a".repeat(65_536)],
    ["very many expressions", "{x}a".repeat(30_000), "a".repeat(65_535)],
    ["expressions side by side", "{x}".repeat(40_000), "a".repeat(39_999)],
    ["open braces", "{".repeat(100_000), "a".repeat(65_536)],
    ["nested braces", "{a,{".repeat(20_000) + "}".repeat(20_000), "a".repeat(65_536)],
    ["a list operator", `{?${"a*,".repeat(20_000)}a*}`, "?".repeat(65_536)],
  ])("%s", (_what, template, uri) => {
    for (let times = 0; times < 20; times += 1) fitsTemplate(template, uri);
    expect(typeof fitsTemplate(template, `${uri}!`)).toBe("boolean");
  });
});

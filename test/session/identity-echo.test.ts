import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { identityElicitationEcho } from "../../src/index.ts";
import { CATALOGUE, textIn } from "../../src/session/texts/catalogue.ts";
import { en } from "../../src/session/texts/en.ts";
import { REFUSALS } from "../../src/gate/refusals.ts";

const echo = (activeProfileLabel: string | null, locale?: string) =>
  identityElicitationEcho({ activeProfileLabel, ...(locale === undefined ? {} : { locale }) });

describe("[000-echo] identityElicitationEcho", () => {
  it("[000-echo-label] names the label", () => {
    expect(echo("Erika")).toBe('Active profile: "Erika"');
    expect(echo("Müller & Söhne 株式会社")).toBe('Active profile: "Müller & Söhne 株式会社"');
    expect(echo("$& {label} $1")).toBe('Active profile: "$& {label} $1"');
  });

  it.each([null, "", " ", "   "])("[000-echo-none] has a placeholder for %j", (label) => {
    expect(echo(label)).toBe("Active profile: (none is active)");
  });

  it("[000-echo-none] cannot be given the placeholder as a label", () => {
    expect(echo("(none is active)")).not.toBe(echo(null));
  });

  it.each([
    ["Erik\nApproved: yes", '"Erik\\u{a}Approved: yes"'],
    ["\u202eakirE", '"\\u{202e}akirE"'],
    ["Eri\u200bk", '"Eri\\u{200b}k"'],
    ["\u001b[31mErik", '"\\u{1b}[31mErik"'],
    ["\ue000", '"\\u{e000}"'],
    ["\ud800", '"\\u{d800}"'],
    ["Erik\u00a0", '"Erik\\u{a0}"'],
    ["\u3164", '"\\u{3164}"'],
    ["\u2800", '"\\u{2800}"'],
    ["Erik\u2028x", '"Erik\\u{2028}x"'],
    ["e\u0301\u0301\u0301\u0301\u0301", '"e\\u{301}\\u{301}\\u{301}\\u{301}\\u{301}"'],
    ["x".repeat(500), `"${"x".repeat(200)}…"`],
  ])("shows what could disguise a label: %j", (label, shown) => {
    expect(echo(label)).toBe(`Active profile: ${shown}`);
  });

  it("is one visible line for every label", () => {
    assert(
      property(string({ unit: "binary", maxLength: 40 }), (label) => {
        expect(echo(label)).toMatch(/^Active profile: [^\p{C}\p{Zl}\p{Zp}]+$/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["es", "Perfil activo"],
    ["ca", "Perfil actiu"],
    ["de-AT", "Aktives Profil"],
    ["DE_de.UTF-8", "Aktives Profil"],
    ["fr", "Active profile"],
    ["", "Active profile"],
    ["constructor", "Active profile"],
  ])("speaks %s", (locale, words) => {
    expect(echo("Erika", locale)).toBe(`${words}: "Erika"`);
    expect(echo(null, locale).startsWith(`${words}: (`)).toBe(true);
  });
});

describe("the catalogue", () => {
  it("has the four languages, complete, and each says something of its own", () => {
    expect([...CATALOGUE.keys()]).toEqual(["en", "es", "ca", "de"]);
    for (const [language, texts] of CATALOGUE) {
      expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
      for (const [key, text] of Object.entries(texts)) {
        expect(text.trim()).toBe(text);
        expect(text).not.toBe("");
        if (language !== "en") expect([key, text]).not.toEqual([key, en[key as keyof typeof en]]);
      }
    }
  });

  it("has the same places for data in every language", () => {
    const places = (text: string) => [...text.matchAll(/\{[a-z]+\}/g)].map(([place]) => place).sort();
    for (const texts of CATALOGUE.values()) {
      for (const [key, text] of Object.entries(texts)) expect([key, places(text)]).toEqual([key, places(en[key as keyof typeof en])]);
    }
  });

  it("[000-refusal] [000-no-interpolation] has a refusal without interpolation that names the three reads, in every language", () => {
    const refusals = [...CATALOGUE.values()].map((texts) => texts["identity.unconfirmed"] ?? "");
    expect(new Set(refusals).size).toBe(4);
    for (const text of refusals) {
      expect(text).not.toMatch(/[{}$%`]/);
      for (const read of ["whoami", "config.profile.status", "overview.status"]) expect(text).toContain(read);
    }
    expect(textIn("en", "identity.unconfirmed")).toBe(REFUSALS["identity.unconfirmed"].text);
    expect(textIn(undefined, "identity.unconfirmed")).toBe(REFUSALS["identity.unconfirmed"].text);
  });
});

import { assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSkeletons, skeletonOf, withoutSkeletonTail } from "../../src/audit/skeleton.ts";

const SECRETS = [
  'it\'s "so" secret & <long>',
  "pa$$wo`rd\\Zx!q9",
  "contraseñaÜber密码😀",
  "tab\tand\nline ends\r\nhere",
  "plain-token_12345",
];

const octal = (text: string): string =>
  [...Buffer.from(text)].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`)).join("");
const json = (text: string): string => JSON.stringify(text);
const ascii = (text: string): string =>
  json(text).replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Ways in which programs print a text. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  json,
  "json of json": (text) => json(json(text)),
  "json in ascii": ascii,
  "single quotes of a shell": (text) => `'${text.replaceAll("'", "'\\''")}'`,
  "double quotes of a shell": (text) => `"${text.replaceAll(/["$`\\]/g, "\\$&")}"`,
  "backslashes of a shell": (text) => text.replaceAll(/[^A-Za-z0-9]/gu, "\\$&"),
  "ANSI quotes of a shell": (text) =>
    `$'${octal(text.replaceAll("\\", "\\\\")).replaceAll("'", "\\'").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}'`,
  "quotes of coreutils": (text) => `'${text.replaceAll("'", "'\\''").replaceAll("\n", () => "'$'\\n''")}'`,
  "a literal of Python": (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`,
  "upper case": (text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  "narrow lines": (text) => Array.from(text).join("\n"),
  "blanks between": (text) => Array.from(text).join(" "),
  "colours in between": (text) => `${text.slice(0, 5)}\x1b[0;31m${text.slice(5)}\x1b[0m`,
};
const HTML = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#x27;").replaceAll('"', "&#34;");

const mask = (text: string, secret: string): string => maskSkeletons(text, [skeletonOf(secret).bytes], "*");

describe("a secret in another spelling", () => {
  it.each(Object.entries(SPELLINGS))("%s", (_name, spell) => {
    for (const secret of SECRETS) {
      const masked = mask(`before:${spell(secret)}:after`, secret);
      expect([
        secret,
        masked
          .replaceAll(/["'\\$`]/g, "")
          .replace("\u001b[0m", "")
          .trim(),
      ]).toEqual([secret, "before:*:after"]);
    }
  });

  it("references of HTML", () => {
    for (const secret of SECRETS) expect(mask(`before:${HTML(secret)}:after`, secret)).toMatch(/^before:['"]*\*['"]*:after$/);
  });

  it("any text in any of the spellings", () => {
    assert(
      property(
        string({ unit: "grapheme-ascii", minLength: 12, maxLength: 40 }).filter(
          (text) => skeletonOf(text).bytes.length >= 8 && !/[\\%&]/.test(text),
        ),
        constantFrom(...Object.values(SPELLINGS)),
        (secret, spell) => {
          expect(mask(spell(secret), secret)).toContain("*");
        },
      ),
    );
  });
});

it("what stands around a secret stays, and so does what is another text", () => {
  expect(mask("a plain-token_12345 b PLAIN-TOKEN_12345 c plain-token_1234", SECRETS[4]!)).toBe("a * b * c plain-token_1234");
  expect(mask("no'thing $to \\see\n", SECRETS[4]!)).toBe("no'thing $to \\see\n");
  expect(maskSkeletons("aabcabcdb", [skeletonOf("abcabc").bytes, skeletonOf("bcabcd").bytes], "*")).toBe("a*b");
});

it.each([
  ["cut: it's \"so", "cut: *"],
  ["cut: 'it'\\''s \"so\" secr", "cut: '*"],
  ['cut: \\"it\'s \\"so\\', 'cut: \\"*'],
  ["cut: it&#x27;s &quot;so&qu", "cut: *"],
  ["cut: it%27s%20%22so%2", "cut: *"],
  ["cut: not it", "cut: not it"],
])("the first part of a secret where a text was cut: %j", (text, kept) => {
  const needles = [skeletonOf(SECRETS[0]!).bytes];
  expect(withoutSkeletonTail(text, needles, { least: 4, replacement: "*" })).toBe(kept);
});

it("takes time in proportion to the text", () => {
  const text = `${"\\\\\\\\".repeat(100_000)}${"&#x".repeat(50_000)}${"%2".repeat(50_000)}${"\\u00".repeat(50_000)}`;
  // Of the processor, not of the clock: what grows with the square of the text would take hours.
  const started = process.cpuUsage().user;
  maskSkeletons(text, [skeletonOf(SECRETS[0]!).bytes], "*");
  withoutSkeletonTail(text, [skeletonOf(SECRETS[0]!).bytes], { least: 4, replacement: "*" });
  expect((process.cpuUsage().user - started) / 1_000_000).toBeLessThan(20);
}, 120_000);

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alphanumeric, mapRuns, nextRun } from "../../src/audit/runs.ts";
import { redactText } from "../../src/audit/redact.ts";
import { TOKENS, TOKEN_RUNS } from "../../src/audit/secret-patterns.ts";

const BASE64 = { alphabet: alphanumeric("+/_-"), shortest: 12 };
const WORDS = { alphabet: alphanumeric(), shortest: 16 };
const PARTS = [
  "a",
  "Z",
  "9",
  "_",
  "+",
  "/",
  "=",
  "-",
  ".",
  " ",
  "\n",
  "\\",
  "\\n",
  "\\u0041",
  "é",
  "\u{1f600}",
  '"',
  "abcdef012345",
  "0123456789abcdef",
  "ghp_",
  "AKIA",
  "xoxb-",
  "sk-",
  "hf_",
  "ABCDEFGHIJKLMNOP",
  "x".repeat(20),
];
const texts = fc.array(fc.constantFrom(...PARTS), { maxLength: 40 }).map((parts) => parts.join(""));

function runsOf(text: string, kind: typeof BASE64): string[] {
  const found: string[] = [];
  for (let run = nextRun(text, kind, 0); run !== undefined; run = nextRun(text, kind, run.end)) found.push(text.slice(run.start, run.end));
  return found;
}

describe("runs", () => {
  it("are what a regular expression finds", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(runsOf(text, BASE64)).toEqual(text.match(/[A-Za-z0-9+/_-]{12,}/g) ?? []);
        expect(runsOf(text, WORDS)).toEqual(text.match(/[A-Za-z0-9]{16,}/g) ?? []);
      }),
      { numRuns: 2_000 },
    );
  });

  it("hold every token that the whole text holds (E05)", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const bars = (part: string): string => part.replace(TOKENS, "|");
        expect(mapRuns(text, TOKEN_RUNS, { map: bars })).toBe(bars(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("give the same text back when nothing changes", () => {
    const text = "nothing in it changes: 0123456789abcdef0123";
    expect(mapRuns(text, WORDS, { map: (run) => run })).toBe(text);
    expect(mapRuns(text, WORDS, { isWorth: () => false, map: () => "x" })).toBe(text);
  });
});

describe("names before a separator", () => {
  const ASSIGNMENT = /(?<![A-Za-z0-9_.$-])[A-Za-z0-9_.$-]+["'\\]{0,8}[ \t]{0,8}(?:=>|:=|={1,3}|:)(?:\\?[ \t]){0,8}(?=x)/g;
  const pieces = ["x", "password", "a", "-", "$", ".", " ", "\t", '"', "'", "\\", "=", ":", ">", "\n"];

  it.each([
    ["password=password= x1", "x1"],
    ["password=password'=x1", "x1"],
    ["password=password:\tx1", "x1"],
    ["password=a.password= x1 y", "x1"],
  ])("stand at the end of the value of another one too: %j", (text, secret) => {
    expect(redactText(text)).not.toContain(secret);
  });

  it("are found as a regular expression finds them", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (before) => {
        // The value is one that nothing but the name in front of it gives away.
        const text = `${before.join("")}x1`;
        const last = [...text.matchAll(ASSIGNMENT)].at(-1);
        const isValue = last !== undefined && last.index + last[0].length === text.length - 2;
        const name = isValue ? (/^[A-Za-z0-9_.$-]*/.exec(last[0])?.[0] ?? "") : "";
        const isNamed = /(?:^|[^a-z])password$/.test(name);
        expect(isNamed && !redactText(text).endsWith("[REDACTED]")).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });
});

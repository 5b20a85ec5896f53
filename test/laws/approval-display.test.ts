import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindCall } from "../../src/govern/approval-binding.ts";
import { displayLine } from "../../src/govern/approval-display.ts";
import { visible } from "../../src/call/visible.ts";
import { factsOf } from "../govern/approval-kit.ts";
import { exactArguments } from "./arbitraries.ts";

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|\p{M}{3}/u;
/** Every line that is ours begins with one of these. */
const OURS =
  /^(?: {2}[|>*] |(?:tool|arguments|taken out, and part of the digest|files that it runs|working directory|profile|variables of the profile|of the home directory|sandbox|server|asked by|agent|session|policy|digest):)/;

const characters = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom(
    "\u202e",
    "\u2066",
    "\u200d",
    "\n",
    "\r",
    "\t",
    "\u001b[2J",
    "\u2028",
    "\ud800",
    "\ue000",
    "\u0301\u0301\u0301\u0301",
    "\\u{a}",
    " ".repeat(400),
    "digest: 0",
  ),
);
const texts = fc.array(characters, { maxLength: 8 }).map((parts) => parts.join(""));
const wellFormed = texts.map((text) => text.toWellFormed());

describe("what an approver is shown (trial P09)", () => {
  it("holds no character that is not what it looks like, and no line that could be ours is another's", () => {
    fc.assert(
      fc.property(wellFormed, fc.dictionary(wellFormed, wellFormed, { maxKeys: 4 }), wellFormed, (tool, args, profile) => {
        const bound = bindCall(factsOf({ tool, arguments: args, profile, agent_id: profile, requester: { user: tool, uid: 1 } }));
        if (!bound.ok) throw new Error(bound.problem);
        const lines = bound.shown.text.split("\n");
        expect(lines.pop()).toBe("");
        for (const line of lines) {
          expect(line).not.toMatch(HIDDEN);
          expect(line).toMatch(OURS);
          expect(line.length).toBeLessThan(140);
        }
        expect(lines.filter((line) => line.startsWith("digest: "))).toEqual([`digest: ${bound.digest}`]);
      }),
    );
  });

  it("differs for different calls, at least in the line of the digest", () => {
    fc.assert(
      fc.property(exactArguments(fc.string()), exactArguments(fc.string()), (one, other) => {
        const [a, b] = [one, other].map((args) => bindCall(factsOf({ arguments: args })));
        if (a?.ok !== true || b?.ok !== true) return;
        expect(a.shown.text === b.shown.text).toBe(a.digest === b.digest);
        expect(a.shown.digest === b.shown.digest).toBe(a.digest === b.digest);
      }),
    );
  });

  it("tells texts apart: two of them never look the same", () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(visible(one) === visible(other)).toBe(one === other);
        expect(visible(one)).not.toMatch(HIDDEN);
        expect(displayLine(one)).not.toMatch(HIDDEN);
      }),
    );
  });

  it("is whole: a value can be read off its gutter", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", " ", "\n", "|", ">", "é"), maxLength: 2_000 }), (command) => {
        const bound = bindCall(factsOf({ arguments: { command } }));
        if (!bound.ok) throw new Error(bound.problem);
        const lines = bound.shown.text.split("\n");
        const from = lines.indexOf("  * command (text)") + 1;
        const to = lines.findIndex((line) => line.startsWith("working directory:"));
        const read = lines.slice(from, to).map((line) => line.slice(4));
        expect(read.join("").replaceAll("\\u{a}", "\n")).toBe(command);
      }),
    );
  });
});

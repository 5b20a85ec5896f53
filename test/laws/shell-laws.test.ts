import { assert, constantFrom, oneof, property, string, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { compose, payload, quote, wraps } from "./shell-compositions.ts";

const verdictOf = (command: string) => analyseCommand(command).verdict;

describe("metamorphic laws of the classifier (reference: shell.md §11.3)", () => {
  it("code that destroys stays flagged in any wrappers", () => {
    assert(
      property(payload, wraps, (code, around) => {
        expect(verdictOf(compose(code, around, "target"))).not.toBe("clear");
      }),
      { numRuns: 5000 },
    );
  });

  it("a comment, a text of echo and a quoted here-document into cat are clear, whatever they hold", () => {
    assert(
      property(payload, wraps, (code, around) => {
        const text = compose(code, around, "target");
        expect(verdictOf(`ls # ${text.replaceAll("\n", " ")}`)).toBe("clear");
        expect(verdictOf(`echo ${quote(text)}`)).toBe("clear");
        expect(verdictOf(`cat <<'END OF TEXT'\n${text}\nEND OF TEXT`)).toBe("clear");
        expect(verdictOf(`grep -F ${quote(text)} notes.txt; git commit -m ${quote(text)}`)).toBe("clear");
      }),
      { numRuns: 2000 },
    );
  });

  it("a harmless command beside it changes nothing, before or after", () => {
    assert(
      property(payload, wraps, constantFrom("ls", "echo ok", "cd src", "x=1", "true"), (code, around, harmless) => {
        const text = compose(code, around, "target");
        expect(verdictOf(`${harmless}\n${text}`)).not.toBe("clear");
        expect(verdictOf(`${text}\n${harmless}`)).not.toBe("clear");
      }),
      { numRuns: 2000 },
    );
  });

  it("text matching only adds findings", () => {
    assert(
      property(payload, (code) => {
        const words = analyseCommand(code.text).findings;
        const text = analyseCommand(code.text, { match: "text" }).findings;
        expect(text.filter((finding) => finding.rule !== "text.fragment")).toEqual(words);
      }),
    );
  });
});

const UNITS = "rm -f;|&<>(){}[]$`'\"\\\n\t #!*?~=x1@:,./%^+-".split("");

const noise = oneof(
  string({ unit: constantFrom(...UNITS) }),
  string({ unit: "binary" }),
  uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
);

describe("any text (reference: shell.md §11.5)", () => {
  it("has a result of the same form, never an exception, and the same one again", () => {
    assert(
      property(noise, (command) => {
        const analysis = analyseCommand(command);
        expect(analysis.findings.length).toBeLessThanOrEqual(64);
        expect(analysis.verdict === "clear").toBe(analysis.findings.length === 0);
        expect(analysis.findings.every(({ start, end }) => start >= 0 && start <= end && end <= command.length)).toBe(true);
        expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis);
        expect(analyseCommand(command)).toEqual(analysis);
      }),
      { numRuns: 20_000 },
    );
  });
});

import { describe, expect, it } from "vitest";
import { visible, visiblePieces } from "../../src/call/visible.ts";

describe("visible", () => {
  it.each([
    ["echo ok \u202e; mr- /srv/app\u202c", "echo ok \\u{202e}; mr- /srv/app\\u{202c}"],
    ["a\u200bb\u00adc\ufeffd", "a\\u{200b}b\\u{ad}c\\u{feff}d"],
    ["\u001b[2J\u0007", "\\u{1b}[2J\\u{7}"],
    ["line\nnext\r\tend", "line\\u{a}next\\u{d}\\u{9}end"],
    ["a\u2028b\u2029c\u0085d", "a\\u{2028}b\\u{2029}c\\u{85}d"],
    ["a\u00a0b\u2003c\u3000d", "a\\u{a0}b\\u{2003}c\\u{3000}d"],
    ["\ue000\ud800x\u{10fffd}", "\\u{e000}\\u{d800}x\\u{10fffd}"],
    ["\u115f\u3164\u2800\u034f\ufe0f", "\\u{115f}\\u{3164}\\u{2800}\\u{34f}\\u{fe0f}"],
    ["\u{e0041}\u0378", "\\u{e0041}\\u{378}"],
    ["plain text, ÄÖÜ é 日本 🎉", "plain text, ÄÖÜ é 日本 🎉"],
    ["e\u0301 and e\u0301\u0323\u0330\u0331", "e\u0301 and e\u0301\u0323\\u{330}\\u{331}"],
    ["\u0301 \u0301", "\\u{301} \\u{301}"],
    ["\\u{202e}", "\\u{5c}u{202e}"],
    ["\\n \\u202e", "\\n \\u202e"],
  ])("%j", (text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(visiblePieces(text).join("")).toBe(shown);
  });
});

import { describe, expect, it } from "vitest";
import { parseDuration } from "../../src/govern/duration.ts";

describe("parseDuration", () => {
  it.each([
    ["1s", 1_000],
    ["90s", 90_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["24h", 86_400_000],
  ])("%s is %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(["", "0", "0s", "-1s", "25h", "24h1s", "abc", "10", "1.5h", " 1s", "1s ", "1S", "1d", "٣s", "9999999s", "1e3s"])(
    "`%s` is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

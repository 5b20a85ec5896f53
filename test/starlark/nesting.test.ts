import { describe, expect, it } from "vitest";
import { bracketNesting } from "../../src/starlark/nesting.ts";

describe("bracketNesting", () => {
  it.each([
    ["nothing", "", 0],
    ["no bracket", "x = 1", 0],
    ["one after the other", "f()\ng([])\nh({})", 2],
    ["all kinds", "([{(", 4],
    ["closed again", "(((1)))+((1))", 3],
    ["too many closed", ")))((", 2],
    ["a string", "x = \"((((\" + '[[[['", 0],
    ["an escaped quote", String.raw`x = "(\"((" + f("")`, 1],
    ["a backslash before the end", String.raw`x = "\\" + ((1))`, 2],
    ["a raw string", String.raw`x = r"\(((" + (1)`, 1],
    ["a long string", 'x = """(("\n(("" """ + (1)', 1],
    ["a long string of the other kind", "x = '''((\n((''' + ((1))", 2],
    ["a comment", "x = 1 # ((((\ny = (2)", 1],
    ["a hash in a string", 'x = "#" + ((1))', 2],
    ["a string that is never closed ends with its line", 'x = "((((\ny = (1)', 1],
    ["a long string that is never closed", 'x = """((((\n((((', 0],
    ["a quote in a comment", "# it's \"\nx = ((1))", 2],
  ])("%s", (_name, source, depth) => {
    expect(bracketNesting(source)).toBe(depth);
  });

  it.each([
    ["brackets", "(".repeat(65_536)],
    ["quotes", '"'.repeat(65_536)],
    ["backslashes", `"${"\\".repeat(65_535)}`],
    ["open long strings", `"""${'" '.repeat(32_000)}`],
  ])("64 KiB of %s take one pass", (_name, source) => {
    expect(bracketNesting(source)).toBe(source.startsWith("(") ? 65_536 : 0);
  });
});

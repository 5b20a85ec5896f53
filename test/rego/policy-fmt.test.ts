import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lineDiff } from "../../src/rego/line-diff.ts";
import { policyFmt } from "../../src/rego/policy-fmt.ts";
import type { PolicyFmtOptions } from "../../src/rego/policy-fmt.ts";
import { capture, sharedToolchain, SLOW, tree } from "./support.ts";

const toolchain = sharedToolchain();
const GOOD = "package a\n\np if input.x\n";
const UGLY = "package b\np if {   input.x }\n";
const PRETTY = "package b\n\np if input.x\n";
const FILES = { "p/good.rego": GOOD, "p/ugly.rego": UGLY, "p/data.json": "{}" };

async function fmt(options: Partial<PolicyFmtOptions>, cwd = tree(FILES)) {
  const { io, written } = capture();
  return { ...(await policyFmt({ cwd, toolchain, paths: ["p"], ...io, ...options })), ...written };
}

describe("policy fmt", () => {
  it("prints the formatted text", SLOW, async () => {
    expect(await fmt({ paths: ["p/ugly.rego"] })).toEqual({ exitCode: 0, out: PRETTY, err: "" });
  });

  it("lists what would change", SLOW, async () => {
    expect(await fmt({ list: true })).toEqual({ exitCode: 0, out: "p/ugly.rego\n", err: "" });
  });

  it("shows the difference", SLOW, async () => {
    const { exitCode, out } = await fmt({ diff: true });
    expect(exitCode).toBe(0);
    expect(out).toBe("--- a/p/ugly.rego\n+++ b/p/ugly.rego\n@@ -1,2 +1,3 @@\n package b\n-p if {   input.x }\n+\n+p if input.x\n");
  });

  it("fails on a difference, and names the file", SLOW, async () => {
    expect(await fmt({ fail: true })).toEqual({ exitCode: 2, out: "p/ugly.rego\n", err: "unexpected diff: 1 of 2 files\n" });
    expect(await fmt({ fail: true, paths: ["p/good.rego"] })).toEqual({ exitCode: 0, out: "", err: "" });
    expect((await fmt({ fail: true, diff: true })).exitCode).toBe(2);
    expect((await fmt({ fail: true, list: true })).out).toBe("p/ugly.rego\n");
  });

  it("writes the files, and then has nothing to do", SLOW, async () => {
    const cwd = tree(FILES);
    expect(await fmt({ overwrite: true }, cwd)).toEqual({ exitCode: 0, out: "", err: "" });
    expect(readFileSync(join(cwd, "p/ugly.rego"), "utf8")).toBe(PRETTY);
    expect(await fmt({ fail: true }, cwd)).toEqual({ exitCode: 0, out: "", err: "" });
  });

  it("is exit code 2 for a file that cannot be parsed; the others are formatted", SLOW, async () => {
    const cwd = tree({ ...FILES, "p/bad.rego": "package c\n\np if {\n" });
    const { exitCode, err } = await fmt({ overwrite: true }, cwd);
    expect(exitCode).toBe(2);
    expect(err).toContain("p/bad.rego:4:0: rego_parse_error");
    expect(readFileSync(join(cwd, "p/ugly.rego"), "utf8")).toBe(PRETTY);
  });

  it("reads v0 and writes what both versions read", SLOW, async () => {
    const cwd = tree({ "p/v0.rego": "package a\n\np { input.x }\n" });
    expect((await fmt({}, cwd)).exitCode).toBe(2);
    expect((await fmt({ v0Compatible: true }, cwd)).out).toBe("package a\n\np {\n\tinput.x\n}\n");
    expect((await fmt({ v0v1: true }, cwd)).out).toBe("package a\n\nimport rego.v1\n\np if input.x\n");
  });

  it("drops imports of the language when told to", SLOW, async () => {
    const cwd = tree({ "p/a.rego": "package a\n\nimport rego.v1\n\np if input.x\n" });
    expect((await fmt({ dropV0Imports: true }, cwd)).out).toBe(GOOD);
  });
});

describe("lineDiff", () => {
  const numbered = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, index) => `l${from + index}\n`).join("");

  it("shows three lines around each change and nothing else", () => {
    const before = numbered(1, 20);
    const after = before.replace("l5\n", "x\n").replace("l15\n", "");
    expect(lineDiff("a", before, after)).toBe(
      "--- a/a\n+++ b/a\n@@ -2,7 +2,7 @@\n l2\n l3\n l4\n-l5\n+x\n l6\n l7\n l8\n@@ -12,7 +12,6 @@\n l12\n l13\n l14\n-l15\n l16\n l17\n l18\n",
    );
  });

  it.each([
    ["added to nothing", "", "a\nb\n"],
    ["all removed", "a\nb\n", ""],
    ["all replaced", "a\nb\nc\n", "x\ny\n"],
    ["moved", "a\nb\nc\n", "b\nc\na\n"],
  ])("%s: the minus lines are the old text, the plus lines the new one", (_name, before, after) => {
    const lines = lineDiff("f", before, after).split("\n").slice(3, -1);
    const side = (but: string): string =>
      lines
        .filter((line) => !line.startsWith(but))
        .map((line) => `${line.slice(1)}\n`)
        .join("");
    expect([side("+"), side("-")]).toEqual([before, after]);
  });

  it("says when the last line has no newline", () => {
    expect(lineDiff("f", "a\nb", "a\nb\n")).toBe("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
  });
});

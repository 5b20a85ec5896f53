import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";

interface Case {
  readonly command: string;
  readonly destructive: boolean;
  readonly kind: string;
}

function readCases(file: string): Case[] {
  const text = readFileSync(new URL(`../cases/${file}`, import.meta.url), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
}

/** Commands whose label and verdict differ, with what was found. */
function wrong(cases: readonly Case[]): string[] {
  return cases.flatMap(({ command, destructive }) => {
    const { verdict, findings } = analyseCommand(command);
    return (verdict !== "clear") === destructive
      ? []
      : [`${command}: ${verdict} ${findings.map((finding) => finding.rule).join(" ")}`.trim()];
  });
}

describe("the case table (reference: shell.md §9)", () => {
  const cases = readCases("shell.jsonl");

  it("has 255 destructive and 102 other commands", () => {
    expect([cases.filter((row) => row.destructive).length, cases.filter((row) => !row.destructive).length]).toEqual([255, 102]);
  });

  it("finds every destructive command", () => {
    expect(wrong(cases.filter((row) => row.destructive))).toEqual([]);
  });

  it("flags one other command only, whose program a static reader cannot know", () => {
    expect(wrong(cases.filter((row) => !row.destructive))).toEqual([
      "$(mise which node) --version: unverifiable unverifiable.dynamic-command",
    ]);
  });
});

describe.each(["shell-more.jsonl", "shell-further.jsonl"])("more commands of the same kinds: %s", (file) => {
  const cases = readCases(file);

  it("finds every destructive command", () => {
    expect(wrong(cases.filter((row) => row.destructive))).toEqual([]);
  });

  it("flags no other command", () => {
    expect(wrong(cases.filter((row) => !row.destructive))).toEqual([]);
  });

  it("has every command once, and none of the first table", () => {
    const commands = cases.map((row) => row.command);
    expect(new Set(commands).size).toBe(commands.length);
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import { loadShellTables } from "../../src/shell/extend.ts";
import { VERB_PROGRAMS } from "../../src/shell/tables/build.ts";
import { DEFAULT_CHOICES } from "../../src/shell/tables/choices.ts";

const PAGE = readFileSync("docs/shell-classification.md", "utf8");

/** Cells of the table rows of a section, without the backquotes and escapes of Markdown. */
function rowsOf(heading: string): string[][] {
  const [, after = ""] = PAGE.split(`${heading}\n`);
  const section = after.split(/\n#+ /)[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) =>
    row
      .slice(1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replace(/^`|`$/g, "").replaceAll("\\|", "|")),
  );
}

/** An example of a here-document has no room for its body in a table. */
function whole(command: string): string {
  return command.includes("<<'EOF'") ? `${command}\nrm -rf build\nEOF` : command;
}

describe("docs/shell-classification.md", () => {
  it.each(["### Read anyway", "### Effects", "### Not readable", "### Clear"].flatMap(rowsOf))(
    "%s is %s by %s",
    (command, verdict, rule) => {
      const analysis = analyseCommand(whole(command));
      expect(analysis.verdict).toBe(verdict);
      expect(analysis.findings.map((finding) => finding.rule)).toEqual(rule === "" ? [] : expect.arrayContaining([rule]));
    },
  );

  it.each(rowsOf("## What it cannot know"))("%s is clear, although %s", (command) => {
    expect(analyseCommand(command)).toMatchObject({ verdict: "clear", findings: [] });
  });

  it("lists the choices as they are shipped", () => {
    const choices = rowsOf("## Choices and additions").filter((row) => row[1] === "true" || row[1] === "false");
    expect(Object.fromEntries(choices.map((row) => [row[0], row[1] === "true"]))).toEqual(DEFAULT_CHOICES);
  });

  it("has an example of an operator's file that loads", () => {
    const blocks = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map((match) => match[1]!);
    expect(() => loadShellTables(blocks.at(-1)!)).not.toThrow();
  });

  it("has the result that the example has", () => {
    const [block] = [...PAGE.matchAll(/```json\n([^]*?)```/g)].map((match) => match[1]!);
    const { findings, commands, redirects } = analyseCommand("sudo rm -rf $DIR > log");
    const shown = JSON.parse(block!) as { findings: unknown; commands: unknown; redirects: unknown };
    expect(commands).toEqual(shown.commands);
    expect(redirects).toEqual(shown.redirects);
    expect(findings).toEqual(expect.arrayContaining(shown.findings as unknown[]));
  });

  it("names every rule that is not a row's", () => {
    const cases = ["shell.jsonl", "shell-more.jsonl", "shell-further.jsonl"].flatMap((file) =>
      readFileSync(`test/cases/${file}`, "utf8").trimEnd().split("\n"),
    );
    const commands = cases.map((line) => (JSON.parse(line) as { command: string }).command);
    const rules = new Set(commands.flatMap((command) => analyseCommand(command).findings.map((finding) => finding.rule)));
    const families = VERB_PROGRAMS.map((program) => `.${program.family}.`);
    const own = [...rules].filter((rule) => !families.some((family) => rule.includes(family)) && !/\.code\./.test(rule));
    expect(own.filter((rule) => !PAGE.includes(`\`${rule}\``))).toEqual([]);
  });
});

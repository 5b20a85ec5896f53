import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { helpText } from "../../src/cli/help.ts";

const GROUPS = [...new Set(COMMANDS.flatMap(({ path }) => path.slice(1).map((_, index) => path.slice(0, index + 1).join(" "))))];

function flagsIn(help: string): string[] {
  const [table = ""] = help.split("\nExamples:");
  return [...table.matchAll(/^ {2}(?: {4}|-\w, )--([a-z0-9-]+)/gmu)].map(([, flag]) => flag ?? "");
}

describe("help", () => {
  it.each(COMMANDS.map((command) => [command.path.join(" "), command] as const))(
    "of `%s` is that command's own: its summary and exactly its flags",
    async (name, { path, summary, options }) => {
      const help = await helpText(COMMANDS, path);
      expect(help.split("\n")[0]).toMatch(new RegExp(`^regate ${name}(?: \\[|$)`, "u"));
      expect(help.replaceAll(/\s+/gu, " ")).toContain(summary);
      expect(flagsIn(help).toSorted()).toEqual([...options.map(({ name: flag }) => flag), "help"].toSorted());
    },
  );

  it.each(GROUPS)("of `%s` names every command right below it", async (group) => {
    const words = group.split(" ");
    const help = await helpText(COMMANDS, words);
    const below = COMMANDS.filter(({ path }) => path.length > words.length && path.join(" ").startsWith(`${group} `));
    const names = below.map(({ path }) => `regate ${path.slice(0, words.length + 1).join(" ")}`);
    expect(names.filter((name) => !help.includes(name))).toEqual([]);
  });
});

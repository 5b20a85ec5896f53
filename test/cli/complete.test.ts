import { describe, expect, it } from "vitest";
import type { Command } from "../../src/cli/command.ts";
import { completions } from "../../src/cli/complete.ts";

const run = async (): Promise<number> => 0;
const COMMANDS: readonly Command[] = [
  {
    path: ["serve"],
    summary: "",
    options: [
      { name: "bundle", kind: "text", describe: "" },
      { name: "destructive-match", kind: "text", choices: ["words", "text"], describe: "" },
      { name: "ignore", kind: "list", describe: "" },
      { name: "strict", short: "S", kind: "switch", describe: "" },
    ],
    examples: [],
    run,
  },
  { path: ["policy", "build"], summary: "", options: [], examples: [], run },
  { path: ["policy", "test"], summary: "", options: [], examples: [], run },
  { path: ["work"], summary: "", options: [{ name: "name", kind: "text", describe: "" }], examples: [], run },
  { path: ["work", "list"], summary: "", options: [], examples: [], run },
];

const ROWS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["commands", [""], ["serve", "policy", "work"]],
  ["commands by their start", ["po"], ["policy"]],
  ["nothing for an unknown start", ["x"], []],
  ["flags of the program", ["--"], ["--help", "--version"]],
  ["commands of a group", ["policy", ""], ["build", "test"]],
  ["commands of a group by their start", ["policy", "t"], ["test"]],
  ["commands below a command", ["work", ""], ["list"]],
  ["no command below one that has flags already", ["work", "--name", "x", ""], []],
  ["flags of a command", ["serve", "--"], ["--bundle", "--destructive-match", "--ignore", "--strict", "--help"]],
  [
    "flags not given yet; lists may come again",
    ["serve", "--strict", "--ignore", "x", "--"],
    ["--bundle", "--destructive-match", "--ignore", "--help"],
  ],
  ["choices of the flag before", ["serve", "--destructive-match", ""], ["words", "text"]],
  ["choices by their start", ["serve", "--destructive-match", "w"], ["words"]],
  ["nothing where a file is expected", ["serve", "--bundle", ""], []],
  ["flags after a switch", ["serve", "-S", "--b"], ["--bundle"]],
  ["nothing for a plain word of a command", ["serve", ""], []],
  ["no line at all", [], ["serve", "policy", "work"]],
];

describe("completions", () => {
  it.each(ROWS)("%s", (_name, line, words) => {
    expect(completions(line, COMMANDS)).toEqual(words);
  });
});

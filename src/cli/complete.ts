import type { Command, OptionSpec } from "./command.ts";
import { ROOT_OPTIONS } from "./screen.ts";

/** First word of the command line by which the completion scripts ask for the words that may stand next. */
export const COMPLETE_WORD = "__complete";

function commandAt(words: readonly string[], commands: readonly Command[]): { command?: Command; path: readonly string[] } {
  const path: string[] = [];
  for (const word of words) {
    if (word.startsWith("-")) continue;
    if (!commands.some((command) => [...path, word].every((step, index) => command.path[index] === step))) break;
    path.push(word);
  }
  const command = commands.find((candidate) => candidate.path.join(" ") === path.join(" "));
  return command === undefined ? { path } : { command, path };
}

function subcommands(path: readonly string[], commands: readonly Command[]): readonly string[] {
  const below = commands.filter(
    (command) => command.path.length > path.length && path.every((step, index) => command.path[index] === step),
  );
  return [...new Set(below.map((command) => command.path[path.length] ?? ""))];
}

function flagNamed(options: readonly OptionSpec[], word: string | undefined): OptionSpec | undefined {
  return options.find((option) => word === `--${option.name}` || (option.short !== undefined && word === `-${option.short}`));
}

/**
 * Words that may stand at the end of a command line: subcommands, flags not given yet, or the choices of the flag before.
 * Nothing when a file name is expected: the shell completes those itself.
 * @param line the words after the program's name; the last one is being typed and may be empty
 */
export function completions(line: readonly string[], commands: readonly Command[]): readonly string[] {
  const typed = line.at(-1) ?? "";
  const before = line.slice(0, -1);
  const { command, path } = commandAt(before, commands);
  const options = command === undefined ? ROOT_OPTIONS : [...command.options, ...ROOT_OPTIONS.slice(0, 1)];
  const previous = flagNamed(options, before.at(-1));
  if (previous !== undefined && previous.kind !== "switch") return (previous.choices ?? []).filter((choice) => choice.startsWith(typed));
  const flags = options
    .filter((option) => option.kind === "list" || !before.includes(`--${option.name}`))
    .map((option) => `--${option.name}`);
  const names = before.length === path.length ? subcommands(path, commands) : [];
  return (typed.startsWith("-") ? flags : names).filter((word) => word.startsWith(typed));
}

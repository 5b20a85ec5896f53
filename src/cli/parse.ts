import parser from "yargs-parser";
import type { Arguments, Command, OptionSpec } from "./command.ts";

function strings(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (!list.every((entry): entry is string => typeof entry === "string"))
    throw new TypeError("the command line gave a value that is no text");
  return list;
}

function ofKind(command: Command, kinds: readonly OptionSpec["kind"][]): string[] {
  return command.options.filter((option) => kinds.includes(option.kind)).map((option) => option.name);
}

/**
 * Parses a screened command line with yargs's parser, every reading switched off that could make two flags of one (governed-tools
 * reference §6).
 * @param argv what `screenArgv` gave
 */
export function parseArguments(command: Command, argv: readonly string[]): Arguments {
  const texts = ofKind(command, ["text"]);
  const lists = ofKind(command, ["list"]);
  const switches = ofKind(command, ["switch"]);
  const parsed: Readonly<Record<string, unknown>> = parser([...argv], {
    string: [...texts, ...lists],
    boolean: switches,
    // Without a count the parser would take quotes off a value.
    narg: Object.fromEntries([...texts, ...lists].map((name) => [name, 1])),
    configuration: {
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "greedy-arrays": false,
      "populate--": true,
    },
  });
  const given = (names: readonly string[]): readonly string[] => names.filter((name) => parsed[name] !== undefined);
  return {
    values: new Map(given(texts).map((name) => [name, strings(parsed[name])[0] ?? ""])),
    lists: new Map(given(lists).map((name) => [name, strings(parsed[name])])),
    switches: new Set(switches.filter((name) => parsed[name] === true)),
    words: strings(parsed["--"] ?? []),
  };
}

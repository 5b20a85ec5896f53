import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Command, OptionSpec } from "../../src/cli/command.ts";
import { parseArguments } from "../../src/cli/parse.ts";
import { screenArgv } from "../../src/cli/screen.ts";
import { allSettingOptions } from "../../src/cli/setting-options.ts";

function command(path: string, options: readonly OptionSpec[], max = 0): Command {
  const words = max === 0 ? {} : { words: { name: "file", describe: "a file", max } };
  return { path: path.split(" "), summary: path, options, examples: [], run: async () => 0, ...words };
}

const COMMANDS: readonly Command[] = [
  command("serve", allSettingOptions()),
  command("decide", [{ name: "fail", kind: "switch", describe: "" }], 1),
  command("policy build", [{ name: "optimize", short: "O", kind: "text", describe: "" }]),
  command(
    "policy test",
    [
      { name: "run", short: "r", kind: "text", describe: "" },
      { name: "ignore", kind: "list", describe: "" },
      { name: "verbose", short: "v", kind: "switch", describe: "", assignable: true },
      { name: "coverage", short: "c", kind: "switch", describe: "", assignable: true },
    ],
    1000,
  ),
];

/** Every trap of the governed-tools reference §6 and design §3: command line, and what the one line must begin with. */
const REFUSED: readonly (readonly [string, readonly string[], string])[] = [
  ["no command", [], "no command given"],
  ["an empty word", [""], "unknown command ``"],
  ["an unknown command", ["sevre"], "unknown command `sevre`"],
  ["a command in another letter case", ["Serve"], "unknown command `Serve`"],
  ["a prefix of a command", ["serv"], "unknown command `serv`"],
  ["a group without its command", ["policy"], "`policy` needs a command"],
  ["an unknown command of a group", ["policy", "run"], "unknown command `policy run`"],
  ["names of object properties", ["__proto__"], "unknown command `__proto__`"],
  ["an unknown flag", ["serve", "--bundel", "x"], "unknown flag `--bundel`"],
  ["an unknown flag with a value", ["serve", "--bundel=x"], "unknown flag `--bundel`"],
  ["a flag before its command", ["--bundle", "x", "serve"], "unknown flag `--bundle`"],
  ["a flag of another command", ["serve", "--fail"], "unknown flag `--fail`"],
  ["the version of a command", ["serve", "--version"], "unknown flag `--version`"],
  ["a prefix of a flag", ["serve", "--agent", "x"], "unknown flag `--agent`"],
  ["a flag in another letter case", ["serve", "--Agent-Id", "x"], "unknown flag `--Agent-Id`"],
  ["a camel-case spelling", ["serve", "--agentId", "x"], "unknown flag `--agentId`"],
  ["a camel-case switch", ["serve", "--requireAgentDryRun"], "unknown flag `--requireAgentDryRun`"],
  ["a negated flag", ["serve", "--no-agent-tools-file"], "unknown flag `--no-agent-tools-file`"],
  ["a negated switch", ["serve", "--no-require-agent-dry-run"], "unknown flag `--no-require-agent-dry-run`"],
  ["a point in a flag", ["serve", "--agent-id.x", "1"], "unknown flag `--agent-id.x`"],
  ["a point in a flag with a value", ["serve", "--agent-id.x=1"], "unknown flag `--agent-id.x`"],
  ["an array-like flag", ["serve", "--agent-id[]=1"], "unknown flag `--agent-id[]`"],
  ["__proto__ as a flag", ["serve", "--__proto__", "x"], "unknown flag `--__proto__`"],
  ["a flag without a name", ["serve", "--=x"], "unknown flag `--`"],
  ["a long flag with one hyphen", ["serve", "-agent-id", "x"], "unknown flag `-agent-id`"],
  ["a flag with three hyphens", ["serve", "---agent-id", "x"], "unknown flag `---agent-id`"],
  ["an unknown short flag", ["serve", "-x"], "unknown flag `-x`"],
  ["a negative number", ["serve", "-1"], "unknown flag `-1`"],
  ["a repeated flag", ["serve", "--agent-id", "a", "--agent-id", "b"], "`--agent-id` is given twice"],
  ["a repeated flag in both forms", ["serve", "--agent-id=a", "--agent-id", "a"], "`--agent-id` is given twice"],
  ["a repeated flag, first empty", ["serve", "--agent-tools-file=", "--agent-tools-file", "x"], "`--agent-tools-file` is given twice"],
  ["a repeated switch", ["serve", "--require-agent-dry-run", "--require-agent-dry-run"], "`--require-agent-dry-run` is given twice"],
  ["a repeated short flag", ["policy", "test", "-r", "a", "--run", "b"], "`--run` is given twice"],
  ["a flag as last word", ["serve", "--agent-tools-file"], "`--agent-tools-file` needs a value"],
  ["a flag before a flag", ["serve", "--agent-tools-file", "--require-agent-dry-run"], "`--agent-tools-file` needs a value"],
  ["a flag before a word that starts with --", ["serve", "--bundle", "--x"], "`--bundle` needs a value"],
  ["a flag before --", ["serve", "--bundle", "--"], "`--bundle` needs a value"],
  ["a short flag as last word", ["policy", "test", "-r"], "`-r` needs a value"],
  ["an empty agent id", ["serve", "--agent-id", ""], "`--agent-id`: `` must not be empty"],
  ["an empty agent id after =", ["serve", "--agent-id="], "`--agent-id`: `` must not be empty"],
  ["an empty bundle", ["serve", "--bundle", ""], "`--bundle`: `` must not be empty"],
  ["an agent id with a blank", ["serve", "--agent-id", "a b"], "`--agent-id`: `a b` must be 1 to 128"],
  ["an agent id that starts with a hyphen", ["serve", "--agent-id", "-a"], "`--agent-id`: `-a` must be 1 to 128"],
  ["an agent id with a line feed", ["serve", "--agent-id", "a\n"], "`--agent-id`: `a\n` must be 1 to 128"],
  ["a deadline that is no number", ["serve", "--policy-deadline-ms", "soon"], "`--policy-deadline-ms`: `soon` must be a whole number"],
  ["a deadline in hexadecimal", ["serve", "--policy-deadline-ms", "0x10"], "`--policy-deadline-ms`: `0x10` must be a whole number"],
  ["a choice that is none", ["serve", "--destructive-match", "word"], "`--destructive-match`: `word` must be `words` or `text`"],
  ["a switch with a value", ["serve", "--require-agent-dry-run=true"], "`--require-agent-dry-run` takes no value: `true`"],
  ["a switch set to false", ["serve", "--require-agent-dry-run=false"], "`--require-agent-dry-run` takes no value: `false`"],
  ["a switch with an empty value", ["serve", "--require-agent-dry-run="], "`--require-agent-dry-run` takes no value: ``"],
  ["a switch and a word", ["serve", "--require-agent-dry-run", "false"], "unexpected word `false` after `--require-agent-dry-run`"],
  ["a stray word", ["serve", "now"], "unexpected word `now`"],
  ["a stray word after --", ["serve", "--", "now"], "unexpected word `now`"],
  ["a flag after --", ["serve", "--", "--require-agent-dry-run"], "unexpected word `--require-agent-dry-run`"],
  ["a word too many", ["decide", "a", "b"], "unexpected word `b`"],
  ["a word too many after --", ["decide", "a", "--", "b"], "unexpected word `b`"],
  ["an unknown letter among short flags", ["policy", "test", "-vx"], "unknown flag `-x`"],
  ["a short switch with a value that is none", ["policy", "test", "-v=yes"], "`-v` takes no value: `yes`"],
  ["a mistake beside --help", ["serve", "--bogus", "--help"], "unknown flag `--bogus`"],
  ["a word beside --version", ["--version", "now"], "unknown command `now`"],
  ["--version with a group", ["--version", "policy"], "`--version` stands alone"],
];

describe("screenArgv refuses", () => {
  it.each(REFUSED)("%s", (_name, tokens, message) => {
    let refusal: unknown;
    try {
      screenArgv(tokens, COMMANDS);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ name: "ConfigError", code: "config.command_line" });
    expect((refusal as Error).message.slice(0, message.length)).toBe(message);
    expect((refusal as Error).message).toMatch(/ \(see `regate [a-z -]*--help`\)$/);
  });
});

type Parsed = readonly [
  values: Record<string, string>,
  lists: Record<string, readonly string[]>,
  switches: readonly string[],
  words: readonly string[],
];

const READ: readonly (readonly [string, readonly string[], Parsed])[] = [
  ["a value as the next word", ["serve", "--agent-id", "a"], [{ "agent-id": "a" }, {}, [], []]],
  ["a value after =", ["serve", "--agent-id=a"], [{ "agent-id": "a" }, {}, [], []]],
  ["a value with = in it", ["serve", "--bundle=a=b=c"], [{ bundle: "a=b=c" }, {}, [], []]],
  ["an empty allowlist", ["serve", "--agent-tools-file", ""], [{ "agent-tools-file": "" }, {}, [], []]],
  ["an empty allowlist after =", ["serve", "--agent-tools-file="], [{ "agent-tools-file": "" }, {}, [], []]],
  ["a value in quotes", ["serve", "--bundle", '"x"'], [{ bundle: '"x"' }, {}, [], []]],
  ["a value that looks like a number", ["serve", "--workdir", "007"], [{ workdir: "007" }, {}, [], []]],
  ["a value that starts with one hyphen", ["serve", "--bundle", "-x"], [{ bundle: "-x" }, {}, [], []]],
  ["a value that starts with two, after =", ["serve", "--bundle=--x"], [{ bundle: "--x" }, {}, [], []]],
  ["a switch", ["serve", "--require-agent-dry-run"], [{}, {}, ["require-agent-dry-run"], []]],
  ["a word", ["decide", "x"], [{}, {}, [], ["x"]]],
  ["a word before a flag", ["decide", "x", "--fail"], [{}, {}, ["fail"], ["x"]]],
  ["a hyphen as a word", ["decide", "-"], [{}, {}, [], ["-"]]],
  ["a word that looks like a number", ["decide", "0x10"], [{}, {}, [], ["0x10"]]],
  ["words after --", ["policy", "test", "a", "--", "--run", "-v", "--"], [{}, {}, [], ["a", "--run", "-v", "--"]]],
  ["a repeated list", ["policy", "test", "--ignore", "a", "--ignore=b"], [{}, { ignore: ["a", "b"] }, [], []]],
  ["short flags together", ["policy", "test", "-vc", "x"], [{}, {}, ["verbose", "coverage"], ["x"]]],
  ["a short flag with its value", ["policy", "test", "-r", "a"], [{ run: "a" }, {}, [], []]],
  ["a short flag with its value attached", ["policy", "test", "-vra"], [{ run: "a" }, {}, ["verbose"], []]],
  ["a short flag with =", ["policy", "build", "-O=2"], [{ optimize: "2" }, {}, [], []]],
  ["OPA's switches with a value", ["policy", "test", "--verbose=false", "--coverage=true"], [{}, {}, ["coverage"], []]],
];

function parse(tokens: readonly string[]): Parsed {
  const screened = screenArgv(tokens, COMMANDS);
  if (screened.command === undefined) throw new Error("no command");
  const args = parseArguments(screened.command, screened.argv);
  return [Object.fromEntries(args.values), Object.fromEntries(args.lists), [...args.switches], args.words];
}

describe("screenArgv and the parser together read", () => {
  it.each(READ)("%s", (_name, tokens, parsed) => {
    expect(parse(tokens)).toEqual(parsed);
  });
  it("every value and word unchanged", () => {
    const awkward = fc.constantFrom(
      '"x"',
      "'x'",
      '"',
      "--",
      "-x",
      "--no-run",
      "=",
      "a=b",
      "1e3",
      "0x1",
      "true",
      "null",
      "[object Object]",
      " ",
      "\n",
    );
    const text = fc.oneof(awkward, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }));
    fc.assert(
      fc.property(text, fc.array(text, { minLength: 1, maxLength: 4 }), (value, words) => {
        const parsed = parse(["policy", "test", `--run=${value}`, `--ignore=${value}`, "--", ...words]);
        expect(parsed).toEqual([{ run: value }, { ignore: [value] }, [], words]);
      }),
      { numRuns: 100 },
    );
  });
  const HELP: readonly (readonly [string, readonly string[], string])[] = [
    ["the program", ["--help"], ""],
    ["the program, short", ["-h"], ""],
    ["a group", ["policy", "--help"], "policy"],
    ["a command", ["serve", "--help"], "serve"],
    ["a command, flag first", ["--help", "policy", "test"], "policy test"],
    ["a command with flags", ["serve", "--agent-id", "a", "-h"], "serve"],
  ];
  it.each(HELP)("help for %s", (_name, tokens, path) => {
    expect(screenArgv(tokens, COMMANDS)).toMatchObject({ ask: "help", path: path === "" ? [] : path.split(" ") });
  });
  it("the version", () => {
    expect(screenArgv(["--version"], COMMANDS)).toMatchObject({ ask: "version" });
  });
});

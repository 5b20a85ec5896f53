import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, describe, expect, it } from "vitest";
import { Language, type Node, Parser } from "web-tree-sitter";
import { type SyntaxNode, eachChild, parseScript } from "../../src/shell/parse.ts";
import { compositions, everyPart } from "./shell-compositions.ts";

function tableCommands(file: string): string[] {
  const lines = readFileSync(new URL(`../cases/${file}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => (JSON.parse(line) as { command: string }).command);
}

const BROKEN = [
  "if then",
  "a &&",
  "echo $(",
  "echo `a",
  "'",
  "case x in",
  "${x",
  "a | | b",
  "fi",
  "(a",
  "a)",
  "for",
  "[[ a",
  "a ;; b",
  "{ a",
  "<",
  "a <<< ",
  "f() ",
  "do a; done",
];
const COMMANDS = [
  ...tableCommands("shell.jsonl"),
  ...tableCommands("shell-more.jsonl"),
  ...tableCommands("shell-further.jsonl"),
  ...everyPart(),
  ...compositions(4242, 500),
  ...BROKEN,
];

/** Names of simple commands as written, and whether a script in it has an error. */
function readOurs(command: string): { names: string[]; error: boolean } {
  const names: string[] = [];
  let error = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Script" && (node.errors?.length ?? 0) > 0) error = true;
    if (node.type === "Command" && node.name !== undefined) names.push(node.name.text);
    eachChild(node, visit);
  };
  visit(parseScript(command));
  return { names: names.sort(), error };
}

describe("unbash and bash agree on what is valid (reference: shell.md §11.4)", () => {
  it("on the case tables, on compositions and on broken texts", () => {
    const loop = `while IFS= read -r -d '' text; do bash --norc -n -c "$text" > /dev/null 2>&1 < /dev/null; echo $?; done`;
    const { stdout } = spawnSync("bash", ["--norc", "-c", loop], {
      input: COMMANDS.map((command) => `${command}\0`).join(""),
      maxBuffer: 1 << 24,
    });
    const statuses = stdout.toString().trimEnd().split("\n");
    expect(statuses).toHaveLength(COMMANDS.length);
    expect(statuses.filter((status) => status !== "0").length).toBeGreaterThan(15);
    expect(COMMANDS.filter((command, index) => (statuses[index] !== "0") !== readOurs(command).error)).toEqual([]);
  });
});

/** Where tree-sitter-bash 0.25.1 itself reads bash differently; everything else must agree. */
const KNOWN: readonly (readonly [reason: string, pattern: RegExp])[] = [
  ["`select`, `coproc` and `time` are command names for it, and so is the second `!`", /\b(?:select|coproc|time)\b|! !/],
  ["a continued line ends its word", /\\\n/],
  ["here-documents: tabs, several of them, pipes after them, substitutions in them", /<</],
  ["backticks inside a word or inside backticks", /`/],
  ["substitutions in patterns of parameter expansions are not read", /\$\{\w+[#%/:]/],
  ["a brace expansion or a bracket pattern as a command word", /(?:^|[;&|(\s])(?:\{\w*,|r\[)/],
  ["a process substitution as a value is taken for the command", /=<\(/],
  ["`<>` and escaped operators in `[`", /<>|\\>/],
];

function readTheirs(root: Node): string[] {
  const names: string[] = [];
  const visit = (node: Node | null): void => {
    if (node === null) return;
    if (node.type === "command_name") names.push(node.text);
    if (node.type === "declaration_command" || node.type === "unset_command") names.push(node.firstChild?.text ?? "");
    if (node.type === "test_command" && node.firstChild?.text === "[") names.push("[");
    for (const child of node.namedChildren) visit(child);
  };
  visit(root);
  return names.sort();
}

describe("unbash and tree-sitter-bash find the same simple commands", () => {
  const parser: { use: Parser | undefined } = { use: undefined };

  beforeAll(async () => {
    await Parser.init();
    parser.use = new Parser();
    const grammar = createRequire(import.meta.url).resolve("tree-sitter-bash/tree-sitter-bash.wasm");
    parser.use.setLanguage(await Language.load(grammar));
  });

  it("except where tree-sitter-bash is known to read bash differently", () => {
    const compared: string[] = [];
    const different = COMMANDS.filter((command) => {
      const ours = readOurs(command);
      const root = parser.use!.parse(command)!.rootNode;
      if (ours.error || KNOWN.some(([, pattern]) => pattern.test(command))) return false;
      compared.push(command);
      return root.hasError || readTheirs(root).join("\0") !== ours.names.join("\0");
    });
    expect(different).toEqual([]);
    expect(compared.length).toBeGreaterThan(1800);
  });

  it.each(KNOWN)("%s", (_, pattern) => {
    expect(COMMANDS.filter((command) => pattern.test(command)).length).toBeGreaterThan(0);
  });
});

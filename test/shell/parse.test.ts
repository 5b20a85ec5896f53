import { describe, expect, it } from "vitest";
import { type SyntaxNode, eachChild, parseScript } from "../../src/shell/parse.ts";

/** The tree as nested arrays of node types and texts, so that a change of the parser shows. */
function outline(node: SyntaxNode): unknown[] {
  const children: unknown[] = [];
  eachChild(node, (child) => children.push(outline(child)));
  const text = "text" in node ? [node.text] : [];
  return [node.type, ...text, ...children];
}

function first(source: string): SyntaxNode {
  return parseScript(source).commands[0]!.command;
}

describe("facts of the parser that the classifier stands on (reference: shell.md §4)", () => {
  it.each([
    ["a b", ["Command", ["Word", "a"], ["Word", "b"]]],
    ["a=1 b", ["Command", ["Assignment", "a=1", ["Word", "1"]], ["Word", "b"]]],
    ["a | b", ["Pipeline", ["Command", ["Word", "a"]], ["Command", ["Word", "b"]]]],
    ["a && b", ["AndOr", ["Command", ["Word", "a"]], ["Command", ["Word", "b"]]]],
    ["a > b", ["Command", ["Word", "a"], ["Redirect", ["Word", "b"]]]],
    [
      "{ a; } > b",
      ["Redirected", ["BraceGroup", ["CompoundList", ["Statement", ["Command", ["Word", "a"]]]]], ["Redirect", ["Word", "b"]]],
    ],
    ["f() { a; }", ["Function", ["Word", "f"], ["BraceGroup", ["CompoundList", ["Statement", ["Command", ["Word", "a"]]]]]]],
    ["declare x=1", ["Command", ["Word", "declare"], ["Assignment", "x=1", ["Word", "1"]]]],
    ["env x=1", ["Command", ["Word", "env"], ["Word", "x=1"]]],
    [
      "a $(b)",
      ["Command", ["Word", "a"], ["Word", "$(b)", ["CommandExpansion", "$(b)", ["Script", ["Statement", ["Command", ["Word", "b"]]]]]]],
    ],
    ["a {b,c}", ["Command", ["Word", "a"], ["Word", "{b,c}", ["BraceExpansion", "{b,c}"]]]],
    ["[[ a > b ]]", ["TestCommand", ["TestBinary", ["Word", "a"], ["Word", "b"]]]],
    ["a <<'X'\n$(b)\nX", ["Command", ["Word", "a"], ["HereDoc", ["HereDocDelimiter", "'X'"], ["HereDocBody", "$(b)\n"]]]],
  ])("%j", (source, tree) => {
    expect(outline(first(source))).toEqual(tree);
  });

  it.each([
    ["r\\m", "rm"],
    ["'r'm", "rm"],
    ["$'\\x72m'", "rm"],
    ["a\\\nb", "ab"],
  ])("dequotes %j to %j", (source, value) => {
    const command = first(source);
    expect(command.type === "Command" ? command.name?.value : undefined).toBe(value);
  });

  it.each(["if then", "a &&", "echo $(", "echo `a", "'", "case x in", "${x", "a | | b", "fi", "(a", "for", "echo $((", "[[ a"])(
    "reports an error for %j, on the script itself",
    (source) => {
      expect(parseScript(source).errors).not.toEqual([]);
      expect(parseScript(source).errors).toBeDefined();
    },
  );

  it("reports an error inside a substitution on the nested script, or on the whole", () => {
    const script = parseScript("a $(if then)");
    let errors = script.errors?.length ?? 0;
    const visit = (node: SyntaxNode) => {
      if (node.type === "Script") errors += node.errors?.length ?? 0;
      eachChild(node, visit);
    };
    visit(script);
    expect(errors).toBeGreaterThan(0);
  });

  it("gives escaped backticks a source of their own, whose offsets are not ours", () => {
    const sources: (string | undefined)[] = [];
    const visit = (node: SyntaxNode) => {
      if (node.type === "CommandExpansion") sources.push(node.script?.source);
      eachChild(node, visit);
    };
    visit(parseScript("echo `a \\`b\\``"));
    expect(sources).toEqual(["a `b`", undefined]);
  });
});

import { describe, expect, it } from "vitest";
import { findUses } from "../../src/rego/read-paths.ts";
import type { Uses } from "../../src/rego/read-paths.ts";
import { sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();

async function usesOf(rules: string, imports = ""): Promise<Uses> {
  const files = new Map([["a.rego", `package a\n${imports}\n${rules}\n`]]);
  const trees = valueOf(await toolchain.parse({ files, compiled: true, locations: true }));
  return findUses(trees.values(), new Set(["count", "time.now_ns", "startswith"]));
}

// Dotted paths, `.` for the whole input.
const FORMS: readonly [name: string, rules: string, paths: readonly string[], imports?: string][] = [
  ["a reference", "p if input.agent.id == 1", ["agent.id"]],
  ["a quoted key", 'p if input["a b"].c', ["a b.c"]],
  ["existence alone", "p if input.a", ["a"]],
  ["a negation", "p if not input.a.b", ["a.b"]],
  ["several", "p if { input.b; input.a }", ["a", "b"]],
  ["a path below another one", "p if { input.a.b.c; input.a }", ["a"]],
  ["names that only start alike", "p if { input.ab; input.a.b }", ["a.b", "ab"]],
  ["a number as a key", "p if input.a[0].b", ["a"]],
  ["a variable as a key", "p if { some k; input.a[k].b }", ["a"]],
  ["iteration", "p if { some x in input.list; x.y == 1 }", ["list"]],
  ["iteration with keys", "p if { some k, v in input.map; k == v }", ["map"]],
  ["a computed key of the root", 'p if { k := "x"; input[k] }', ["."]],
  ["a key from the input", "p if input.a[input.b]", ["a", "b"]],
  ["a key from the input at the root", "p if input[input.b]", ["."]],
  ["the whole input", "p if count(input) == 1", ["."]],
  ["an alias of the input", "p if { i := input; i.agent.id == 1 }", ["."]],
  ["an alias of a part", "p if { a := input.agent; a.id == 1 }", ["agent"]],
  ["unification with a part", "p if { a = input.agent; a.id == 1 }", ["agent"]],
  ["destructuring", "p if { [x, _] := input.pair; x == 1 }", ["pair"]],
  ["an object pattern", 'p if { {"id": x} = input.agent; x == 1 }', ["agent"]],
  ["a function's argument", "f(x) := x.id\np if f(input.agent) == 1", ["agent"]],
  ["a function with the whole input", "f(x) := x.id\np if f(input) == 1", ["."]],
  ["a function that reads", "f(x) if input.limit > x\np if f(1)", ["limit"]],
  ["a call in a call", "p if startswith(lower(input.name), input.prefix)", ["name", "prefix"]],
  ["a rule's value", "p := input.a.b", ["a.b"]],
  ["a set's member", "p contains input.a.b", ["a.b"]],
  ["an object's key and value", "p[input.a] := input.b", ["a", "b"]],
  ["a default and an else", 'default p := "x"\np := 1 if { input.a } else := input.b if { input.c }', ["a", "b", "c"]],
  ["an array comprehension", "p := [x | x := input.a.b[_]]", ["a.b"]],
  ["a set comprehension", "p := {x | some x in input.xs; x > input.low}", ["low", "xs"]],
  ["an object comprehension", "p := {k: input.v[k] | some k in input.ks}", ["ks", "v"]],
  ["every", "p if every x in input.xs { x == input.y }", ["xs", "y"]],
  ["walk", "p if { walk(input, [path, value]); value == 1 }", ["."]],
  ["walk of a part", "p if { walk(input.a, [path, value]); value == 1 }", ["a"]],
  // It also tells whether the object is there, so the siblings of its key must stay.
  ["object.get of the input", 'p := object.get(input, "a", 1)', ["."]],
  ["object.get of the input with a path", 'p := object.get(input, ["a", "b"], 1)', ["."]],
  ["object.get of a part", 'p := object.get(input.a, "b", 1)', ["a"]],
  ["object.get with a default from the input", 'p := object.get(data.x, "a", input.b)', ["b"]],
  ["json.filter", 'p := json.filter(input, ["a/b"])', ["."]],
  ["membership", "p if input.x in input.xs", ["x", "xs"]],
  ["membership in the input", "p if 1 in input", ["."]],
  ["a comparison of the whole", 'p if input == {"a": 1}', ["."]],
  ["an import of a part", "p if agent.id == 1", ["agent.id"], "import input.agent"],
  ["an import under a name", "p if who == 1", ["agent.id"], "import input.agent.id as who"],
  ["an import of the whole", "p if i.agent.id == 1", ["agent.id"], "import input as i"],
  ["with a replaced input", "q if input.a\np if q with input as {}", ["a"]],
  ["with a replaced part", "q if input.a\np if q with input.b as 1", ["a", "b"]],
  ["with a part of the input as the value", "q if input.a\np if q with input as input.other", ["a", "other"]],
  ["with the input as data", "p if data.x with data.x as input.y", ["y"]],
  ["with a computed value", "q if input.a\np if { some v in input.vs; q with input.b as v }", ["a", "b", "vs"]],
  ["a template", 'p := $"user {input.user.name}"', ["user.name"]],
  ["nothing", "p if data.x == 1", []],
  ["a string that says input", 'p := "input.secret"', []],
  ["a key that says input", "p if data.input.x", []],
  ["a key named __proto__", 'p if input["__proto__"].constructor', ["__proto__.constructor"]],
];

describe("input paths", () => {
  it.each(FORMS)("%s", SLOW, async (...[, rules, paths, imports = ""]) => {
    const uses = await usesOf(rules, imports);
    expect(uses.inputPaths.map((path) => (path.length === 0 ? "." : path.join(".")))).toEqual(paths);
  });

  it("the whole input covers everything", SLOW, async () => {
    expect((await usesOf("p if { input.a.b; count(input) == 1; input.c }")).inputPaths).toEqual([[]]);
  });
});

describe("builtins", () => {
  it("gives every call with its place, sorted by name", SLOW, async () => {
    const { builtins } = await usesOf('p if {\n\tstartswith(input.a, "x")\n\tcount(input.b) > 1\n\tstartswith(input.c, "y")\n}');
    expect([...builtins.keys()]).toEqual(["count", "eq", "gt", "startswith"]);
    expect(builtins.get("startswith")).toEqual([
      { file: "a.rego", row: 4, col: 2 },
      { file: "a.rego", row: 6, col: 2 },
    ]);
  });

  it("finds what a `with` puts in place of a function, and a function that is put there", SLOW, async () => {
    const { builtins } = await usesOf("f(_) := 1\np if time.clock(1) with time.now_ns as 5\nq if f(1) with data.a.f as count");
    expect([...builtins.keys()]).toEqual(["count", "time.clock", "time.now_ns"]);
  });

  it("takes a rule's own functions and variables for what they are", SLOW, async () => {
    const { builtins } = await usesOf("f(x) if x == 1\np if { f(input.a); v = 2; g with input.b as v }\ng if input.b");
    expect([...builtins.keys()]).toEqual(["eq"]);
  });
});

import { describe, expect, it } from "vitest";
import { findUses } from "../../src/rego/read-paths.ts";
import type { Uses } from "../../src/rego/read-paths.ts";
import { FORMS } from "./read-paths-forms.ts";
import { sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();

async function usesOf(rules: string, imports = ""): Promise<Uses> {
  const files = new Map([["a.rego", `package a\n${imports}\n${rules}\n`]]);
  const trees = valueOf(await toolchain.parse({ files, compiled: true, locations: true }));
  return findUses(trees.values(), new Set(["count", "time.now_ns", "startswith"]));
}

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

import { beforeAll, describe, expect, it } from "vitest";
import { policyCheck } from "../../src/rego/policy-check.ts";
import type { PolicyCheckOptions } from "../../src/rego/policy-check.ts";
import { capture, houseTree, sharedToolchain, SLOW, tree, valueOf } from "./support.ts";

const toolchain = sharedToolchain();
let capabilities = "";
beforeAll(async () => {
  capabilities = JSON.stringify(valueOf(await toolchain.capabilities()));
}, 180_000);

async function check(cwd: string, options: Partial<PolicyCheckOptions>) {
  const { io, written } = capture();
  return { ...(await policyCheck({ cwd, toolchain, ...io, ...options })), ...written };
}

const FINE = { exitCode: 0, out: "", err: "" };
const RULE = "policy/gate/rules/small/small.rego";

describe("any policy", () => {
  it("says nothing when all is well", SLOW, async () => {
    expect(await check(tree({ "p/a.rego": "package a\n\np if input.x\n", "p/x.json": "{" }), { paths: ["p"] })).toEqual(FINE);
  });

  it("reports every error with file, row and column", SLOW, async () => {
    const cwd = tree({ "p/a.rego": "package a\n\np if x\n\nq if y\n", "p/b.rego": "package b\n\nr if z\n" });
    const { exitCode, err } = await check(cwd, { paths: ["p"] });
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: [
        "3 errors occurred:",
        "p/a.rego:3:6: rego_unsafe_var_error: var x is unsafe",
        "p/a.rego:5:6: rego_unsafe_var_error: var y is unsafe",
        "p/b.rego:3:6: rego_unsafe_var_error: var z is unsafe",
        "",
      ].join("\n"),
    });
    const { err: json } = await check(cwd, { paths: ["p"], format: "json" });
    expect((JSON.parse(json) as { errors: object[] }).errors[0]).toEqual({
      message: "var x is unsafe",
      code: "rego_unsafe_var_error",
      location: { file: "p/a.rego", row: 3, col: 6 },
    });
    expect((await check(cwd, { paths: ["p"], maxErrors: 1 })).err).toContain("error limit reached");
  });

  it("knows no house rules where no bundle.json is", SLOW, async () => {
    const odd = 'package other.place\n\nimport rego.v1\n\nallow if not input.x\n\ntodo_test_x if print("y")\n';
    expect(await check(tree({ "p/a.rego": odd }), { paths: ["p"] })).toEqual(FINE);
  });

  it("is strict, and checks against schemas, when told to", SLOW, async () => {
    const cwd = tree({
      "p/a.rego": "# METADATA\n# scope: package\n# schemas:\n#   - input: schema.input\npackage a\n\nimport data.b\n\np if input.nmae\n",
      "schemas/input.json": JSON.stringify({ type: "object", properties: { name: { type: "string" } } }),
    });
    expect(await check(cwd, { paths: ["p"] })).toEqual(FINE);
    expect((await check(cwd, { paths: ["p"], strict: true })).err).toContain("p/a.rego:7:1: rego_compile_error: import data.b unused");
    expect((await check(cwd, { paths: ["p"], schema: "schemas" })).err).toContain(
      "p/a.rego:9:6: rego_type_error: undefined ref: input.nmae",
    );
    expect((await check(cwd, { paths: ["p"], schema: "schemas/input.json" })).err).toContain("undefined schema: schema.input");
    expect((await check(cwd, { paths: ["p"], schema: "nope" })).err).toContain("load_error: nope: cannot read the schemas");
  });

  it("takes capabilities from a file or by version", SLOW, async () => {
    const cwd = tree({
      "p/a.rego": "package a\n\np := array.flatten(input.x)\n",
      "caps.json": '{"builtins": [], "features": ["rego_v1"]}',
      "bad.json": "[",
    });
    expect(await check(cwd, { paths: ["p"], capabilities: "v1.22.4" })).toEqual(FINE);
    expect((await check(cwd, { paths: ["p"], capabilities: "caps.json" })).err).toContain("undefined function array.flatten");
    expect((await check(cwd, { paths: ["p"], capabilities: "v1.0.0" })).err).toContain("undefined function array.flatten");
    expect((await check(cwd, { paths: ["p"], capabilities: "bad.json" })).err).toContain(
      "load_error: bad.json: the capabilities are not JSON",
    );
    expect((await check(cwd, { paths: ["p"], capabilities: "none.json" })).err).toContain(
      "load_error: none.json: cannot read the capabilities",
    );
  });

  it("names, for wasm, the builtins that WASM gets wrong, and what does not build", SLOW, async () => {
    const cwd = tree({
      "p/a.rego": 'package a\n\np if regex.match(input.x, "a")\n\nq := replace(input.a, input.b, "")\n',
      "p/a_test.rego": 'package a_test\n\ntest_x if json.unmarshal("1") == 1\n',
      "q/b.rego": "package b\n\n# METADATA\n# entrypoint: true\np := input.a\n",
    });
    expect(await check(cwd, { paths: ["p"] })).toEqual(FINE);
    const { exitCode, err } = await check(cwd, { paths: ["p"], forWasm: true });
    expect(exitCode).toBe(1);
    expect(err).toContain("p/a.rego:3:6: builtin_error: `regex.match` is wrong in WASM");
    expect(err).toContain("p/a.rego:5:6: builtin_error: `replace` is wrong in WASM: never returns for an empty pattern");
    expect(err).not.toContain("json.unmarshal");
    expect(await check(cwd, { paths: ["q"], forWasm: true })).toEqual(FINE);
    expect((await check(cwd, { paths: ["q"], forWasm: true, entrypoints: ["b/none"] })).err).toContain(
      'entrypoint "b/none" does not refer',
    );
  });

  it("reads v0, ignores base names and reads bundles", SLOW, async () => {
    const cwd = tree({
      "p/.manifest": '{"roots": ["a"]}',
      "p/a.rego": "package a\n\np { input.x }\n",
      "p/x_test.rego": "package x_test\n\nbroken if {\n",
    });
    expect(await check(cwd, { paths: ["p"], v0Compatible: true, ignore: ["*_test.rego"], bundle: true })).toEqual(FINE);
    expect((await check(cwd, { paths: ["p"], ignore: ["*_test.rego"] })).exitCode).toBe(1);
  });
});

describe("a tree with bundles", () => {
  it("is fine as it is", SLOW, async () => {
    const cwd = tree(houseTree(capabilities));
    expect(await check(cwd, { paths: ["policy", "bundles"] })).toEqual(FINE);
    expect(await check(cwd, { paths: ["policy"] })).toEqual(FINE);
    expect(await check(cwd, { paths: ["."], capabilities: "policy/capabilities.json" })).toEqual(FINE);
  });

  it("has each bundle built in memory", SLOW, async () => {
    const cwd = tree({ ...houseTree(capabilities), "bundles/tiny/data.json": '{"gate": {"rules": {"evil": {"allow": true}}}}' });
    expect((await check(cwd, { paths: ["policy", "bundles"] })).err).toContain(
      "data_error: bundles/tiny/data.json: data overlaps package `gate.rules.small`",
    );
    expect((await check(tree({ ...houseTree(capabilities), "bundles/tiny/bundle.json": "{}" }), { paths: ["policy"] })).err).toContain(
      "bundles/tiny/bundle.json",
    );
  });

  const good = houseTree("{}")[RULE] ?? "";
  const BREACHES: readonly (readonly [name: string, file: string, text: string, line: string])[] = [
    [
      "no METADATA",
      RULE,
      good.replace("# METADATA\n# title: Allowed calls\n# description: Tools of the data.\n# scope: document\n", ""),
      `${RULE}:10:1: house.metadata: rule \`allow\` has no METADATA with title and description`,
    ],
    [
      "another package",
      RULE,
      good.replace("package gate.rules.small", "package gate.rules.large"),
      `${RULE}:6:1: house.package: package \`gate.rules.large\` lies in folder \`gate/rules/small\``,
    ],
    [
      "a silent negation",
      RULE,
      good.replace("if not input.agent.id", 'if not startswith(input.agent.id, "a")'),
      `${RULE}:20:47: house.negation: this negation is silent`,
    ],
    [
      "an allow that negates",
      RULE,
      good.replace("allow if input.command in data.regate.tools", "allow if not input.blocked"),
      `${RULE}:14:10: house.allow: \`allow\` allows and negates`,
    ],
    [
      "an allow under the import",
      RULE,
      good.replace("import data.lib", "import future.keywords.not\n\nimport data.lib"),
      `${RULE}:8:1: house.allow: this file has \`allow\``,
    ],
    ["rego.v1", RULE, good.replace("import data.lib", "import rego.v1\n\nimport data.lib"), `${RULE}:8:1: house.rego-v1: `],
    ["print", RULE, `${good}\n_p if print(input.a)\n`, `${RULE}:22:7: house.print: \`print\` writes to stdout`],
    [
      "a reason by hand",
      RULE,
      good.replace('reasons.of("small.no_agent")', '{"code": "small.no_agent"}'),
      `${RULE}:20:1: house.code: rule \`deny\` makes a reason without \`custom.code\``,
    ],
    [
      "text from a set",
      RULE,
      `${good}\n_t := concat(", ", {x | some x in input.xs})\n`,
      `${RULE}:22:7: house.set-text: this text depends on the order of a set`,
    ],
    [
      "a test of a bare set",
      "policy/gate/rules/small/small_test.rego",
      "package gate.rules.small_test\n\nimport data.gate.rules.small\n\ntest_small if small.deny with input as {}\n",
      "policy/gate/rules/small/small_test.rego:5:15: house.bare-set: an empty set counts as true",
    ],
    [
      "a test for later",
      "policy/gate/rules/small/small_test.rego",
      "package gate.rules.small_test\n\ntodo_test_small if 1 == 1\n",
      "policy/gate/rules/small/small_test.rego:3:1: house.todo-test: ",
    ],
    [
      "two tests of one name",
      "policy/gate/rules/small/small_test.rego",
      "package gate.rules.small_test\n\ntest_small if 1 == 1\n\ntest_small if 2 == 2\n",
      "policy/gate/rules/small/small_test.rego:5:1: house.duplicate-test: ",
    ],
  ];

  it.each(BREACHES)("%s is reported at its place", SLOW, async (...[, file, text, line]) => {
    const { exitCode, err } = await check(tree({ ...houseTree(capabilities), [file]: text }), { paths: ["policy", "bundles"] });
    expect(err).toContain(`\n${line}`);
    expect(exitCode).toBe(1);
  });

  it("knows one package in several files", SLOW, async () => {
    const folder = "policy/gate/rules/small";
    const cwd = tree({
      ...houseTree(capabilities),
      [`${folder}/more.rego`]: "package gate.rules.small\n\nallow if input.more\n",
      [`${folder}/more_test.rego`]: "package gate.rules.small_test\n\ntest_small_denied if 1 == 1\n",
    });
    expect((await check(cwd, { paths: ["policy"] })).err).toBe(
      `1 error occurred:\n${folder}/small_test.rego:7:1: house.duplicate-test: there is another test \`test_small_denied\` in this package\n`,
    );
  });

  it("has no rules for what lies beside its policy folder", SLOW, async () => {
    const cwd = tree({ ...houseTree(capabilities), "examples/a.rego": "package b\n\nimport rego.v1\n\nallow if not input.x\n" });
    expect(await check(cwd, { paths: ["examples"] })).toEqual(FINE);
  });

  it("counts as one where the bundle.json lies beside the Rego", SLOW, async () => {
    const cwd = tree({ "mine/bundle.json": "{}", "mine/a.rego": "package a\n\nimport rego.v1\n\nallow if input.x\n" });
    expect((await check(cwd, { paths: ["mine"] })).err).toContain("mine/a.rego:3:1: house.rego-v1");
  });
});

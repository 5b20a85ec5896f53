import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { sha256 } from "../../src/rego/bundle-sources.ts";
import { policyBuild } from "../../src/rego/policy-build.ts";
import type { PolicyBuildOptions } from "../../src/rego/policy-build.ts";
import { capture, houseTree, sharedToolchain, SLOW, tree, valueOf } from "./support.ts";

const toolchain = sharedToolchain();
let capabilities = "";
beforeAll(async () => {
  capabilities = JSON.stringify(valueOf(await toolchain.capabilities()));
}, 180_000);

async function build(cwd: string, options: Partial<PolicyBuildOptions> = {}) {
  const { io, written } = capture();
  return { ...(await policyBuild({ cwd, toolchain, ...io, ...options })), ...written };
}

const read = (cwd: string, path: string): string => readFileSync(join(cwd, path), "utf8");
const MANIFEST = "wasm/tiny/manifest.json";

describe("bundles of the house's layout", () => {
  it("writes the module, the data and the manifest", SLOW, async () => {
    const cwd = tree(houseTree(capabilities));
    expect(await build(cwd)).toEqual({
      exitCode: 0,
      out: expect.stringMatching(/^wasm\/tiny: policy\.wasm has \d+ bytes\n$/u) as string,
      err: "",
    });
    expect(readdirSync(join(cwd, "wasm"))).toEqual(["tiny"]);
    expect(readdirSync(join(cwd, "wasm/tiny")).sort()).toEqual(["data.json", "manifest.json", "policy.wasm"]);
    expect(read(cwd, "wasm/tiny/data.json")).toBe('{"regate":{"tools":["a"]}}\n');
    const text = read(cwd, MANIFEST);
    const manifest = JSON.parse(text) as Record<string, unknown>;
    expect(text).toBe(`${JSON.stringify(manifest, null, 2)}\n`);
    expect(Object.keys(manifest).join(" ")).toBe(
      "format name opa rules entrypoints optimize wasm data sources host_builtins builtins input_paths self_test",
    );
    expect(manifest).toMatchObject({
      format: 1,
      name: "tiny",
      opa: "1.22.4",
      rules: ["small"],
      entrypoints: ["gate/decision", "gate/listing"],
      optimize: 0,
      wasm: { bytes: readFileSync(join(cwd, "wasm/tiny/policy.wasm")).byteLength },
      host_builtins: [],
      builtins: ["count", "eq", "internal.member_2"],
      input_paths: [["agent", "id"], ["command"]],
      self_test: [{ input: {}, allow: false }],
    });
    expect(Object.keys(manifest["sources"] as object)).toEqual([
      "bundles/tiny/bundle.json",
      "bundles/tiny/data.json",
      "policy/capabilities.json",
      "policy/gate/main.rego",
      "policy/gate/rules/small/small.rego",
      "policy/lib/reasons/reasons.rego",
    ]);
  });

  it("gives the same bytes from another folder, with files made in another order", SLOW, async () => {
    const files = houseTree(capabilities);
    const [one, two] = [tree(files), tree(Object.fromEntries(Object.entries(files).reverse()))];
    await build(one);
    await build(two, { output: "elsewhere" });
    const digests = (folder: string) =>
      ["policy.wasm", "data.json", "manifest.json"].map((name) => [name, sha256(readFileSync(join(folder, name)))]);
    expect(digests(join(two, "elsewhere/tiny"))).toEqual(digests(join(one, "wasm/tiny")));
  });

  it("has no test in the module, and none in the sources", SLOW, async () => {
    const files = houseTree(capabilities);
    const cwd = tree(files);
    await build(cwd);
    const before = readFileSync(join(cwd, "wasm/tiny/policy.wasm"));
    writeFileSync(join(cwd, "policy/gate/rules/small/more_test.rego"), "package gate.rules.small_test\n\ntest_more if 1 == 1\n");
    await build(cwd);
    expect(readFileSync(join(cwd, "wasm/tiny/policy.wasm")).equals(before)).toBe(true);
  });

  it("builds the bundles that are named, by name or folder", SLOW, async () => {
    const cwd = tree({
      ...houseTree(capabilities),
      "bundles/other/bundle.json": JSON.stringify({ rules: ["small"], entrypoints: ["gate/decision"] }),
    });
    expect(await build(cwd, { paths: ["bundles/other"] })).toMatchObject({ exitCode: 0, err: "" });
    expect(readdirSync(join(cwd, "wasm"))).toEqual(["other"]);
    expect(JSON.parse(read(cwd, "wasm/other/manifest.json"))).toMatchObject({ optimize: 0, entrypoints: ["gate/decision"] });
    expect(read(cwd, "wasm/other/data.json")).toBe("{}\n");
    expect((await build(cwd, { paths: ["tiny"] })).exitCode).toBe(0);
    expect(readdirSync(join(cwd, "wasm")).sort()).toEqual(["other", "tiny"]);
  });

  it("names the host's builtins", SLOW, async () => {
    const files = houseTree(capabilities);
    const cwd = tree({
      ...files,
      "policy/gate/rules/small/small.rego": `${files["policy/gate/rules/small/small.rego"] ?? ""}\ndeny contains reasons.of(sprintf("%s", [input.x])) if input.x\n`,
    });
    await build(cwd);
    expect(JSON.parse(read(cwd, MANIFEST))).toMatchObject({
      host_builtins: ["sprintf"],
      input_paths: [["agent", "id"], ["command"], ["x"]],
    });
  });

  const spec = (fields: object): string => JSON.stringify({ rules: ["small"], entrypoints: ["gate/decision"], ...fields });
  const rule = (line: string): string => `package gate.rules.small\n\nallow if input.ok\n\n${line}\n`;
  const RULE = "policy/gate/rules/small/small.rego";
  const REFUSALS: readonly (readonly [name: string, file: string, text: string, message: string])[] = [
    [
      "a syntax error",
      RULE,
      "package gate.rules.small\n\nallow if {\n",
      `${RULE}:4:0: rego_parse_error: unexpected eof token\n\tallow if {\n\t         ^\n`,
    ],
    [
      "data beside regate",
      "bundles/tiny/data.json",
      '{"other": 1}',
      "data_error: bundles/tiny/data.json: data has the key `other`, and only `regate` may hold data",
    ],
    [
      "data that poses as a rule",
      "bundles/tiny/data.json",
      '{"gate": {"rules": {"evil": {"allow": true}}}}',
      "data overlaps package `gate.rules.small`",
    ],
    ["data that is a list", "bundles/tiny/data.json", "[]", "data_error: bundles/tiny/data.json: not a JSON object"],
    ["data that is not JSON", "bundles/tiny/data.json", "{", "data_error: bundles/tiny/data.json: not JSON"],
    [
      "a builtin that hangs",
      RULE,
      rule('deny contains "x" if replace(input.a, input.b, "") == ""'),
      `${RULE}:5:22: builtin_error: \`replace\` is wrong in WASM: never returns for an empty pattern`,
    ],
    [
      "a builtin that reads the clock",
      RULE,
      rule('deny contains "x" if time.now_ns() > 1'),
      `${RULE}:5:22: builtin_error: \`time.now_ns\` is never allowed: is not reproducible`,
    ],
    ["a builtin under a `with`", RULE, rule('deny contains "x" if input.a with time.now_ns as 1'), "`time.now_ns` is never allowed"],
    ["an unknown builtin", RULE, rule('deny contains "x" if nope(1)'), `${RULE}:5:22: rego_type_error: undefined function nope`],
    ["an unknown field", "bundles/tiny/bundle.json", spec({ extra: 1 }), "bundle_error: bundles/tiny/bundle.json: ``: unrecognized key"],
    [
      "an unknown rule",
      "bundles/tiny/bundle.json",
      spec({ rules: ["none"] }),
      "bundles/tiny/bundle.json: `policy/gate/rules/none` does not exist",
    ],
    [
      "a rule outside its folder",
      "bundles/tiny/bundle.json",
      spec({ rules: ["../../x"] }),
      "bundle_error: bundles/tiny/bundle.json: `rules.0`",
    ],
    [
      "an optimiser that loses denials",
      "bundles/tiny/bundle.json",
      spec({ entrypoints: ["gate/decision", "gate/listing"], optimize: 1 }),
      "`optimize`: must be 0 with more than one entrypoint",
    ],
    [
      "an unknown entrypoint",
      "bundles/tiny/bundle.json",
      spec({ entrypoints: ["gate/nope"] }),
      'entrypoint "gate/nope" does not refer to a rule or policy decision',
    ],
    [
      "a self-test that fails",
      "bundles/tiny/bundle.json",
      spec({ self_test: [{ input: { command: "zz" }, allow: true }] }),
      'self-test: input {"command":"zz"} gives allow false, not true',
    ],
    [
      "a gate that allows the empty input",
      "policy/gate/main.rego",
      'package gate\n\ndecision := {"allow": true}\n\nlisting := decision\n',
      "self-test: input {} gives allow true, not false",
    ],
    ["capabilities that are no object", "policy/capabilities.json", "[]", "bundle_error: policy/capabilities.json: not a JSON object"],
  ];

  it.each(REFUSALS)("%s is refused, and what was built before stays", SLOW, async (...[, file, text, message]) => {
    const cwd = tree({ ...houseTree(capabilities), "wasm/tiny/policy.wasm": "old", [file]: text });
    const { exitCode, out, err } = await build(cwd);
    expect(err).toContain(message);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(readdirSync(join(cwd, "wasm"))).toEqual(["tiny"]);
    expect(read(cwd, "wasm/tiny/policy.wasm")).toBe("old");
  });

  // Trials W12: OPA's optimiser panics for this policy without data.
  it("an optimiser that panics is an error, and what was built before stays", SLOW, async () => {
    const { "bundles/tiny/data.json": _data, ...files } = houseTree(capabilities);
    const cwd = tree({ ...files, "bundles/tiny/bundle.json": spec({ optimize: 1 }), "wasm/tiny/policy.wasm": "old" });
    expect(await build(cwd)).toEqual({
      exitCode: 1,
      out: "",
      err: "1 error occurred:\ntoolchain.panic: runtime error: index out of range [0] with length 0\n",
    });
    expect(read(cwd, "wasm/tiny/policy.wasm")).toBe("old");
    expect((await build(tree(houseTree(capabilities)))).exitCode).toBe(0);
  });

  it("says why the capabilities leave a builtin out", SLOW, async () => {
    const { builtins, ...rest } = JSON.parse(capabilities) as { builtins: { name: string }[] };
    const cut = JSON.stringify({ ...rest, builtins: builtins.filter(({ name }) => name !== "replace") });
    const { err } = await build(tree({ ...houseTree(cut), [RULE]: rule('deny contains "x" if replace(input.a, "b", "") == ""') }));
    expect(err).toContain(`${RULE}:5:22: rego_type_error: undefined function replace (wrong in WASM: never returns for an empty pattern`);
  });

  it("a rule that is a link is refused", SLOW, async () => {
    const cwd = tree({
      ...houseTree(capabilities),
      "elsewhere/other.rego": "package gate.rules.other\n",
      "bundles/tiny/bundle.json": spec({ rules: ["other"] }),
    });
    symlinkSync("../../../elsewhere", join(cwd, "policy/gate/rules/other"));
    expect((await build(cwd)).err).toBe("1 error occurred:\nbundle_error: policy/gate/rules/other: leads over a link\n");
  });

  it("a missing capabilities document is refused", SLOW, async () => {
    const { "policy/capabilities.json": _capabilities, ...files } = houseTree(capabilities);
    expect(await build(tree(files))).toMatchObject({
      exitCode: 1,
      err: "1 error occurred:\nbundle_error: policy/capabilities.json: not a regular file\n",
    });
  });

  it("writes no bundle when one of them fails", SLOW, async () => {
    const cwd = tree({ ...houseTree(capabilities), "bundles/bad/bundle.json": "{}" });
    expect((await build(cwd)).exitCode).toBe(1);
    expect(readdirSync(cwd)).not.toContain("wasm");
  });
});

describe("any policy", () => {
  it("builds a bundle from entrypoints, by flag or annotation", SLOW, async () => {
    const cwd = tree({
      "p/a.rego": "package a\n\nq if input.x\n",
      "p/b.rego": "package b\n\n# METADATA\n# entrypoint: true\nr if input.y\n",
      "p/data.json": '{"z": 1}',
    });
    expect(await build(cwd, { paths: ["p"], entrypoints: ["a/q"] })).toEqual({ exitCode: 0, out: "", err: "" });
    expect(readFileSync(join(cwd, "bundle.tar.gz")).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect((await build(cwd, { paths: ["p/b.rego"], output: "b.tgz" })).exitCode).toBe(0);
    expect(readdirSync(cwd)).toContain("b.tgz");
  });

  it("says which builtins the host must supply, and where they are called", SLOW, async () => {
    const cwd = tree({ "p/a.rego": 'package a\n\nq := sprintf("%s", [input.x])\n\nr if time.now_ns() > 1\n' });
    const { exitCode, err } = await build(cwd, { paths: ["p"], entrypoints: ["a/q"] });
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "p/a.rego:3:6: the host must supply `sprintf`\n" });
  });

  it("refuses for a gate what its engine would refuse at load, and writes nothing", SLOW, async () => {
    const uses = (name: string) => `package ${name}\n\ndecision := replace(input.a, "b", "c")\n`;
    const cwd = tree({ "p/a.rego": uses("gate"), "q/a.rego": uses("other") });
    const { exitCode, err } = await build(cwd, { paths: ["p"], entrypoints: ["gate/decision"] });
    expect([exitCode, err]).toEqual([1, expect.stringContaining("p/a.rego:3:13: builtin_error: `replace` is wrong in WASM") as string]);
    expect(readdirSync(cwd)).not.toContain("bundle.tar.gz");
    expect((await build(cwd, { paths: ["q"], entrypoints: ["other/decision"] })).exitCode).toBe(0);
  });

  it("reports every error and writes nothing", SLOW, async () => {
    const cwd = tree({ "p/a.rego": "package a\n\nq if {\n", "p/b.rego": "package b\n\nq if }\n" });
    const { exitCode, err } = await build(cwd, { paths: ["p"], entrypoints: ["a/q"] });
    expect(exitCode).toBe(1);
    expect(err).toMatch(/^2 errors occurred:\np\/a\.rego:4:0: rego_parse_error: .*\np\/b\.rego:3:6: rego_parse_error: /su);
    expect(readdirSync(cwd)).toEqual(["p"]);
  });

  it("warns of a manifest that it does not read", SLOW, async () => {
    const cwd = tree({ "p/a.rego": "package a\n\nq if input.x\n", "p/.manifest": '{"roots": ["a"]}' });
    expect((await build(cwd, { paths: ["p"], entrypoints: ["a/q"] })).err).toContain(
      'Warning: .manifest file found in "p" but -b flag not specified.',
    );
    expect((await build(cwd, { paths: ["p"], entrypoints: ["a/q"], bundle: true })).err).toBe("");
  });

  it("needs something to build", SLOW, async () => {
    expect(await build(tree({}))).toMatchObject({
      exitCode: 1,
      err: "1 error occurred:\nno bundles/<name>/bundle.json here: name files or folders to build\n",
    });
    expect(await build(tree({}), { paths: ["nope"] })).toMatchObject({
      exitCode: 1,
      err: "1 error occurred:\nload_error: nope: no such file or directory\n",
    });
    expect(await build(tree({ "bundles/team/bundle.json": "{}" }), { paths: ["taem"] })).toMatchObject({
      exitCode: 1,
      err: "1 error occurred:\nno bundle `taem` in bundles/: there are team\n",
    });
  });
});

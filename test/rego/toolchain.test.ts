import { describe, expect, it } from "vitest";
import { errorsOf, sharedToolchain, SLOW, valueOf } from "./support.ts";

const toolchain = sharedToolchain();
const rego = (text: string, path = "p/a.rego"): ReadonlyMap<string, string> => new Map([[path, text]]);
const POLICY = 'package a\n\n# METADATA\n# title: Allow\n# entrypoint: true\nallow if input.user == "root"\n';

describe("version and capabilities", () => {
  it("is OPA 1.22.4, built by the pinned Go", SLOW, async () => {
    expect(valueOf(await toolchain.version())).toEqual({ opa: "1.22.4", go: "go1.26.8" });
  });

  it("knows the builtins of this version and of older ones", SLOW, async () => {
    const names = (document: object): readonly string[] => (document as { builtins: { name: string }[] }).builtins.map(({ name }) => name);
    expect(names(valueOf(await toolchain.capabilities()))).toContain("array.flatten");
    expect(names(valueOf(await toolchain.capabilities("v0.60.0")))).not.toContain("array.flatten");
    expect(errorsOf(await toolchain.capabilities("v9.9.9"))).toEqual([{ code: "error", message: "no capabilities version found v9.9.9" }]);
  });
});

describe("check", () => {
  it("says how many modules are fine", SLOW, async () => {
    expect(valueOf(await toolchain.check({ files: rego(POLICY) }))).toEqual({ modules: 1 });
  });

  const cases: readonly (readonly [name: string, text: string, code: string, row: number, col: number])[] = [
    ["a syntax error", "package a\n\nallow if {", "rego_parse_error", 3, 10],
    ["an unsafe variable", "package a\n\nallow if {\n\tx == 1\n}", "rego_unsafe_var_error", 4, 2],
    ["a type error", 'package a\n\nallow if {\n\t1 + "a" == 2\n}', "rego_type_error", 4, 2],
    ["recursion", "package a\n\np if q\n\nq if p", "rego_recursion_error", 3, 1],
    ["an unknown function", "package a\n\np if nope(1)", "rego_type_error", 3, 6],
  ];
  it.each(cases)("%s has its place", SLOW, async (...[, text, code, row, col]) => {
    const [error] = errorsOf(await toolchain.check({ files: rego(text) }));
    expect(error).toMatchObject({ code, location: { file: "p/a.rego", row, col } });
  });

  it("reports every file and every error", SLOW, async () => {
    const files = new Map([
      ["a.rego", "package a\n\np if {"],
      ["b.rego", "package b\n\np if }"],
    ]);
    expect(errorsOf(await toolchain.check({ files })).map(({ location }) => location?.file)).toEqual(["a.rego", "b.rego"]);
    const many = Array.from({ length: 30 }, (_, index) => `p${index} if x${index} == 1`).join("\n");
    expect(errorsOf(await toolchain.check({ files: rego(`package a\n${many}`) }))).toHaveLength(11);
    expect(errorsOf(await toolchain.check({ files: rego(`package a\n${many}`), maxErrors: 40 }))).toHaveLength(30);
  });

  it("refuses unused imports only when strict", SLOW, async () => {
    const files = rego("package a\n\nimport data.b\n\np := 1");
    expect(valueOf(await toolchain.check({ files }))).toEqual({ modules: 1 });
    expect(errorsOf(await toolchain.check({ files, strict: true }))[0]).toMatchObject({
      code: "rego_compile_error",
      message: "import data.b unused",
      location: { row: 3, col: 1 },
    });
  });

  it("types references by a schema", SLOW, async () => {
    const files = rego("package a\n\np if input.nmae == 1");
    const schema = JSON.stringify({ type: "object", properties: { name: { type: "string" } }, additionalProperties: false });
    expect(errorsOf(await toolchain.check({ files, schemas: new Map([["", schema]]) }))[0]).toMatchObject({
      code: "rego_type_error",
      message: "undefined ref: input.nmae",
      location: { file: "p/a.rego", row: 3, col: 6 },
    });
    const annotated = rego("# METADATA\n# scope: package\n# schemas:\n#   - input: schema.deep.input\npackage a\n\np if input.nmae == 1");
    expect(errorsOf(await toolchain.check({ files: annotated, schemas: new Map([["deep/input.json", schema]]) }))).toHaveLength(1);
  });

  it("knows no function that the capabilities leave out", SLOW, async () => {
    const all = valueOf(await toolchain.capabilities()) as { builtins: { name: string }[] };
    const capabilities = { ...all, builtins: all.builtins.filter(({ name }) => name !== "http.send") };
    const files = rego('package a\n\np := http.send({"url": "x", "method": "get"})');
    expect(valueOf(await toolchain.check({ files }))).toEqual({ modules: 1 });
    expect(errorsOf(await toolchain.check({ files, capabilities }))[0]).toMatchObject({
      message: "undefined function http.send",
      location: { row: 3, col: 6 },
    });
  });

  it("reads Rego v0 when it is told to", SLOW, async () => {
    const files = rego("package a\n\nallow { input.x }");
    expect(errorsOf(await toolchain.check({ files }))[0]?.code).toBe("rego_parse_error");
    expect(valueOf(await toolchain.check({ files, regoVersion: "v0" }))).toEqual({ modules: 1 });
  });
});

describe("build", () => {
  it("gives the module, the data and OPA's bundle", SLOW, async () => {
    const files = new Map([
      ["p/a.rego", POLICY],
      ["p/data.json", '{"b": 1.50}'],
    ]);
    const built = valueOf(await toolchain.build({ files, paths: ["p"] }));
    expect(WebAssembly.Module.exports(new WebAssembly.Module(built.wasm as Uint8Array<ArrayBuffer>)).map(({ name }) => name)).toContain(
      "opa_eval",
    );
    expect(Buffer.from(built.data).toString()).toBe('{"b":1.50}\n');
    expect(built.archive.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(built.manifest["wasm"]).toMatchObject([{ entrypoint: "a/allow", module: "/policy.wasm" }]);
  });

  it("has the same bytes whatever the order of the files, and again", SLOW, async () => {
    const texts = ["a", "b", "c"].map((name) => [`p/${name}.rego`, `package ${name}\n\np if input.${name}`] as const);
    const build = async (files: readonly (readonly [string, string])[]) => {
      const built = valueOf(await toolchain.build({ files: new Map(files), paths: ["p"], entrypoints: ["a/p", "b/p"] }));
      return Buffer.from(built.archive).toString("base64");
    };
    const first = await build(texts);
    expect(await build([...texts].reverse())).toBe(first);
    expect(await build(texts)).toBe(first);
  });

  it("refuses an entrypoint that is not there, and a build without one", SLOW, async () => {
    expect(errorsOf(await toolchain.build({ files: rego("package a\n\np := 1"), entrypoints: ["a/q"] }))[0]?.message).toBe(
      'entrypoint "a/q" does not refer to a rule or policy decision',
    );
    expect(errorsOf(await toolchain.build({ files: rego("package a\n\np := 1") }))[0]?.message).toBe(
      "wasm compilation requires at least one entrypoint",
    );
  });

  it("signs a bundle and verifies it, and sees a changed byte", SLOW, async () => {
    const files = new Map([["p/a.rego", POLICY]]);
    const { archive } = valueOf(await toolchain.build({ files, paths: ["p"], bundle: true, key: "secret", algorithm: "HS256" }));
    expect(valueOf(await toolchain.verify(archive, { key: "secret", algorithm: "HS256" }))).toMatchObject({ roots: [""] });
    expect(errorsOf(await toolchain.verify(archive, { key: "other", algorithm: "HS256" }))).toHaveLength(1);
    const unsigned = valueOf(await toolchain.build({ files, paths: ["p"], bundle: true })).archive;
    expect(errorsOf(await toolchain.verify(unsigned, { key: "secret", algorithm: "HS256" }))).toHaveLength(1);
  });
});

describe("test", () => {
  const files = new Map([
    [
      "t/b_test.rego",
      'package b_test\n\ntest_two if {\n\tprint("seen", input)\n\t1 == 1\n}\n\ntest_two if 1 == 2\n\ntodo_test_three if 1 == 1\n',
    ],
    [
      "t/a_test.rego",
      'package a_test\n\ntest_each[note] if {\n\tsome note, n in {"one": 1, "two": 2}\n\tn == 1\n}\n\ntest_error if {\n\tx := {k: v | some k, v in {"a": 1}}\n\tx.a == 1\n}\n',
    ],
  ]);

  it("gives every test by file and row, with cases and what was printed", SLOW, async () => {
    const { tests } = valueOf(await toolchain.test({ files }));
    expect(tests.map(({ location, name, status }) => [location.file, location.row, name, status])).toEqual([
      ["t/a_test.rego", 3, "test_each", "fail"],
      ["t/a_test.rego", 8, "test_error", "pass"],
      ["t/b_test.rego", 3, "test_two", "pass"],
      ["t/b_test.rego", 8, "test_two#01", "fail"],
      ["t/b_test.rego", 10, "todo_test_three", "skip"],
    ]);
    expect(tests[0]?.sub_results).toEqual([
      { path: ["one"], status: "pass", leaf: true },
      { path: ["two"], status: "fail", leaf: true },
    ]);
    expect(tests[2]?.output).toBe("seen <undefined>\n");
  });

  it("runs what the filter names", SLOW, async () => {
    const { tests } = valueOf(await toolchain.test({ files, run: "test_(two|error)" }));
    expect(tests.map(({ location }) => [location.file, location.row])).toEqual([
      ["t/a_test.rego", 8],
      ["t/b_test.rego", 3],
      ["t/b_test.rego", 8],
    ]);
  });

  it("is an error of the test when two values conflict", SLOW, async () => {
    const conflict = rego("package c_test\n\np := 1 if true\n\np := 2 if true\n\ntest_p if p == 1");
    const { tests } = valueOf(await toolchain.test({ files: conflict }));
    expect(tests[0]).toMatchObject({ status: "error", error: [{ code: "eval_conflict_error", location: { row: 5, col: 1 } }] });
  });

  it("counts coverage, with the kinds of what is not covered", SLOW, async () => {
    const covered = rego('package a\n\np if input.x == 1\n\np if input.y == 2\n\ntest_p if p with input as {"x": 1}\n');
    const { coverage } = valueOf(await toolchain.test({ files: covered, coverage: true }));
    expect(coverage).toMatchObject({ covered_lines: 2, not_covered_lines: 1 });
    expect(coverage?.files["p/a.rego"]?.not_covered?.[0]).toMatchObject({ start: { row: 5 }, end: { row: 5 } });
  });

  it("gives no coverage when a test failed", SLOW, async () => {
    expect(valueOf(await toolchain.test({ files, coverage: true })).coverage).toBeUndefined();
  });

  it("mounts data below the folders that a path does not name", SLOW, async () => {
    const text = "package a_test\n\ntest_data if data.default.regate.x == 1\n\ntest_prefix if data.extra.y == 2\n";
    const data = new Map([
      ["bundles/default/data.json", '{"regate": {"x": 1}}'],
      ["more.yaml", "y: 2"],
      ["p/a_test.rego", text],
    ]);
    const { tests } = valueOf(await toolchain.test({ files: data, paths: ["p", "bundles", "extra:more.yaml"] }));
    expect(tests.map(({ status }) => status)).toEqual(["pass", "pass"]);
  });

  it("fails to load a conflict of data and a package", SLOW, async () => {
    const clash = new Map([
      ["p/a.rego", "package a\n\nb := 1"],
      ["p/data.json", '{"a": {"b": 2}}'],
    ]);
    expect(errorsOf(await toolchain.test({ files: clash, paths: ["p"] }))[0]?.message).toContain("conflicting rule for data path a/b");
  });
});

describe("format, parse, inspect and yaml", () => {
  it("formats what it can and says what it cannot", SLOW, async () => {
    const files = new Map([
      ["a.rego", "package a\nallow if { input.x ; input.y }"],
      ["b.rego", "package b\n\nallow if {"],
    ]);
    const { formatted, errors } = valueOf(await toolchain.format({ files }));
    expect(formatted.get("a.rego")).toBe("package a\n\nallow if {\n\tinput.x\n\tinput.y\n}\n");
    expect(errors).toMatchObject([{ code: "rego_parse_error", location: { file: "b.rego", row: 3 } }]);
  });

  it("parses with annotations, and with locations when asked", SLOW, async () => {
    const plain = valueOf(await toolchain.parse({ files: rego(POLICY) })).get("p/a.rego");
    expect(JSON.stringify(plain)).not.toContain('"location"');
    expect(plain?.["annotations"]).toEqual([{ entrypoint: true, scope: "document", title: "Allow" }]);
    const placed = valueOf(await toolchain.parse({ files: rego(POLICY), locations: true })).get("p/a.rego") as {
      rules: { location: object }[];
    };
    expect(placed.rules[0]?.location).toEqual({ file: "p/a.rego", row: 6, col: 1 });
  });

  it("takes any path and any key as plain data", SLOW, async () => {
    const trees = valueOf(await toolchain.parse({ files: rego("package a", "__proto__") }));
    expect([...trees.keys()]).toEqual(["__proto__"]);
    const values = valueOf(await toolchain.yaml(new Map([["__proto__", "constructor: [1]"]])));
    expect(values.get("__proto__")).toEqual(JSON.parse('{"constructor": [1]}'));
  });

  it("lists annotations", SLOW, async () => {
    expect(valueOf(await toolchain.inspect({ files: rego(POLICY) }))).toMatchObject([
      { annotations: { title: "Allow" }, path: [{ value: "data" }, { value: "a" }, { value: "allow" }] },
    ]);
  });
});

describe("evaluate, prepare and many", () => {
  it("evaluates with input, data, output, trace and coverage", SLOW, async () => {
    const files = rego('package a\n\np if {\n\tprint("x is", input.x)\n\tinput.x == data.limit\n}');
    const answer = valueOf(
      await toolchain.evaluate({ files, query: "data.a.p", input: '{"x": 3}', data: { limit: 3 }, explain: "full", coverage: true }),
    );
    expect(answer.result[0]?.expressions[0]?.value).toBe(true);
    expect(answer.output).toBe("x is 3\n");
    expect(answer.explanation).toContain("Enter data.a.p");
    expect(answer.coverage?.coverage).toBe(100);
    expect(valueOf(await toolchain.evaluate({ files, query: "data.a.p", input: '{"x": 4}', data: { limit: 3 } })).result).toEqual([]);
    expect(valueOf(await toolchain.evaluate({ files, query: "data.a.p" })).result).toEqual([]);
  });

  it("evaluates a prepared query line by line", SLOW, async () => {
    const prepared = valueOf(await toolchain.prepare({ files: rego("package a\n\np := input.x"), query: "data.a.p" }));
    const answers = valueOf(await toolchain.many(prepared, ['{"x": 12345678901234567890}', "{}", "{", '{"x":\n"<b>"}']));
    expect(answers).toEqual([
      { kind: "result", value: Number("12345678901234567890"), text: "12345678901234567890" },
      { kind: "undefined" },
      { kind: "error", message: "input: unexpected EOF" },
      { kind: "result", value: "<b>", text: '"<b>"' },
    ]);
    expect(valueOf(await toolchain.release(prepared))).toBe(0);
    expect(errorsOf(await toolchain.many(prepared, ["{}"]))[0]?.message).toBe(`no prepared query ${prepared.handle}`);
  });

  it("keeps order over many chunks", SLOW, async () => {
    const prepared = valueOf(await toolchain.prepare({ files: rego("package a\n\np := input.n + 1"), query: "data.a.p" }));
    const inputs = Array.from({ length: 2500 }, (_, n) => JSON.stringify({ n }));
    const answers = valueOf(await toolchain.many(prepared, inputs));
    expect(answers.map((answer) => (answer.kind === "result" ? answer.value : answer))).toEqual(inputs.map((_, n) => n + 1));
    expect(valueOf(await toolchain.many(prepared, []))).toEqual([]);
  });

  it("turns a builtin's error into undefined, or into an error when strict", SLOW, async () => {
    const query = { files: rego("package a\n\np := to_number(input.x)"), query: "data.a.p", input: '{"x": "no"}' };
    expect(valueOf(await toolchain.evaluate(query)).result).toEqual([]);
    expect(errorsOf(await toolchain.evaluate({ ...query, strictBuiltinErrors: true }))[0]).toMatchObject({
      code: "eval_builtin_error",
      location: { row: 3, col: 6 },
    });
  });

  it("prefers the evaluation's error to the parser's", SLOW, async () => {
    const query = { files: rego('package a\n\np := rego.parse_module("x.rego", "package")'), query: "data.a.p", strictBuiltinErrors: true };
    expect(errorsOf(await toolchain.evaluate(query))[0]?.code).toBe("eval_builtin_error");
  });
});

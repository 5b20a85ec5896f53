import { describe, expect, it } from "vitest";
import { policyTest } from "../../src/rego/policy-test.ts";
import type { PolicyTestOptions } from "../../src/rego/policy-test.ts";
import { capture, sharedToolchain, SLOW, tree } from "./support.ts";

const toolchain = sharedToolchain();

const PASSING = 'package good_test\n\np if input.x == 1\n\np if input.y == 2\n\ntest_p if p with input as {"x": 1}\n';
const FAILING =
  'package bad_test\n\ntest_each[note] if {\n\tsome note, n in {"a<b": 1, "two": 2}\n\tn == 1\n}\n\ntest_print if {\n\tprint("printed & shown")\n\tfalse\n}\n';
const FILES = {
  "good/a_test.rego": PASSING,
  "bad/b_test.rego": FAILING,
  "skip/c_test.rego": "package skip_test\n\ntodo_test_later if 1 == 1\n",
  "broken/d.rego": "package d\n\np if {\n",
};

async function run(options: Partial<PolicyTestOptions>, cwd = tree(FILES)) {
  const { io, written } = capture();
  return { ...(await policyTest({ cwd, toolchain, ...io, ...options })), ...written };
}

/** Durations differ from run to run. */
const timeless = (text: string): string =>
  text.replaceAll(/\([\d.]+(?:ns|µs|ms|s)\)/gu, "(TIME)").replaceAll(/time="[\d.]+"/gu, 'time="T"');

describe("policy test", () => {
  it("prints what passed", SLOW, async () => {
    expect(await run({ paths: ["good"] })).toEqual({ exitCode: 0, out: "PASS: 1/1\n", err: "" });
  });

  it("prints failures with their cases and what they printed, exit code 2", SLOW, async () => {
    const { exitCode, out, err } = await run({ paths: ["bad"] });
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: "" });
    expect(timeless(out)).toBe(
      [
        "bad/b_test.rego:3:",
        "data.bad_test.test_each: FAIL (TIME)",
        "  two: FAIL",
        "bad/b_test.rego:8:",
        "data.bad_test.test_print: FAIL (TIME)",
        "",
        "  printed & shown",
        "",
        "-".repeat(80),
        "PASS: 1/3",
        "FAIL: 2/3",
        "",
      ].join("\n"),
    );
  });

  it("explains failures when asked", SLOW, async () => {
    const { out } = await run({ paths: ["bad"], run: "test_print", explain: "fails" });
    expect(out).toContain("FAILURES");
    expect(out).toContain("bad/b_test.rego:8");
  });

  it("counts skipped tests as failed unless told otherwise", SLOW, async () => {
    expect(await run({ paths: ["skip"] })).toMatchObject({ exitCode: 2, out: expect.stringContaining("SKIPPED: 1/1") as string });
    expect((await run({ paths: ["skip"], exitZeroOnSkipped: true })).exitCode).toBe(0);
  });

  it("is exit code 1 when something cannot be loaded, with every error", SLOW, async () => {
    expect(await run({ paths: ["broken"] })).toMatchObject({
      exitCode: 1,
      out: "",
      err: expect.stringContaining("broken/d.rego:4:0: rego_parse_error: ") as string,
    });
    expect(await run({ paths: ["nope"] })).toMatchObject({
      exitCode: 1,
      err: "1 error occurred:\nload_error: nope: no such file or directory\n",
    });
  });

  it("fails on no tests when asked", SLOW, async () => {
    expect(await run({ paths: ["good"], run: "nothing" })).toEqual({ exitCode: 0, out: "", err: "" });
    expect((await run({ paths: ["good"], run: "nothing", format: "json" })).out).toBe("[]\n");
    expect(await run({ paths: ["good"], run: "nothing", failOnEmpty: true })).toMatchObject({ exitCode: 1, err: "no tests were run\n" });
  });

  it("gives OPA's JSON", SLOW, async () => {
    const { out } = await run({ paths: ["bad", "good"], format: "json" });
    const results = JSON.parse(out) as { location: { file: string; row: number }; fail?: boolean; sub_results?: object }[];
    expect(results.map(({ location, fail }) => [location.file, location.row, fail ?? false])).toEqual([
      ["bad/b_test.rego", 3, true],
      ["bad/b_test.rego", 8, true],
      ["good/a_test.rego", 7, false],
    ]);
    expect(results[0]?.sub_results).toEqual({ "a<b": { name: "a<b" }, two: { name: "two", fail: true } });
  });

  it("gives JUnit, a case for each case of a parameterised test", SLOW, async () => {
    const { out } = await run({ paths: ["bad", "skip"], format: "junit" });
    expect(timeless(out)).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        '  <testsuite name="data.bad_test" tests="3" failures="2" errors="0" skipped="0" time="T">',
        '    <testcase classname="data.bad_test" name="test_each[a&lt;b]" file="bad/b_test.rego" line="3" time="T"/>',
        '    <testcase classname="data.bad_test" name="test_each[two]" file="bad/b_test.rego" line="3" time="T">',
        '      <failure message="bad/b_test.rego:3: failed"></failure>',
        "    </testcase>",
        '    <testcase classname="data.bad_test" name="test_print" file="bad/b_test.rego" line="8" time="T">',
        '      <failure message="bad/b_test.rego:8: failed"></failure>',
        "      <system-out>printed &amp; shown&#10;</system-out>",
        "    </testcase>",
        "  </testsuite>",
        '  <testsuite name="data.skip_test" tests="1" failures="0" errors="0" skipped="1" time="T">',
        '    <testcase classname="data.skip_test" name="todo_test_later" file="skip/c_test.rego" line="3" time="T">',
        "      <skipped/>",
        "    </testcase>",
        "  </testsuite>",
        "</testsuites>",
        "",
      ].join("\n"),
    );
  });

  it("reports coverage, and what is missing below the threshold", SLOW, async () => {
    const { exitCode, out } = await run({ paths: ["good"], coverage: true });
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ covered_lines: 2, not_covered_lines: 1 });
    expect(await run({ paths: ["good"], threshold: 100 })).toEqual({
      exitCode: 2,
      out: "",
      err: "Code coverage threshold not met: got 66.67 instead of 100.00\nLines not covered:\n\tgood/a_test.rego:5\n",
    });
    expect((await run({ paths: ["good"], threshold: 60 })).exitCode).toBe(0);
    expect(await run({ paths: ["good"], threshold: 101 })).toMatchObject({
      exitCode: 1,
      err: "1 error occurred:\nCode coverage threshold must be between 0 and 100\n",
    });
    expect((await run({ paths: ["bad"], threshold: 100 })).out).toContain("FAIL: 2/3");
  });

  it("runs each path as a suite of its own", SLOW, async () => {
    const clash = {
      "one/a_test.rego": "package a_test\n\nx := 1\n\ntest_x if x == 1\n",
      "two/a_test.rego": "package a_test\n\nx := 2\n\ntest_x if x == 2\n",
    };
    const cwd = tree(clash);
    expect((await run({ paths: ["one", "two"] }, cwd)).exitCode).toBe(2);
    expect(await run({ paths: ["*"], each: true }, cwd)).toEqual({ exitCode: 0, out: "one:\nPASS: 1/1\ntwo:\nPASS: 1/1\n", err: "" });
    const { out } = await run({ paths: ["one", "two"], each: true, format: "json" }, cwd);
    expect(JSON.parse(out)).toHaveLength(2);
  });

  it("goes on after a suite that cannot be loaded", SLOW, async () => {
    const { exitCode, out, err } = await run({ paths: ["broken", "good"], each: true });
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "good:\nPASS: 1/1\n" });
    expect(err).toContain("broken/d.rego:4:0");
  });

  it("reads bundles by their manifests", SLOW, async () => {
    const files = {
      "b/.manifest": '{"roots": ["a_test", "x"]}',
      "b/x/data.json": '{"n": 1}',
      "b/a_test.rego": "package a_test\n\ntest_x if data.x.n == 1\n",
    };
    expect(await run({ paths: ["b"], bundle: true }, tree(files))).toMatchObject({ exitCode: 0, out: "PASS: 1/1\n" });
    const outside = tree({ ...files, "b/.manifest": '{"roots": ["x"]}' });
    expect((await run({ paths: ["b"], bundle: true }, outside)).err).toContain("manifest roots [x] do not permit 'package a_test'");
  });

  it("reads Rego v0 when told to", SLOW, async () => {
    const cwd = tree({ "a_test.rego": "package a_test\n\ntest_x { 1 == 1 }\n" });
    expect((await run({ paths: ["."] }, cwd)).exitCode).toBe(1);
    expect((await run({ paths: ["."], v0Compatible: true }, cwd)).exitCode).toBe(0);
  });

  it("ignores base names, and passes when nothing is left", SLOW, async () => {
    expect(await run({ paths: ["bad", "good"], ignore: ["b_test.rego"] })).toEqual({ exitCode: 0, out: "PASS: 1/1\n", err: "" });
  });
});

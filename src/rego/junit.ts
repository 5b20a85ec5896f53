import type { SubResult, TestResult } from "./results.ts";

interface Case {
  readonly test: TestResult;
  /** What the test printed, at its first case. */
  readonly output: string | undefined;
  readonly name: string;
  readonly status: TestResult["status"];
}

/**
 * Test results as JUnit XML: a suite for each package, a case for each test, and for a parameterised test one for each of its cases.
 */
export function renderJunit(tests: readonly TestResult[]): string {
  const suites = new Map<string, Case[]>();
  for (const test of tests) suites.set(test.package, [...(suites.get(test.package) ?? []), ...casesOf(test)]);
  const body = [...suites].map(([name, cases]) => suite(name, cases)).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${body}</testsuites>\n`;
}

function casesOf(test: TestResult): readonly Case[] {
  const leaves = (test.sub_results ?? []).filter(({ leaf }) => leaf);
  if (leaves.length === 0) return [{ test, output: test.output, name: test.name, status: test.status }];
  return leaves.map((leaf, index) => ({
    test,
    output: index === 0 ? test.output : undefined,
    name: caseName(test, leaf),
    status: leaf.status,
  }));
}

function caseName(test: TestResult, { path }: SubResult): string {
  return `${test.name}${path.map((part) => `[${part}]`).join("")}`;
}

function suite(name: string, cases: readonly Case[]): string {
  const count = (status: Case["status"]): number => cases.filter((one) => one.status === status).length;
  const numbers = { tests: cases.length, failures: count("fail"), errors: count("error"), skipped: count("skip") };
  const seconds = new Map(cases.map(({ test }) => [test, test.duration_ns]));
  const time = toSeconds([...seconds.values()].reduce((sum, duration) => sum + duration, 0));
  return `  <testsuite${attributes({ name, ...numbers, time })}>\n${cases.map(testcase).join("")}  </testsuite>\n`;
}

function testcase({ test, output, name, status }: Case): string {
  const { file, row } = test.location;
  const head = `    <testcase${attributes({ classname: test.package, name, file, line: row, time: toSeconds(test.duration_ns) })}`;
  const inside = [outcome(test, status), output === undefined ? "" : `      <system-out>${escape(output)}</system-out>\n`].join("");
  return inside === "" ? `${head}/>\n` : `${head}>\n${inside}    </testcase>\n`;
}

function outcome(test: TestResult, status: Case["status"]): string {
  if (status === "skip") return "      <skipped/>\n";
  if (status === "fail")
    return `      <failure${attributes({ message: `${test.location.file}:${test.location.row}: failed` })}>${escape(test.trace ?? "")}</failure>\n`;
  if (status === "pass") return "";
  const message = (test.error ?? []).map((problem) => problem.message).join("; ");
  return `      <error${attributes({ message, type: test.error?.[0]?.code ?? "error" })}/>\n`;
}

function toSeconds(nanoseconds: number): string {
  return (nanoseconds / 1e9).toFixed(6);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
  "\r": "&#13;",
};

/** XML 1.0 has no other control characters, and no surrogates alone: they become U+FFFD. */
function escape(text: string): string {
  const legal = text.toWellFormed().replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, "\u{fffd}");
  return legal.replaceAll(/[&<>"\n\t\r]/gu, (char) => ENTITIES[char] ?? char);
}

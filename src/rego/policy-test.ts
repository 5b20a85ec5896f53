import { regoOptions, withToolchain } from "./command.ts";
import type { CommonOptions } from "./command.ts";
import { thresholdMessage } from "./coverage.ts";
import { expandPaths } from "./expand.ts";
import { gather, GatherError } from "./gather.ts";
import { renderJunit } from "./junit.ts";
import { complain, problemsOf, reportProblems } from "./report.ts";
import type { CommandIo, CommandResult } from "./report.ts";
import type { TestReport } from "./results.ts";
import type { Toolchain } from "./toolchain.ts";

/** `regate policy test`; names and meanings are those of `opa test`. */
export interface PolicyTestOptions extends CommonOptions, CommandIo {
  readonly format?: "pretty" | "json" | "junit";
  /** `-r`: regular expression on `data.package.test_name`. */
  readonly run?: string;
  readonly verbose?: boolean;
  readonly varValues?: boolean;
  readonly coverage?: boolean;
  /** Percent, 0 to 100; more than 0 turns coverage on. */
  readonly threshold?: number;
  readonly explain?: "fails" | "full" | "notes" | "debug";
  /** Time limit of one test in ms, 60,000 when absent: the engine is 7 to 16 times slower than native OPA, whose limit is 5 s. */
  readonly timeoutMs?: number;
  /** Each path is a suite of its own, in one process. */
  readonly each?: boolean;
  readonly failOnEmpty?: boolean;
  /** `-z`: skipped tests do not count as failed. */
  readonly exitZeroOnSkipped?: boolean;
}

type ExitCode = CommandResult["exitCode"];

interface Suite {
  /** Path of the suite, with `each`. */
  readonly title?: string;
  readonly report: TestReport;
}

/**
 * Runs the tests of Rego files as `opa test` does: exit code 2 when a test failed, was skipped, or coverage is below the threshold; 1 when
 * something could not be loaded.
 */
export async function policyTest(options: PolicyTestOptions): Promise<CommandResult> {
  return withToolchain(options, options.format === "json" ? "json" : "pretty", async (toolchain) => {
    const { paths = [], threshold = 0, each = false } = options;
    if (!(threshold >= 0 && threshold <= 100)) throw new Error("Code coverage threshold must be between 0 and 100");
    const groups = each ? (await expandPaths(paths, options.cwd)).map((path) => [path]) : [paths];
    const suites: Suite[] = [];
    let exitCode: ExitCode = 0;
    for (const group of groups) {
      const report = await runSuite(toolchain, options, group);
      if (report === undefined) exitCode = 1;
      else suites.push({ report, ...(each ? { title: group.join(" ") } : {}) });
    }
    show(options, suites);
    return { exitCode: worst(exitCode, ...suites.map(({ report }) => judge(options, report))) };
  });
}

/** One suite's report, or undefined when it could not be loaded: the errors are written then. */
async function runSuite(toolchain: Toolchain, options: PolicyTestOptions, paths: readonly string[]): Promise<TestReport | undefined> {
  const { cwd, ignore = [], bundle = false, run, explain, varValues = false, threshold = 0 } = options;
  const errors = options.format === "json" ? "json" : "pretty";
  try {
    const files = await gather({ cwd, paths, ignore, bundle });
    const outcome = await toolchain.test({
      ...files,
      ...(await regoOptions(options, cwd)),
      ignore,
      coverage: options.coverage === true || threshold > 0,
      // As in OPA, an explanation is of no use without the long report.
      verbose: options.verbose === true || explain !== undefined,
      varValues,
      json: options.format === "json",
      timeoutMs: options.timeoutMs ?? 60_000,
      ...(run === undefined ? {} : { run }),
      ...(explain === undefined ? {} : { explain }),
    });
    if (outcome.ok) return outcome.value;
    reportProblems(options, problemsOf(outcome), errors);
  } catch (error) {
    if (!(error instanceof GatherError)) throw error;
    reportProblems(options, error.problems, errors);
  }
  return undefined;
}

/** Writes the results; with coverage, when every test passed, the coverage report in their place. */
function show(options: PolicyTestOptions, suites: readonly Suite[]): void {
  if (options.format === "junit") {
    options.write(renderJunit(suites.flatMap(({ report }) => report.tests)));
    return;
  }
  const covered = suites.filter(({ report }) => report.coverage !== undefined);
  const plain = suites.filter(({ report }) => report.coverage === undefined);
  if (options.format === "json" && suites.length > 1 && covered.length === 0) {
    const all = plain.flatMap(({ report }) => JSON.parse(report.text) as unknown[]);
    options.write(`${JSON.stringify(all, null, 2)}\n`);
    return;
  }
  for (const { title, report } of suites) {
    if (title !== undefined && options.format !== "json") options.write(`${title}:\n`);
    if (report.coverage === undefined) options.write(report.text);
    else if (report.coverage.coverage >= (options.threshold ?? 0)) options.write(`${JSON.stringify(report.coverage, null, 2)}\n`);
  }
}

/** Exit code of one suite; says what is not in the results. */
function judge(options: PolicyTestOptions, { tests, coverage }: TestReport): ExitCode {
  const { threshold = 0, failOnEmpty, exitZeroOnSkipped } = options;
  if (tests.length === 0 && failOnEmpty === true) {
    complain(options, "no tests were run\n");
    return 1;
  }
  if (coverage !== undefined && coverage.coverage < threshold) {
    complain(options, thresholdMessage(coverage, threshold));
    return 2;
  }
  const failed = tests.some(({ status }) => status === "fail" || status === "error" || (status === "skip" && exitZeroOnSkipped !== true));
  return failed ? 2 : 0;
}

/** What could not be loaded counts more than what failed. */
function worst(...codes: readonly ExitCode[]): ExitCode {
  if (codes.includes(1)) return 1;
  return codes.includes(2) ? 2 : 0;
}

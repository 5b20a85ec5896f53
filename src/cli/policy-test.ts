import type { Arguments, Command, Io } from "./command.ts";
import { given } from "./given.ts";
import { commonOptions, durationProblem, millisecondsOf, neededPaths, numberOf, POLICY_FLAGS } from "./policy-flags.ts";

function percentProblem(value: string): string | undefined {
  return /^\d{1,3}(\.\d{1,6})?$/.test(value) && Number(value) <= 100 ? undefined : "must be a number from 0 to 100";
}

async function run(args: Arguments, io: Io): Promise<number> {
  const { policyTest } = await import("../rego/policy-test.ts");
  const result = await policyTest({
    ...commonOptions(neededPaths(args, "policy test"), io),
    coverage: args.switches.has("coverage"),
    each: args.switches.has("each"),
    exitZeroOnSkipped: args.switches.has("exit-zero-on-skipped"),
    failOnEmpty: args.switches.has("fail-on-empty"),
    varValues: args.switches.has("var-values"),
    verbose: args.switches.has("verbose"),
    ...given("explain", args.values.get("explain") as "fails" | "full" | "notes" | "debug" | undefined),
    ...given("format", args.values.get("format") as "pretty" | "json" | "junit" | undefined),
    ...given("run", args.values.get("run")),
    ...given("threshold", numberOf(args, "threshold")),
    ...given("timeoutMs", millisecondsOf(args, "timeout")),
  });
  return result.exitCode;
}

/** `regate policy test`: OPA's test runner, without OPA. */
export const POLICY_TEST_COMMAND: Command = {
  path: ["policy", "test"],
  summary: "run the tests of policies as `opa test` does",
  options: [
    POLICY_FLAGS.bundle,
    POLICY_FLAGS.capabilities,
    { name: "coverage", short: "c", kind: "switch", assignable: true, describe: "report coverage" },
    { name: "each", kind: "switch", describe: "each path is a suite of its own" },
    { name: "exit-zero-on-skipped", short: "z", kind: "switch", assignable: true, describe: "skipped tests do not count as failed" },
    { name: "explain", kind: "text", placeholder: "HOW", choices: ["fails", "full", "notes", "debug"], describe: "explain evaluations" },
    { name: "fail-on-empty", kind: "switch", assignable: true, describe: "fail when no test was run" },
    {
      name: "format",
      short: "f",
      kind: "text",
      placeholder: "FORMAT",
      choices: ["pretty", "json", "junit"],
      describe: "output (default: pretty)",
    },
    POLICY_FLAGS.ignore,
    POLICY_FLAGS.maxErrors,
    { name: "run", short: "r", kind: "text", placeholder: "REGEX", describe: "run only tests whose full name matches" },
    POLICY_FLAGS.schema,
    {
      name: "threshold",
      kind: "text",
      placeholder: "PERCENT",
      problem: percentProblem,
      describe: "fail when coverage is lower; turns coverage on",
    },
    { name: "timeout", kind: "text", placeholder: "DURATION", problem: durationProblem, describe: "time limit of one test (default: 60s)" },
    POLICY_FLAGS.v0Compatible,
    { name: "var-values", kind: "switch", assignable: true, describe: "show values of local variables of failed tests" },
    { name: "verbose", short: "v", kind: "switch", assignable: true, describe: "show every test" },
  ],
  words: { name: "paths", describe: "files, folders and patterns", max: 10_000 },
  examples: [
    ["$0 policy test policy bundles", "run every test of two folders"],
    ["$0 policy test -v -r identity policy bundles", "only tests whose name matches, each shown"],
    ["$0 policy test --coverage --threshold 100 policy bundles", "fail below full coverage"],
  ],
  run,
};

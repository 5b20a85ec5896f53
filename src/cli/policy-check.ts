import type { Arguments, Command, Io } from "./command.ts";
import { given } from "./given.ts";
import { commonOptions, durationProblem, millisecondsOf, neededPaths, POLICY_FLAGS } from "./policy-flags.ts";

async function run(args: Arguments, io: Io): Promise<number> {
  const { policyCheck } = await import("../rego/policy-check.ts");
  const result = await policyCheck({
    ...commonOptions(neededPaths(args, "policy check"), io),
    forWasm: args.values.get("for") === "wasm",
    ...given("entrypoints", args.lists.get("entrypoint")),
    ...given("format", args.values.get("format") as "pretty" | "json" | undefined),
    ...given("timeoutMs", millisecondsOf(args, "timeout")),
  });
  return result.exitCode;
}

/** `regate policy check`: OPA's checker, without OPA. */
export const POLICY_CHECK_COMMAND: Command = {
  path: ["policy", "check"],
  summary: "check policies as `opa check` does; where there are bundles, by the house rules too",
  options: [
    POLICY_FLAGS.bundle,
    POLICY_FLAGS.capabilities,
    { name: "entrypoint", short: "e", kind: "list", placeholder: "PATH", describe: "entrypoint of the build of --for wasm (repeatable)" },
    {
      name: "for",
      kind: "text",
      placeholder: "TARGET",
      choices: ["wasm"],
      describe: "build too, and name builtins that WebAssembly lacks or gets wrong",
    },
    { name: "format", short: "f", kind: "text", placeholder: "FORMAT", choices: ["pretty", "json"], describe: "output (default: pretty)" },
    POLICY_FLAGS.ignore,
    POLICY_FLAGS.maxErrors,
    POLICY_FLAGS.schema,
    POLICY_FLAGS.strict,
    {
      name: "timeout",
      kind: "text",
      placeholder: "DURATION",
      problem: durationProblem,
      describe: "time limit of one call of the checker (default: 60s)",
    },
    POLICY_FLAGS.v0Compatible,
  ],
  words: { name: "paths", describe: "files, folders and patterns", max: 10_000 },
  examples: [
    ["$0 policy check --strict --schema policy/schemas policy bundles", "strict check with the input schema"],
    ["$0 policy check --for wasm policy", "would it build, and would WebAssembly decide it alike"],
  ],
  run,
};

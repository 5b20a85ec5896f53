import type { Arguments, Command, Io } from "./command.ts";
import { given } from "./given.ts";
import { commonOptions, durationProblem, millisecondsOf, numberOf, POLICY_FLAGS } from "./policy-flags.ts";

async function run(args: Arguments, io: Io): Promise<number> {
  const { policyBuild } = await import("../rego/policy-build.ts");
  const target = args.values.get("target") as "wasm" | "rego" | "plan" | undefined;
  const result = await policyBuild({
    ...commonOptions(args, io),
    wasmIncludePrint: args.switches.has("wasm-include-print"),
    ...given("entrypoints", args.lists.get("entrypoint")),
    ...given("optimize", numberOf(args, "optimize")),
    ...given("output", args.values.get("output")),
    ...given("revision", args.values.get("revision")),
    ...given("signingKey", args.values.get("signing-key")),
    ...given("signingAlg", args.values.get("signing-alg")),
    ...given("target", target),
    ...given("timeoutMs", millisecondsOf(args, "timeout")),
  });
  return result.exitCode;
}

/** `regate policy build`: OPA's compiler, without OPA. */
export const POLICY_BUILD_COMMAND: Command = {
  path: ["policy", "build"],
  summary: "build policies to WebAssembly; without paths every bundle of bundles/ into wasm/",
  options: [
    POLICY_FLAGS.bundle,
    POLICY_FLAGS.capabilities,
    { name: "entrypoint", short: "e", kind: "list", placeholder: "PATH", describe: "entrypoint such as gate/decision (repeatable)" },
    POLICY_FLAGS.ignore,
    { name: "optimize", short: "O", kind: "text", placeholder: "LEVEL", choices: ["0", "1", "2"], describe: "optimization level" },
    {
      name: "output",
      short: "o",
      kind: "text",
      placeholder: "PATH",
      describe: "file to write (default: bundle.tar.gz), or the folder for bundles (default: wasm)",
    },
    { name: "prune-unused", kind: "switch", assignable: true, describe: "leave out what no entrypoint uses; always on" },
    { name: "revision", short: "r", kind: "text", placeholder: "TEXT", describe: "revision of the bundle" },
    { name: "signing-alg", kind: "text", placeholder: "NAME", describe: "signing algorithm (default: RS256)" },
    { name: "signing-key", kind: "text", placeholder: "FILE", describe: "secret (HMAC) or PEM file with the private key" },
    {
      name: "target",
      short: "t",
      kind: "text",
      choices: ["wasm", "rego", "plan"],
      placeholder: "TYPE",
      describe: "what to build (default: wasm)",
    },
    {
      name: "timeout",
      kind: "text",
      placeholder: "DURATION",
      problem: durationProblem,
      describe: "time limit of one call of the compiler (default: 60s)",
    },
    POLICY_FLAGS.v0Compatible,
    { name: "wasm-include-print", kind: "switch", assignable: true, describe: "keep print statements in the module" },
  ],
  words: { name: "paths", describe: "names of bundles, or files and folders to build", max: 10_000 },
  examples: [
    ["$0 policy build", "build every bundle of bundles/ into wasm/<name>/"],
    ["$0 policy build -e gate/decision -o policy.tar.gz policy", "build one OPA bundle"],
  ],
  run,
};

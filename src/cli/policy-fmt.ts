import type { Arguments, Command, Io } from "./command.ts";
import { commonOptions, neededPaths, POLICY_FLAGS } from "./policy-flags.ts";

async function run(args: Arguments, io: Io): Promise<number> {
  const { policyFmt } = await import("../rego/policy-fmt.ts");
  const result = await policyFmt({
    ...commonOptions(neededPaths(args, "policy fmt"), io),
    diff: args.switches.has("diff"),
    dropV0Imports: args.switches.has("drop-v0-imports"),
    fail: args.switches.has("fail"),
    list: args.switches.has("list"),
    overwrite: args.switches.has("write"),
    v0v1: args.switches.has("v0-v1"),
  });
  return result.exitCode;
}

/** `regate policy fmt`: OPA's formatter, without OPA. */
export const POLICY_FMT_COMMAND: Command = {
  path: ["policy", "fmt"],
  summary: "format policies as `opa fmt` does",
  options: [
    POLICY_FLAGS.capabilities,
    { name: "diff", short: "d", kind: "switch", assignable: true, describe: "show what would change" },
    { name: "drop-v0-imports", kind: "switch", assignable: true, describe: "drop imports that only OPA before v1.0 needs" },
    { name: "fail", kind: "switch", assignable: true, describe: "exit with 2 when a file would change" },
    POLICY_FLAGS.ignore,
    { name: "list", short: "l", kind: "switch", assignable: true, describe: "list the files that would change" },
    POLICY_FLAGS.v0Compatible,
    { name: "v0-v1", kind: "switch", assignable: true, describe: "format so that OPA before and after v1.0 reads it" },
    { name: "write", short: "w", kind: "switch", assignable: true, describe: "overwrite the files" },
  ],
  words: { name: "paths", describe: "files, folders and patterns", max: 10_000 },
  examples: [
    ["$0 policy fmt --write policy", "format a folder in place"],
    ["$0 policy fmt --fail policy", "fail when something is not formatted, as in CI"],
  ],
  run,
};

import { cells, fixedSyntax, readArguments } from "./arguments.ts";
import { type Arg, type Call, type Run, recordCommand } from "./state.ts";
import { KUBECTL_VALUED } from "./tables/kubernetes.ts";
import { judgeProgramWords } from "./wrappers.ts";

const VALUED = new Set(cells(`${KUBECTL_VALUED} -c --container --image --target --profile --env --labels -l`));

/** Judges the command that `kubectl exec`, `debug` and `run` start in a pod (reference: shell.md §6). */
export function judgeKubectl(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const before = readArguments(call.args, fixedSyntax(VALUED, { stop: true }));
  const verb = before.operands[0];
  if (verb === undefined || !["exec", "debug", "run", "rsh"].includes(verb.arg.text)) return;
  const program = startedWords(call.args.slice(verb.index + 1), verb.arg.text);
  if (program.length > 0) judgeProgramWords(run, call, program);
}

/** What stands after `--`; the old form of `exec` has the command right after the pod. */
function startedWords(rest: readonly Arg[], verb: string): readonly Arg[] {
  const dashes = rest.findIndex((arg) => arg.text === "--");
  if (dashes !== -1) return rest.slice(dashes + 1);
  if (verb !== "exec" && verb !== "rsh") return [];
  const given = readArguments(rest, fixedSyntax(VALUED, { stop: true }));
  return rest.slice((given.operands[0]?.index ?? rest.length) + 1);
}

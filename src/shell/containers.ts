import { type Arguments, cells, fixedSyntax, readArguments } from "./arguments.ts";
import { type Arg, type Call, type Run, recordCommand } from "./state.ts";
import { COMPOSE_VALUED, CONTAINER_VALUED, EXEC_VALUED, RUN_VALUED } from "./tables/containers.ts";
import { judgeProgramWords } from "./wrappers.ts";

const SETS = {
  container: new Set(cells(CONTAINER_VALUED)),
  compose: new Set(cells(COMPOSE_VALUED)),
  exec: new Set(cells(EXEC_VALUED)),
  run: new Set(cells(RUN_VALUED)),
};
const RUNNING = new Set(["exec", "run", "create"]);

/** Judges the command that `docker exec`, `docker run`, `docker compose run`, … start in a container (reference: shell.md §6). */
export function judgeContainer(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const start: "compose" | "container" = call.name.endsWith("-compose") ? "compose" : "container";
  judgeLevel(run, call, { args: call.args, kind: start, levels: 0 });
}

interface Level {
  readonly args: readonly Arg[];
  readonly kind: "container" | "compose";
  readonly levels: number;
}

function judgeLevel(run: Run, call: Call, { args, kind, levels }: Level): void {
  const given = readArguments(args, fixedSyntax(SETS[kind], { stop: true }));
  const verb = given.operands[0];
  if (verb === undefined) return;
  const rest = args.slice(verb.index + 1);
  if (verb.arg.text === "compose") return judgeLevel(run, call, { args: rest, kind: "compose", levels: levels + 1 });
  if (verb.arg.text === "container" && levels === 0) return judgeLevel(run, call, { args: rest, kind, levels: levels + 1 });
  if (RUNNING.has(verb.arg.text)) judgeStarted(run, call, { rest, kind: verb.arg.text === "exec" ? "exec" : "run" });
}

function judgeStarted(run: Run, call: Call, { rest, kind }: { rest: readonly Arg[]; kind: "exec" | "run" }): void {
  const given = readArguments(rest, fixedSyntax(SETS[kind], { stop: true }));
  const target = given.operands[0];
  if (target === undefined) return;
  const program = [...entrypoint(given), ...rest.slice(target.index + 1)];
  if (program.length > 0) judgeProgramWords(run, call, program);
}

function entrypoint(given: Arguments): Arg[] {
  const option = given.options.findLast((candidate) => candidate.name === "--entrypoint");
  return option?.value === undefined || option.value.text === "" ? [] : [option.value];
}

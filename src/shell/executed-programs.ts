import { cells } from "./arguments.ts";
import { type CompiledInterpreter, compileInterpreter } from "./interpreters.ts";
import { INTERPRETERS } from "./tables/interpreters.ts";

/** Options of a program whose values are files that it runs. */
export interface CodeFileRow {
  readonly options: ReadonlySet<string>;
  /** The value may also be the name of a module, which cannot be found without running. */
  readonly modules?: true;
  readonly single?: true;
  /** Only with one of these words. */
  readonly verbs?: ReadonlySet<string>;
}

/** Names under which `make` looks for its makefile, in this order. */
export const MAKEFILES: readonly string[] = ["GNUmakefile", "makefile", "Makefile"];

/** Programs whose operands are files that they run. */
export const RUNS_FILES: ReadonlySet<string> = new Set(["ansible-playbook", "expect", "bats", "crontab"]);

/** Programs whose first operand is a file that they run. */
export const RUNS_FIRST: ReadonlySet<string> = new Set(["java", "pwsh", "osascript", "groovy", "scala"]);

const SHELLS = new Set("bash sh dash zsh ksh mksh ash rbash fish csh tcsh".split(" "));

const CODE_FILES: readonly (readonly [names: string, options: string, more?: Omit<CodeFileRow, "options">])[] = [
  ["awk gawk mawk nawk", "-f --file -E --exec -i --include"],
  ["sed gsed", "-f --file"],
  ["psql", "-f --file"],
  ["mysql mariadb", "--init-command"],
  ["sqlite", "-init", { single: true }],
  ["kubectl oc", "-f --filename", { verbs: new Set(["apply", "create", "replace", "delete", "patch"]) }],
  ["docker-compose", "-f --file"],
  ["gdb", "-x --command"],
  ["at batch", "-f"],
  ["jq", "-f --from-file"],
  ["bc dc", "-f --file"],
  ["php", "-f --file"],
  ["rscript r", "-f --file"],
  ["node nodejs bun tsx ts-node electron", "-r --require --import --loader --experimental-loader", { modules: true }],
  ["ruby irb jruby", "-r", { modules: true }],
  ["perl", "-M -m", { modules: true }],
  ["lua luajit", "-l", { modules: true }],
];

const rows = new Map<string, CodeFileRow>(
  CODE_FILES.flatMap(([names, options, more]) =>
    cells(names).map((name) => [name, { options: new Set(cells(options)), ...more }] as const),
  ),
);
const interpreters = new Map<string, CompiledInterpreter>(
  INTERPRETERS.flatMap((row) => cells(row.names).map((name) => [name, compileInterpreter(row)] as const)),
);

/** A program's name without a version (`python3.11`). */
export function programBase(name: string): string {
  return name.replace(/-?\d+(?:\.\d+)*$/, "") || name;
}

/** Options whose values are files that a program runs. */
export function codeFileOptions(program: string): CodeFileRow | undefined {
  return rows.get(program) ?? rows.get(program.replace(/\d+$/, ""));
}

/** How an interpreter reads its arguments. */
export function interpreterOf(program: string): CompiledInterpreter | undefined {
  return interpreters.get(program);
}

/** Whether a program is a shell that runs a script. */
export function isShell(program: string): boolean {
  return SHELLS.has(program);
}

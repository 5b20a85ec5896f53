import { cells } from "../arguments.ts";
import { type CompiledInterpreter, compileInterpreter } from "../interpreters.ts";
import type { SpecialName } from "../specials.ts";
import { type CompiledSql, compileSql } from "../sql.ts";
import { type CompiledSubcommand, compileSubcommand } from "../subcommands.ts";
import { type CompiledWrapper, compileWrapper } from "../wrappers.ts";
import { BUILD_PROGRAMS } from "./build-tools.ts";
import { DEFAULT_CHOICES } from "./choices.ts";
import { CLOUD_PROGRAMS } from "./cloud.ts";
import { type CompiledProgram, compileProgram } from "./compile.ts";
import { CONTAINER_PROGRAMS } from "./containers.ts";
import { DATA_ROWS } from "./data-rows.ts";
import { DATA_PROGRAMS } from "./data.ts";
import { DATABASE_PROGRAMS } from "./databases.ts";
import { DESTROYING_PROGRAMS, OVERWRITING_PROGRAMS } from "./destroying.ts";
import { ENVIRONMENT_ROWS, HARMLESS_NAMES } from "./environment.ts";
import { FRAMEWORK_PROGRAMS } from "./frameworks.ts";
import { GIT } from "./git.ts";
import { HELPER_ROWS } from "./helper-rows.ts";
import { HOOK_OPTIONS } from "./hook-options.ts";
import { INFRASTRUCTURE_PROGRAMS } from "./infrastructure.ts";
import { INTERPRETERS } from "./interpreters.ts";
import { KUBERNETES_PROGRAMS } from "./kubernetes.ts";
import { OPAQUE_PROGRAMS } from "./opaque.ts";
import { PACKAGE_PROGRAMS } from "./packages.ts";
import { SERVICE_PROGRAMS } from "./services.ts";
import { SPECIAL_PROGRAMS } from "./special-programs.ts";
import { SQL_CLIENTS } from "./sql.ts";
import { STORAGE_PROGRAMS } from "./storage.ts";
import { SUBCOMMAND_WRAPPERS } from "./subcommand-wrappers.ts";
import { TRANSFER_ROWS } from "./transfer-rows.ts";
import { TOOL_WRAPPERS } from "./tool-wrappers.ts";
import type { Choice, EnvironmentRow, OpaqueRow, VerbProgram } from "./types.ts";
import { VERSION_CONTROL_PROGRAMS } from "./version-control.ts";
import { SYSTEM_WRAPPERS } from "./wrappers.ts";

/** One thing to do with a call of a program; a program may have several. */
export type Duty =
  | { readonly kind: "data" }
  | { readonly kind: "destroy"; readonly rule: string }
  | { readonly kind: "verbs"; readonly program: CompiledProgram }
  | { readonly kind: "wrapper"; readonly row: CompiledWrapper }
  | { readonly kind: "subcommand"; readonly row: CompiledSubcommand }
  | { readonly kind: "interpreter"; readonly row: CompiledInterpreter }
  | { readonly kind: "sql"; readonly row: CompiledSql }
  | { readonly kind: "opaque"; readonly row: OpaqueRow }
  | { readonly kind: "special"; readonly special: SpecialName };

/** Everything that the classifier knows about programs, names and targets. */
export interface ShellTables {
  readonly programs: ReadonlyMap<string, readonly Duty[]>;
  readonly environment: ReadonlyMap<string, EnvironmentRow>;
  readonly environmentPrefixes: readonly EnvironmentRow[];
  readonly harmlessNames: ReadonlySet<string>;
  readonly safeTargets: ReadonlySet<string>;
  readonly choices: Readonly<Record<Choice, boolean>>;
}

/** The programs with verb tables. */
export const VERB_PROGRAMS: readonly VerbProgram[] = [
  GIT,
  ...VERSION_CONTROL_PROGRAMS,
  ...CONTAINER_PROGRAMS,
  ...KUBERNETES_PROGRAMS,
  ...INFRASTRUCTURE_PROGRAMS,
  ...CLOUD_PROGRAMS,
  ...STORAGE_PROGRAMS,
  ...SERVICE_PROGRAMS,
  ...PACKAGE_PROGRAMS,
  ...BUILD_PROGRAMS,
  ...DATABASE_PROGRAMS,
  ...FRAMEWORK_PROGRAMS,
  ...DATA_ROWS,
  ...HELPER_ROWS,
  ...TRANSFER_ROWS,
];

/** Paths that may be written without losing anything. */
const SAFE_TARGETS = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/full"];

/** Adds a duty to every program that a cell names. */
export function addDuty(programs: Map<string, Duty[]>, names: string, duty: Duty): void {
  for (const name of cells(names)) programs.set(name, [...(programs.get(name) ?? []), duty]);
}

function buildPrograms(): Map<string, Duty[]> {
  const programs = new Map<string, Duty[]>();
  for (const [names, special] of SPECIAL_PROGRAMS) addDuty(programs, names, { kind: "special", special });
  for (const program of VERB_PROGRAMS) addDuty(programs, program.names, { kind: "verbs", program: compileProgram(program) });
  for (const row of [...SUBCOMMAND_WRAPPERS, ...HOOK_OPTIONS])
    addDuty(programs, row.names, { kind: "subcommand", row: compileSubcommand(row) });
  for (const row of [...SYSTEM_WRAPPERS, ...TOOL_WRAPPERS]) addDuty(programs, row.names, { kind: "wrapper", row: compileWrapper(row) });
  for (const row of INTERPRETERS) addDuty(programs, row.names, { kind: "interpreter", row: compileInterpreter(row) });
  for (const row of SQL_CLIENTS) addDuty(programs, row.names, { kind: "sql", row: compileSql(row) });
  for (const row of OPAQUE_PROGRAMS) addDuty(programs, row.names, { kind: "opaque", row });
  for (const names of DESTROYING_PROGRAMS) addDuty(programs, names, { kind: "destroy", rule: "destructive.program" });
  for (const names of OVERWRITING_PROGRAMS) addDuty(programs, names, { kind: "destroy", rule: "overwrite.program" });
  for (const names of DATA_PROGRAMS) addDuty(programs, names, { kind: "data" });
  return programs;
}

/** The tables as shipped. */
export const SHIPPED_TABLES: ShellTables = {
  programs: buildPrograms(),
  environment: new Map(ENVIRONMENT_ROWS.filter((row) => !row.name.endsWith("*")).map((row) => [row.name, row])),
  environmentPrefixes: ENVIRONMENT_ROWS.filter((row) => row.name.endsWith("*")),
  harmlessNames: new Set(HARMLESS_NAMES.flatMap(cells)),
  safeTargets: new Set(SAFE_TARGETS),
  choices: DEFAULT_CHOICES,
};

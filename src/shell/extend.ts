import { parseJsonOnce } from "../call/duplicate-keys.ts";
import type { ShellAnalysis } from "../call/tool-call.ts";
import { analyseCommand } from "./analyse.ts";
import { type Duty, SHIPPED_TABLES, type ShellTables, addDuty } from "./tables/build.ts";
import { compileProgram } from "./tables/compile.ts";
import { TABLES_SCHEMA, type TablesFile } from "./tables-schema.ts";
import { compileWrapper } from "./wrappers.ts";

/** A file of tables that must not be used: `path` is the place in it, such as `programs[0].rows[1].verbs`. */
export class ShellTablesError extends Error {
  override readonly name = "ShellTablesError";
  readonly code = "shell.tables";
  readonly path: string;

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(path === "" ? problem : `\`${path}\`: ${problem}`, options);
    this.path = path;
  }
}

/**
 * Reads an operator's additions to the tables (JSON, docs/shell-classification.md). They can name programs as data and switch choices, but
 * take nothing away from what the shipped tables know, least of all the seed's fragments. The examples in the file must hold.
 * @param text the file's content
 * @returns tables for `analyseCommand`
 * @throws ShellTablesError when the text is not such a file, or an example in it does not hold
 */
export function loadShellTables(text: string): ShellTables {
  const file = validate(parsed(text));
  const tables = extend(SHIPPED_TABLES, file);
  checkExamples(file, tables);
  return tables;
}

function parsed(text: string): unknown {
  const json = parseJsonOnce(text);
  if (!json.ok) throw new ShellTablesError("", json.problem, { cause: json.cause });
  return json.value;
}

function validate(value: unknown): TablesFile {
  const result = TABLES_SCHEMA.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  if (path === "" && issue.code === "invalid_type") throw new ShellTablesError("", "must hold a JSON object");
  throw new ShellTablesError(path.replace(/^\./, ""), issue.message.charAt(0).toLowerCase() + issue.message.slice(1));
}

function extend(tables: ShellTables, file: TablesFile): ShellTables {
  const exact = file.environment.filter((name) => !name.endsWith("*"));
  const prefixes = file.environment.filter((name) => name.endsWith("*"));
  return {
    programs: extendPrograms(tables, file),
    environment: new Map([...tables.environment, ...exact.map((name) => [name, { name }] as const)]),
    environmentPrefixes: [...tables.environmentPrefixes, ...prefixes.map((name) => ({ name }))],
    harmlessNames: new Set([...tables.harmlessNames].filter((name) => !file.environment.includes(name))),
    safeTargets: new Set([...tables.safeTargets, ...file.safe_targets]),
    choices: { ...tables.choices, ...(file.choices as Partial<ShellTables["choices"]>) },
  };
}

function extendPrograms(tables: ShellTables, file: TablesFile): ReadonlyMap<string, readonly Duty[]> {
  const programs = new Map([...tables.programs].map(([name, duties]) => [name, [...duties]]));
  const add = (names: readonly string[], duty: Duty) => addDuty(programs, names.join(" "), duty);
  for (const { names, valued, dry_run, rows } of file.programs) {
    add(names, { kind: "verbs", program: compileTable({ names, valued, dry_run, rows }) });
  }
  for (const row of file.wrappers) {
    const cellsOf = { names: row.names.join(" "), valued: row.valued.join(" "), code: row.code.join(" "), skip: row.skip, example: "" };
    add(row.names, { kind: "wrapper", row: compileWrapper(row.assigns ? { ...cellsOf, assigns: true } : cellsOf) });
  }
  if (file.destructive.length > 0) add(file.destructive, { kind: "destroy", rule: "destructive.program" });
  if (file.unverifiable.length > 0) add(file.unverifiable, { kind: "opaque", row: { names: "", example: "" } });
  if (file.data.length > 0) add(file.data, { kind: "data" });
  return programs;
}

function compileTable({ names, valued, dry_run, rows }: TablesFile["programs"][number]) {
  return compileProgram({
    family: names[0]!,
    names: names.join(" "),
    valued: valued.join(" "),
    dryRun: dry_run.join(" "),
    rows: rows.map((row) => ({
      id: row.id,
      example: row.match[0]!,
      ...(row.verbs === undefined ? {} : { verbs: row.verbs }),
      ...(row.options === undefined ? {} : { options: row.options.join(" ") }),
      ...(row.unless === undefined ? {} : { unless: row.unless.join(" ") }),
      ...(row.value === undefined ? {} : { value: RegExp(row.value, "u") }),
      ...(row.operand === undefined ? {} : { operand: RegExp(row.operand, "u") }),
      ...(row.verdict === "unverifiable" ? { verdict: "unverifiable" as const } : {}),
    })),
  });
}

function checkExamples(file: TablesFile, tables: ShellTables): void {
  for (const [index, { names, rows }] of file.programs.entries()) {
    for (const [at, row] of rows.entries()) {
      const rule = `${row.verdict}.${names[0]!}.${row.id}`;
      const path = `programs[${index}].rows[${at}]`;
      for (const command of row.match) expect(hasRule(command, rule, tables), `${path}.match`, command);
      for (const command of row.not_match) expect(!hasRule(command, rule, tables), `${path}.not_match`, command);
    }
  }
  for (const verdict of ["destructive", "unverifiable", "clear"] as const satisfies readonly ShellAnalysis["verdict"][]) {
    for (const command of file.examples[verdict]) {
      expect(analyseCommand(command, { tables }).verdict === verdict, `examples.${verdict}`, command);
    }
  }
}

function hasRule(command: string, rule: string, tables: ShellTables): boolean {
  return analyseCommand(command, { tables }).findings.some((finding) => finding.rule === rule);
}

function expect(holds: boolean, path: string, command: string): void {
  if (!holds) throw new ShellTablesError(path, `example does not hold: \`${command}\``);
}

import { type Arguments, cells, findOptions, fixedSyntax, readArguments } from "./arguments.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";
import { judgeCode } from "./nested.ts";
import type { SqlRow } from "./tables/types.ts";

/** A `SqlRow` ready for use. */
export interface CompiledSql {
  readonly code: readonly string[];
  readonly files: readonly string[];
  readonly valued: ReadonlySet<string>;
  readonly operand: number | undefined;
  readonly single: boolean;
}

/** Takes a row's cells apart once, at start. Clients with options like `-cmd` have one dash and whole names. */
export function compileSql(row: SqlRow): CompiledSql {
  const [code, files] = [cells(row.code), cells(row.files)];
  return {
    code,
    files,
    valued: new Set([...cells(row.valued), ...code, ...files]),
    operand: row.operand,
    single: row.code?.includes("-cmd") === true || row.code?.includes("-execute ") === true,
  };
}

/** Judges a database client: SQL from options, operands and standard input (reference: shell.md §6, "Databases"). */
export function judgeSqlClient(run: Run, call: Call, duty: { readonly row: CompiledSql }): void {
  const { row } = duty;
  const given = readArguments(call.args, fixedSyntax(row.valued, { single: row.single }));
  const codes = sqlWords(row, given);
  for (const code of codes) judgeSql(run, call, code);
  const file = findOptions(given, row.files).find((option) => option.value?.text !== "/dev/null");
  if (file !== undefined) report(run, "unverifiable.script-file", file.value ?? file.arg);
  if (codes.length > 0 || file !== undefined) return;
  const { stdin } = call.scope;
  if (stdin.kind === "text") judgeSql(run, call, { ...call.argv[0]!, text: stdin.text, dynamic: false });
  if (stdin.kind === "unknown") report(run, "unverifiable.stdin-code", call.argv[0]!);
}

function sqlWords(row: CompiledSql, given: Arguments): Arg[] {
  const options = findOptions(given, row.code).flatMap(({ value }) => value ?? []);
  const operands = row.operand === undefined ? [] : given.operands.slice(row.operand).map((operand) => operand.arg);
  return [...options, ...operands];
}

function judgeSql(run: Run, call: Call, code: Arg): void {
  if (code.dynamic) report(run, "unverifiable.dynamic-code", code);
  const escape =
    /(?:^|\n)[ \t]*(?:\\!|\.(?:shell|system)\b|!(?=\w)|system[ \t]|\\\.[ \t])([^\n]*)/.exec(code.text) ?? /\\!([^\n]*)/.exec(code.text);
  if (escape !== null) judgeCode(run, { arg: { ...code, text: escape[1]! }, call }, { fresh: true });
  const verdict = readSql(code.text);
  if (verdict !== undefined) report(run, `${verdict}.sql`, code);
}

const OBJECT =
  "table|database|schema|index|view|materialized|user|role|group|procedure|function|trigger|event|sequence|type|domain|extension|constraint|column|tablespace|" +
  "keyspace|policy|publication|subscription|server|foreign|owned|measurement|series|shard|retention|continuous|collection|aggregate|operator|language|cast|rule|" +
  "package|synonym|stage|pipe|stream|task|warehouse|cluster|partition|dictionary|namespace|temporary|login|credential|assembly|queue|service|statistics|bucket|prepared|link";
const DESTROYING = new RegExp(
  [
    `\\bdrop\\s+(?:if\\s+exists\\s+)?(?:${OBJECT})\\b`,
    '\\btruncate\\s+(?:table\\s+|only\\s+)?(?!\\s*\\()[\\w."`\\[]',
    '\\bdelete\\s+(?:low_priority\\s+|quick\\s+|ignore\\s+|only\\s+)*(?:[\\w.`"*]+(?:\\s*,\\s*[\\w.`"*]+)*\\s+)?from\\b',
    "\\bdetach\\s+delete\\b|\\bmatch\\s*\\([^;]*\\)\\s*delete\\b",
    '(?:^|;)\\s*delete\\s+[\\w."`\\[]',
    "\\balter\\s+table\\b[^;]*\\bdrop\\b",
    "\\bpg_(?:terminate|cancel)_backend\\s*\\(",
    "\\blo_unlink\\s*\\(|\\bpg_drop_replication_slot\\s*\\(",
    "(?:^|;)\\s*(?:shutdown|kill)\\b",
    "\\bpurge\\s+(?:binary|master|recyclebin|table|index|tablespace)\\b|\\breset\\s+(?:master|slave|replica|binary)\\b",
    "\\binsert\\s+overwrite\\b|\\binto\\s+(?:outfile|dumpfile)\\b",
    "\\bpragma\\s+writable_schema\\b",
    "\\bdrop\\s+(?:\\w+\\s+)?(?:keys?|primary|foreign)\\b",
  ].join("|"),
  "i",
);
const UNREADABLE = /\bto\s+program\b|\bfrom\s+program\b|\bxp_cmdshell\b|\bsys_exec\b|\bload_extension\s*\(|\bdblink_exec\s*\(/i;
const DYNAMIC_SQL = /\b(?:execute|prepare|exec|sp_executesql|immediate)\b/i;

/** What a SQL text does, literals and comments blanked first; literals count where the text runs them. */
export function readSql(text: string): "destructive" | "unverifiable" | undefined {
  const bare = blank(text);
  if (DESTROYING.test(bare)) return "destructive";
  if (DYNAMIC_SQL.test(bare) && DESTROYING.test(text)) return "destructive";
  return UNREADABLE.test(bare) || /^[ \t]*\.(?:read|load|import|output|once|restore|clone)\b/m.test(text) ? "unverifiable" : undefined;
}

/** Comments become blanks (MySQL's `/*! … *\/` is code), literals become empty. */
function blank(text: string): string {
  return text.replaceAll(
    /\/\*!\d*([^]*?)\*\/|\/\*[^]*?(?:\*\/|$)|--[^\n]*|'(?:''|[^'])*'|"(?:""|[^"])*"|`[^`]*`/g,
    (whole, code: string | undefined) => {
      if (code !== undefined) return ` ${code} `;
      return whole.startsWith("'") ? "''" : whole.startsWith('"') ? '""' : whole.startsWith("`") ? "x" : " ";
    },
  );
}

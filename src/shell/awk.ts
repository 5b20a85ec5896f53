import { cells, fixedSyntax, readArguments } from "./arguments.ts";
import { isStream } from "./devices.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";

const VALUED = new Set(cells("-F -v -f -i -l -e -E --field-separator --assign --file --include --load --source --exec"));

/** Judges `awk`: programs that run commands or write files (reference: shell.md §6, "Interpreters"). */
export function judgeAwk(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(VALUED));
  for (const { name, value, arg } of given.options) {
    if ((name === "-i" || name === "--include") && value?.text.startsWith("inplace") === true) report(run, "overwrite.awk.in-place", arg);
    else if (name === "-l" || name === "--load") report(run, "unverifiable.loaded-code", arg);
    else if ((name === "-e" || name === "--source") && value !== undefined) judgeProgram(run, value);
    else if (value !== undefined && isStream(value) && /^(?:-[fE]|--file|--exec)$/.test(name)) report(run, "unverifiable.stdin-code", arg);
  }
  const hasProgram = given.options.some(({ name }) => ["-f", "--file", "-e", "--source", "-E", "--exec"].includes(name));
  const program = given.operands[0]?.arg;
  if (!hasProgram && program !== undefined) judgeProgram(run, program);
}

function judgeProgram(run: Run, program: Arg): void {
  if (program.dynamic) return report(run, "unverifiable.dynamic-code", program);
  if (runsOrWrites(program.text)) report(run, "unverifiable.code.awk", program);
}

/** Tells whether an awk program calls `system`, opens a pipe, reads with `getline` or prints into a file. */
export function runsOrWrites(program: string): boolean {
  // Two quotes go: what stood inside or outside a text before still does.
  const texts = withoutTexts(program.replaceAll(/>>?[ \t]*"\/dev\/(?:stderr|stdout|null)"/g, " "));
  const bare = withoutParentheses(texts);
  if (/\bsystem\s*\(|\bgetline\b|@load\b|@include\b/.test(texts)) return true;
  return /\|&? ?(?:""|\w|\$)/.test(bare.replaceAll("||", "  ").replaceAll(/[ \t]+/g, " ")) || bare.split(/[;}\n]/).some(printsToFile);
}

function printsToFile(statement: string): boolean {
  const print = statement.search(/\bprintf?\b/);
  return print !== -1 && statement.includes(">", print);
}

/** Blanks texts, patterns and comments. */
function withoutTexts(program: string): string {
  const blanked = program
    .replaceAll(/"(?:\\[^]|[^"\\])*"/g, '""')
    .replaceAll(/(^|[~(,{;!&|\s])\/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\\n])+\//g, "$1//");
  return blanked.replaceAll(/#[^\n]*/g, "");
}

function withoutParentheses(text: string): string {
  let known = text;
  for (let before = ""; before !== known && known.length > 0;) {
    before = known;
    known = known.replaceAll(/\([^()]*\)/g, " ");
  }
  return known;
}

import type { Command, CommandNode, HereDoc, ParsedScript, PipelineNode, Word } from "./parse.ts";
import type { Arg } from "./state.ts";

type Evaluate = (word: Word) => Arg[];

/**
 * What a substitution prints, newlines at the end cut, when that can be read from the text: nothing (`true`, `:`), `echo` and `printf`
 * of static words, `cat` of a static here-document. Undefined for everything else.
 */
export function staticOutput(script: ParsedScript | undefined, evaluate: Evaluate): string | undefined {
  if (script === undefined || script.errors !== undefined || script.commands.length > 1) return undefined;
  const [statement] = script.commands;
  if (statement === undefined) return "";
  if (statement.command.type === "AndOr") return undefined;
  return commandOutput(statement.command, evaluate)?.replace(/\n+$/, "");
}

/** What one command prints, exactly, when it is static; see `staticOutput`. */
export function commandOutput(node: PipelineNode | CommandNode, evaluate: Evaluate): string | undefined {
  if (node.type === "Pipeline") return node.commands.length === 1 ? commandOutput(node.commands[0]!, evaluate) : undefined;
  if (node.type !== "Command" || node.name === undefined) return undefined;
  if (node.prefix.length > 0 || node.args.some((argument) => argument.type !== "Word")) return undefined;
  const words = [node.name, ...(node.args as readonly Word[])].flatMap(evaluate);
  if (words.some((word) => word.dynamic || word.glob)) return undefined;
  const [name, ...args] = words.map((word) => word.text);
  return node.redirects.length > 0 ? documentOutput(node, { name, args }, evaluate) : plainOutput(name, args);
}

function plainOutput(name: string | undefined, args: readonly string[]): string | undefined {
  if (name === "true" || name === ":") return "";
  if (name === "echo") return echo(args);
  return name === "printf" ? printf(args) : undefined;
}

function documentOutput(
  node: Command,
  call: { name: string | undefined; args: readonly string[] },
  evaluate: Evaluate,
): string | undefined {
  const [redirect] = node.redirects;
  if (call.name !== "cat" || call.args.some((arg) => arg !== "-") || node.redirects.length > 1 || redirect === undefined) return undefined;
  if (redirect.type === "HereDoc") return documentText(redirect);
  if (redirect.type !== "HereString" || redirect.target === undefined) return undefined;
  const words = evaluate(redirect.target);
  return words.length === 1 && !words[0]!.dynamic ? `${words[0]!.text}\n` : undefined;
}

/** The text of a here-document, or undefined when anything in it expands. */
export function documentText(document: HereDoc): string | undefined {
  const body = document.operator === "<<-" ? document.body.text.replace(/^\t+/gm, "") : document.body.text;
  if (document.delimiter?.quoted === true) return body;
  if (document.body.parts?.some((part) => part.type !== "Literal") === true) return undefined;
  return body.replace(/\\([$`\\]|\n)/g, (_, char: string) => (char === "\n" ? "" : char));
}

function echo(args: readonly string[]): string | undefined {
  let rest = args;
  let newline = "\n";
  while (rest[0] !== undefined && /^-[neE]+$/.test(rest[0])) {
    if (rest[0].includes("e")) return echoEscaped(args);
    if (rest[0].includes("n")) newline = "";
    rest = rest.slice(1);
  }
  return rest.join(" ") + newline;
}

function echoEscaped(args: readonly string[]): string | undefined {
  const from = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  return from === -1 ? undefined : decode(args.slice(from).join(" "));
}

/** `printf` with `%s`, `%b`, `%d` and `%%` only. */
function printf(args: readonly string[]): string | undefined {
  const [format, ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format === undefined || format.startsWith("-") || /%(?![sbd%])/.test(format)) return undefined;
  const tokens = format.match(/%[sbd%]|[^%]+/g) ?? [];
  let output = "";
  const rest = [...values];
  do {
    const before = rest.length;
    for (const token of tokens) {
      const piece = printfPiece(token, rest);
      if (piece === undefined) return undefined;
      output += piece;
    }
    if (rest.length === before) break;
  } while (rest.length > 0);
  return output;
}

function printfPiece(token: string, values: string[]): string | undefined {
  if (!token.startsWith("%")) return decode(token);
  if (token === "%%") return "%";
  const value = values.shift() ?? "";
  return token === "%b" ? decode(value) : value;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "'": "'",
  a: "",
  b: "",
  f: "\f",
  v: "\v",
  e: "",
};

function decode(text: string): string | undefined {
  let known = true;
  const output = text.replace(/\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|0?[0-7]{1,3}|[\s\S]|$)/g, (whole, code: string) => {
    if (/^[xu]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8) & 255);
    const plain = ESCAPES[code];
    if (plain === undefined) known = false;
    return plain ?? whole;
  });
  return known ? output : undefined;
}

import { type Arguments, findOptions, hasOption } from "./arguments.ts";
import { GIT_HARMLESS_CONFIG, GIT_KNOWN_VERBS, GIT_PROGRAM_KEYS } from "./tables/git-config.ts";
import { GIT } from "./tables/git.ts";
import { joinArgs, judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, recordCommand, report, withText } from "./state.ts";
import { compileProgram } from "./tables/compile.ts";
import { readProgramArguments } from "./verbs.ts";
import { judgeProgramWords } from "./wrappers.ts";

const PROGRAM = compileProgram(GIT);

/** Judges what the rows of git's table cannot say: configuration, paths to check out, and the commands that git runs. */
export function judgeGit(run: Run, call: Call): void {
  recordCommand(run, call.name, call);
  const given = readProgramArguments(PROGRAM, call.args);
  judgeConfigOptions(run, call, given);
  judgeTransports(run, given);
  const verb = given.operands[0];
  if (verb === undefined) return;
  const rest = call.args.slice(verb.index + 1);
  judgeCheckout(run, given, rest);
  judgeConfigVerb(run, call, given);
  judgeNewRepository(run, call, given);
  judgeRunners(run, call, given);
  if (run.gitHelpers === "unverifiable") judgeHelpers(run, call, given);
}

/** `-c KEY=VALUE` before the verb: keys that only colour, name or tune are harmless; an alias with a bang is code. */
function judgeConfigOptions(run: Run, call: Call, given: Arguments): void {
  const before = given.operands[0]?.index ?? call.args.length;
  for (const { name, value, arg, index } of given.options) {
    if (index > before) break;
    if (name === "--exec-path" && value !== undefined) report(run, "unverifiable.git.exec-path", arg);
    if (name === "--config-env") report(run, "unverifiable.git.config", arg);
    if (name === "-c" && value !== undefined) judgeSetting(run, call, { value, given });
  }
}

function judgeSetting(run: Run, call: Call, { value, given }: { value: Arg; given: Arguments }): void {
  const [key = "", setting = ""] = value.text.split(/=(.*)/s, 2);
  const alias = /^alias\.(.*)$/i.exec(key)?.[1];
  if (alias !== undefined) return judgeAlias(run, call, { value: withText(value, setting), rest: argumentsOf(call, given, alias) });
  if (!value.dynamic && GIT_HARMLESS_CONFIG.some((pattern) => pattern.test(value.text))) return;
  report(run, "unverifiable.git.config", value);
}

/** What stands after the alias where this very call uses it. */
function argumentsOf(call: Call, given: Arguments, alias: string): readonly Arg[] {
  const verb = given.operands[0];
  return verb?.arg.text.toLowerCase() === alias.toLowerCase() ? call.args.slice(verb.index + 1) : [];
}

/** An alias without a bang is a git command line, one with a bang is code; the words after its use are added to both. */
function judgeAlias(run: Run, call: Call, { value, rest }: { value: Arg; rest: readonly Arg[] }): void {
  if (!value.text.startsWith("!")) {
    const words = value.text.split(/\s+/).filter((word) => word !== "");
    return judgeProgramWords(run, call, [call.argv[0]!, ...words.map((text) => withText(value, text)), ...rest]);
  }
  const quoted = rest.map(({ text }) => ` '${text.replaceAll("'", "'\\''")}'`).join("");
  const arg = { ...value, text: value.text.slice(1) + quoted, dynamic: value.dynamic || rest.some((word) => word.dynamic) };
  judgeCode(run, { arg, call }, { fresh: true });
}

const TRANSPORTS = ["--upload-pack", "--receive-pack"];

/** Remote helpers such as `ext::` run the program that their address names. */
function judgeTransports(run: Run, given: Arguments): void {
  for (const { arg } of given.operands) if (/^(?:ext|fd)::/.test(arg.text)) report(run, "unverifiable.git.transport", arg);
  const options = given.operands[0]?.arg.text === "rebase" ? TRANSPORTS : [...TRANSPORTS, "--exec"];
  for (const option of findOptions(given, options)) report(run, "unverifiable.git.transport", option.arg);
}

const PATH_LIKE = /^(?:\.|\.\.|\.?\.?\/.*|:[/(!].*|.*[*?].*|.*\/|~.*|.*\.(?!x$)[a-zA-Z][a-zA-Z0-9]{0,9}|\.[a-zA-Z].*)$/;

/** `checkout` of paths overwrites them; of a branch it does not (git refuses when work would be lost). */
function judgeCheckout(run: Run, given: Arguments, rest: readonly Arg[]): void {
  if (given.operands[0]!.arg.text.toLowerCase() !== "checkout" || hasOption(given, ["-b", "--orphan", "-t", "--track", "--detach"])) return;
  const dashes = rest.findIndex((arg) => arg.text === "--");
  const operands = given.operands.slice(1).map((operand) => operand.arg);
  const path = dashes === -1 ? (operands[1] ?? operands.find((arg) => arg.glob || PATH_LIKE.test(arg.text))) : rest[dashes + 1];
  if (path !== undefined) report(run, "destructive.git.checkout-paths", path);
}

/** What `clone` and `init` put into the new repository: settings, in force for the very call, and a template, whose hooks git runs. */
function judgeNewRepository(run: Run, call: Call, given: Arguments): void {
  const verb = given.operands[0]!;
  if (verb.arg.text !== "clone" && verb.arg.text !== "init") return;
  for (const { name, value, arg, index } of given.options) {
    if (index < verb.index) continue;
    const isSetting = verb.arg.text === "clone" && (name === "-c" || name === "--config");
    if (isSetting && value !== undefined) judgeSetting(run, call, { value, given });
    if (name === "--template" && value?.text !== "") report(run, "unverifiable.git.template", arg);
  }
}

/** `git config KEY VALUE` with a key that names a program plants that program. */
function judgeConfigVerb(run: Run, call: Call, given: Arguments): void {
  const words = given.operands.map((operand) => operand.arg);
  if (words[0]!.text !== "config") return;
  const [key, value] = words[1]?.text === "set" ? words.slice(2) : words.slice(1);
  if (key === undefined || value === undefined) return;
  if (/^alias\./i.test(key.text)) return judgeAlias(run, call, { value, rest: [] });
  if (
    !GIT_PROGRAM_KEYS.test(key.text) ||
    /^(?:true|false|cat|less|more|vim?|nvim|nano|emacs|code --wait|\/dev\/null|store|cache|osxkeychain|)$/.test(value.text)
  )
    return;
  report(run, "unverifiable.git.config", value);
}

/** Verbs of git that run a command given on the line. */
function judgeRunners(run: Run, call: Call, given: Arguments): void {
  const [verb, sub] = given.operands.map((operand) => operand.arg.text);
  const from = given.operands[1]?.index ?? call.args.length;
  if (verb === "bisect" && sub === "run") judgeProgramWords(run, call, call.args.slice(from + 1));
  if (verb === "for-each-repo") judgeProgramWords(run, call, [call.argv[0]!, ...call.args.slice(from)]);
  if (verb === "submodule" && sub === "foreach") judgeForeach(run, call, call.args.slice(from + 1));
  const names = RUNNER_OPTIONS[verb ?? ""];
  if (names === undefined) return;
  for (const option of findOptions(given, names)) {
    if (option.value === undefined) report(run, "unverifiable.dynamic-code", option.arg);
    else judgeCode(run, { arg: option.value, call }, { fresh: true });
  }
}

const RUNNER_OPTIONS: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null) as object, {
  rebase: ["-x", "--exec"],
  difftool: ["-x", "--extcmd"],
  "filter-branch": [
    "--tree-filter",
    "--index-filter",
    "--msg-filter",
    "--env-filter",
    "--parent-filter",
    "--commit-filter",
    "--tag-name-filter",
  ],
});

function judgeForeach(run: Run, call: Call, words: readonly Arg[]): void {
  const from = words.findIndex((word) => !/^(?:--recursive|--quiet|-q)$/.test(word.text));
  const code = from === -1 ? undefined : joinArgs(words.slice(from));
  if (code !== undefined) judgeCode(run, { arg: code, call }, { fresh: true });
}

/**
 * Outside a sandbox the repository's own configuration may name programs that any git command runs (trials C03): a call is verifiable
 * only with those helpers switched off, and never through a name that may be an alias.
 */
function judgeHelpers(run: Run, call: Call, given: Arguments): void {
  const settings = new Set(given.options.filter((option) => option.name === "-c").map((option) => option.value?.text.toLowerCase()));
  const quiet = settings.has("core.fsmonitor=false") && settings.has("core.hookspath=/dev/null");
  const pager = hasOption(given, ["--no-pager", "-P"]) || settings.has("core.pager=cat");
  const verb = given.operands[0]!.arg;
  const shows = /^(?:diff|log|show|blame|annotate|stash|format-patch|whatchanged|diff-tree|diff-index|diff-files|range-diff)$/.test(
    verb.text,
  );
  const plain = !shows || (hasOption(given, ["--no-ext-diff"]) && hasOption(given, ["--no-textconv"]));
  if (!(quiet && pager && plain && GIT_KNOWN_VERBS.has(verb.text))) report(run, "unverifiable.git.helpers", call.argv[0]!);
}

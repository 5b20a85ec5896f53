import { type Arguments, type Option, cells, findOptions, fixedSyntax, readArguments } from "./arguments.ts";
import { isOutside } from "./devices.ts";
import { type Arg, type Call, type Run, report, withText } from "./state.ts";

const TAR_VALUED = new Set(
  cells(
    "-f -C -T -X -b -F -g -H -I -K -L -N -V --file --directory --files-from --exclude-from --exclude --use-compress-program --checkpoint-action " +
      "--to-command --rsh-command --info-script --new-volume-script --transform --xform --strip-components --owner --group --mode --mtime --format",
  ),
);
const COMPRESSOR =
  /^(?:(?:un)?(?:gzip|pigz|xz|zstd(?:mt)?|bzip2|pbzip2|lbzip2|lz4|lzma|lzip|plzip|lzop|compress|pixz|brotli))(?: -[\w-]+)*$/;
const HELPERS = ["--to-command", "--rsh-command", "--info-script", "-F", "--new-volume-script", "--rmt-command"];
const DELETING = ["--remove-files", "--delete", "--recursive-unlink", "--unlink-first", "-U"];

/** Judges `tar`: extraction out of the working directory, removal of sources, and programs that it runs (reference: shell.md §6). */
export function judgeTar(run: Run, call: Call): void {
  const given = readArguments(modernize(call.args), fixedSyntax(TAR_VALUED));
  for (const option of findOptions(given, DELETING)) report(run, "destructive.tar.remove", option.arg);
  for (const option of findOptions(given, HELPERS)) report(run, "unverifiable.helper-program", option.arg);
  for (const option of findOptions(given, ["-I", "--use-compress-program"])) judgeCompressor(run, option);
  // `--checkpoint` is an option of its own, no short form of this one.
  for (const option of findOptions(given, ["--checkpoint-action"])) if (option.name !== "--checkpoint") judgeAction(run, option);
  judgeExtraction(run, given);
}

/** The old form without a dash: `tar xzf a.tar -C /` is `tar -x -z -f a.tar -C /`. */
function modernize(args: readonly Arg[]): readonly Arg[] {
  const [first, ...rest] = args;
  if (first === undefined || first.text.startsWith("-") || !/^[a-zA-Z]+$/.test(first.text)) return args;
  const modern: Arg[] = [];
  for (const letter of first.text) {
    modern.push(withText(first, `-${letter}`));
    const value = TAR_VALUED.has(`-${letter}`) ? rest.shift() : undefined;
    if (value !== undefined) modern.push(value);
  }
  return [...modern, ...rest];
}

function judgeCompressor(run: Run, option: Option): void {
  if (option.value === undefined || !COMPRESSOR.test(option.value.text)) report(run, "unverifiable.helper-program", option.arg);
}

function judgeAction(run: Run, option: Option): void {
  if (!/^(?:echo|dot|bell|ttyout|sleep|totals|wait)(?:=|$)/.test(option.value?.text ?? ""))
    report(run, "unverifiable.helper-program", option.arg);
}

function judgeExtraction(run: Run, given: Arguments): void {
  if (findOptions(given, ["-x", "--extract", "--get"]).length === 0) return;
  for (const option of findOptions(given, ["-P", "--absolute-names"])) report(run, "overwrite.tar.outside", option.arg);
  for (const { value } of findOptions(given, ["-C", "--directory", "--one-top-level"])) judgeDirectory(run, value, "overwrite.tar.outside");
}

function judgeDirectory(run: Run, directory: Arg | undefined, rule: string): void {
  if (directory === undefined) return;
  if (isOutside(directory.text)) report(run, rule, directory);
  else if (directory.dynamic) report(run, "unverifiable.dynamic-directory", directory);
}

/** Judges `unzip` and the like: extraction out of the working directory. */
export function judgeUnzip(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["-d", "-x", "-P"])));
  for (const { value } of findOptions(given, ["-d"])) judgeDirectory(run, value, "overwrite.unzip.outside");
}

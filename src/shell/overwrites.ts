import { cells, findOptions, fixedSyntax, hasOption, readArguments } from "./arguments.ts";
import { isSafeTarget } from "./devices.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";

function isSafeOperand(run: Run, arg: Arg): boolean {
  return isSafeTarget(run, arg.text) || arg.text === "-" || /^>\(.*\)$/s.test(arg.raw);
}

/** `tee` without `-a` replaces its files. */
export function judgeTee(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["--output-error"])));
  if (!run.tables.choices.tee || hasOption(given, ["-a", "--append"])) return;
  const file = given.operands.find((operand) => !isSafeOperand(run, operand.arg));
  if (file !== undefined) report(run, "overwrite.tee", file.arg);
}

/** `cp` of nothing empties its target; a plain copy counts only by choice. */
export function judgeCopy(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["-t", "-S", "--target-directory", "--suffix"])));
  const operands = given.operands.map((operand) => operand.arg);
  const empty = operands.slice(0, -1).find((arg) => arg.text === "/dev/null");
  const [removing] = findOptions(given, ["--remove-destination"]);
  const found = empty ?? removing?.arg ?? (run.tables.choices.copy ? operands.at(-1) : undefined);
  if (found !== undefined && !isSafeTarget(run, operands.at(-1)?.text ?? "")) report(run, "overwrite.copy", found);
}

/** `ln -f` replaces what is at the link's place. */
export function judgeLink(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["-t", "-S", "--target-directory", "--suffix"])));
  const [force] = findOptions(given, ["-f", "--force"]);
  if (force !== undefined) report(run, "overwrite.link", force.arg);
}

/** `install` replaces its target, unless it makes directories only. */
export function judgeInstall(run: Run, call: Call): void {
  const given = readArguments(
    call.args,
    fixedSyntax(new Set(["-m", "-o", "-g", "-t", "-S", "--mode", "--owner", "--group", "--target-directory"])),
  );
  const target = given.operands.at(-1);
  if (target !== undefined && !hasOption(given, ["-d", "--directory"])) report(run, "overwrite.install", target.arg);
}

const KEEPING = ["-k", "--keep", "-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test", "-h", "-V", "-b"];
const COMPRESS_VALUED = new Set(cells("-S -T -F -C -M -o -D -p --suffix --threads --format"));

/** Compressors replace a file by another one, unless told to keep it (reference: shell.md §6, "Overwrites"). */
export function judgeCompress(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(COMPRESS_VALUED));
  if (!run.tables.choices.compress || hasOption(given, KEEPING)) return;
  const file = given.operands.find((operand) => operand.arg.text !== "-");
  if (file !== undefined) report(run, "overwrite.compress", file.arg);
}

/** `dd of=` anything but a safe device. */
export function judgeDd(run: Run, call: Call): void {
  for (const arg of call.args) {
    if (arg.text.startsWith("of=") && !isSafeTarget(run, arg.text.slice(3))) report(run, "overwrite.dd", arg);
    else if (arg.dynamic && !/^\w+=/.test(arg.text)) report(run, "unverifiable.dynamic-option", arg);
  }
}

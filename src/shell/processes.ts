import { fixedSyntax, hasOption, readArguments } from "./arguments.ts";
import { isSystemPath } from "./devices.ts";
import { judgeCode } from "./nested.ts";
import { type Arg, type Call, type Run, report } from "./state.ts";
import { judgeSshOptions } from "./ssh.ts";

const ASKING: Readonly<Record<string, RegExp>> = { kill: /^(?:-0|-l|-L|--list(?:=.*)?|--table)$/, killall: /^(?:-0|-l|--list)$/ };

/** `kill` and its kin end processes, unless they list signals or only ask whether a process is there (`-0`, `-l`, `-L`). */
export function judgeKill(run: Run, call: Call): void {
  const words = call.args.map((arg) => arg.text);
  const asking = ASKING[call.name] ?? /^(?:-0|--signal=0)$/;
  const asks = words.some((word, index) => asking.test(word) || (/^(?:-s|-n|--signal)$/.test(word) && words[index + 1] === "0"));
  if (words.length > 0 && !asks) report(run, "destructive.kill", call.argv[0]!);
}

/** `fuser -k` kills what it finds. */
export function judgeFuser(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["-n"])));
  const option = given.options.find(({ name }) => name === "-k" || name === "--kill");
  if (option !== undefined) report(run, "destructive.kill", option.arg);
}

/** `init 0` and `init 6` stop the machine. */
export function judgeInit(run: Run, call: Call): void {
  const level = call.args.find((arg) => !arg.text.startsWith("-"));
  if (level !== undefined && (level.dynamic || /^[016sS]$/.test(level.text))) report(run, "destructive.init", level);
}

/** `crontab -r` removes the table; a new table is code that runs later and cannot be seen here. */
export function judgeCrontab(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["-u"])));
  const remove = given.options.find(({ name }) => name === "-r");
  if (remove !== undefined) return report(run, "destructive.crontab", remove.arg);
  if (!hasOption(given, ["-l", "-e", "-V"])) report(run, "unverifiable.script-file", given.operands[0]?.arg ?? call.argv[0]!);
}

const LISTING = /^(?:-[lpJdLv]|--(?:list|print|json|dump|list-types|info|verify|version|list-columns))(?:=.*)?$|^-i\d*$/;

/** Partition editors, unless they only list. */
export function judgePartition(run: Run, call: Call): void {
  if (!call.args.some((arg) => LISTING.test(arg.text))) report(run, "destructive.program", call.argv[0]!);
}

/** `gio trash`, `gio remove`: files go away. */
export function judgeGio(run: Run, call: Call): void {
  const [verb, option] = call.args;
  if (option?.text === "--list" || option?.text === "--restore") return;
  if (verb !== undefined && ["trash", "remove", "move", "rename"].includes(verb.text)) report(run, "destructive.program", verb);
}

/** `scp` over a system path; helpers of the ssh family. */
export function judgeScp(run: Run, call: Call): void {
  const given = readArguments(call.args, fixedSyntax(new Set(["-c", "-F", "-i", "-J", "-l", "-o", "-P", "-S", "-D", "-X"])));
  judgeSshOptions(run, given.options);
  for (const option of given.options)
    if (option.name === "-S" || option.name === "-D") report(run, "unverifiable.helper-program", option.arg);
  const target = given.operands.at(-1)?.arg;
  if (target !== undefined && isSystemPath(target.text)) report(run, "overwrite.scp", target);
}

const FTP_DELETING =
  /(?:^|[\n;&|]|\s)(?:rm|rmdir|mrm|del|dele|delete|mdelete|mput-delete|rename|mirror\s[^;\n]{0,300}--(?:delete|Remove-source-files)|!\s*\S+)(?=\s|$)/i;

/** `sftp`, `ftp`, `lftp`: commands from a batch file, an option or standard input. */
export function judgeFtp(run: Run, call: Call): void {
  const given = readArguments(
    call.args,
    fixedSyntax(new Set(["-b", "-c", "-e", "-f", "-F", "-i", "-J", "-l", "-o", "-P", "-S", "-s", "-u", "-p", "-D", "-R"])),
  );
  judgeSshOptions(run, given.options);
  const file = given.options.find(({ name }) => name === "-b" || name === "-f" || name === "-S" || name === "-D");
  if (file !== undefined) report(run, "unverifiable.script-file", file.arg);
  const code = given.options.find(({ name }) => name === "-e" || (name === "-c" && call.name === "lftp"))?.value;
  if (code !== undefined) judgeFtpText(run, code, code.text);
  const { stdin } = call.scope;
  if (stdin.kind === "text") judgeFtpText(run, call.argv[0]!, stdin.text);
  if (stdin.kind === "unknown" && file === undefined && code === undefined) report(run, "unverifiable.stdin-code", call.argv[0]!);
}

function judgeFtpText(run: Run, arg: Arg, text: string): void {
  if (arg.dynamic) report(run, "unverifiable.dynamic-code", arg);
  if (FTP_DELETING.test(text)) report(run, "destructive.ftp", arg);
}

/** `rsync -e` and `--rsync-path`: programs that it runs here and there. */
export function judgeRsync(run: Run, call: Call): void {
  const given = readArguments(
    call.args,
    fixedSyntax(new Set(["-e", "--rsh", "-f", "-B", "-T", "-M", "--exclude", "--include", "--filter"])),
  );
  for (const { name, value } of given.options) {
    if (value === undefined) continue;
    if ((name === "-e" || name === "--rsh") && !isPlainSsh(value)) judgeCode(run, { arg: value, call }, { fresh: true });
    if (name === "--rsync-path") judgeCode(run, { arg: value, call }, { fresh: true });
  }
}

function isPlainSsh(value: Arg): boolean {
  return /^(?:\/usr\/bin\/)?(?:ssh|rsh)(?:\s+-(?:[46AaCKkNnqTtvXxY]+|[bceFiIJlmpQ]\s*\S+|o\s*(?!proxycommand|localcommand|knownhostscommand|permitlocal)[\w]+[= ]\S+))*$/i.test(
    value.text,
  );
}

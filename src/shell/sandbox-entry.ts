import { lstatSync } from "node:fs";
import { bashPath, statPath } from "./programs.ts";

/** Limits of one command, besides time and output. */
export interface CommandLimits {
  /** Processes and threads at the same time. */
  readonly processes: number;
  /** Largest file that may be written, in MiB. */
  readonly fileMb: number;
  /** Data that one process may hold in memory, in MiB. */
  readonly memoryMb: number;
}

/** Enough for builds, too little to hurt. */
export const COMMAND_LIMITS: CommandLimits = { processes: 512, fileMb: 1_024, memoryMb: 4_096 };

/** The file descriptor on which the entry says that all is set and the command begins, and where it can, how the command ended. */
export const READY_FD = 3;

/**
 * Runs first, where the command will run: sets limits (a stricter one of the system stays), offers the command first when memory runs out,
 * compares what stands at the protected places with what was looked at, says so, and becomes the command. Where a process around it would
 * hide by what signal the command ended, it stays in front of the command, and hands on what bash says when a signal ends a program: a line
 * for every signal but SIGINT and SIGPIPE, and nothing for an exit. Signals that the command sends to all do not end the entry.
 */
const ENTRY = `ulimit -c 0; ulimit -u "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -d "$3" 2>/dev/null
{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
regate_stat=$4 regate_seen=$5 regate_count=$6 regate_reports=$7; shift 7
if [ "$regate_count" -gt 0 ]; then
  [ "$("$regate_stat" -c %d:%i -- "\${@:1:regate_count}")" = "$regate_seen" ] || exit 125
fi
shift "$regate_count"
printf 1 >&${READY_FD} || exit 125
if [ "$regate_reports" = no ]; then
  exec ${READY_FD}>&-
  exec "$@"
fi
trap : HUP INT QUIT TERM USR1 USR2 ALRM
exec 4>&2 2>&${READY_FD}
"$@" 2>&4 4>&- ${READY_FD}>&-
exit`;

/**
 * The command line of the entry, in front of a command line.
 * @param options `places`: absolute paths at which the same files must stand inside as do outside now; `reports`: whether the entry stays
 *   and tells how the command ended
 * @throws Error of the file system when one is gone already
 */
export function entryArguments(
  argv: readonly string[],
  options: { readonly limits: CommandLimits; readonly places: readonly string[]; readonly reports: boolean },
): readonly string[] {
  const { limits, places, reports } = options;
  const sizes = [limits.processes, limits.fileMb * 1024, limits.memoryMb * 1024].map(String);
  const seen = places.map(identityOf).join("\n");
  const facts = [...sizes, statPath(), seen, String(places.length), reports ? "yes" : "no"];
  return [bashPath(), "--noprofile", "--norc", "-c", ENTRY, "bash", ...facts, ...places, ...argv];
}

function identityOf(path: string): string {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

import { ConfigError } from "../config/config-error.ts";
import type { Halt } from "../govern/halts.ts";
import type { Stop, StopScope } from "../govern/stops.ts";
import type { Arguments, Command, Io, OptionSpec } from "./command.ts";
import { GOVERN_FLAGS, governOptions, neededFlag, noteUnknownSession, placeOptions, printList, signed, tellDone } from "./govern.ts";

const SCOPE_FLAGS: readonly OptionSpec[] = [
  GOVERN_FLAGS.session,
  GOVERN_FLAGS.agent,
  { name: "all", kind: "switch", describe: "every session" },
];
const SIGNED_FLAGS: readonly OptionSpec[] = [...SCOPE_FLAGS, GOVERN_FLAGS.reason, GOVERN_FLAGS.key, ...placeOptions()];

function scopeOf(args: Arguments, command: string): StopScope {
  const [session, agent] = [args.values.get("session"), args.values.get("agent")];
  const scopes: StopScope[] = [
    ...(session === undefined ? [] : [{ session }]),
    ...(agent === undefined ? [] : [{ agent }]),
    ...(args.switches.has("all") ? [{ all: true as const }] : []),
  ];
  const [scope] = scopes;
  if (scope !== undefined && scopes.length === 1) return scope;
  throw new ConfigError(
    "config.command_line",
    `give exactly one of \`--session\`, \`--agent\` and \`--all\` (see \`regate ${command} --help\`)`,
  );
}

function nameOf(scope: StopScope): string {
  if ("all" in scope) return "everything";
  return "session" in scope ? `session \`${scope.session}\`` : `agent \`${scope.agent}\``;
}

async function stop(args: Arguments, io: Io): Promise<number> {
  const scope = scopeOf(args, "stop");
  const reason = neededFlag(args, { command: "stop", flag: "reason" });
  const { stateDir, by } = await signed(args, "stop");
  const { placeStop } = await import("../govern/stops.ts");
  const { id } = placeStop(stateDir, { scope, reason, endRunning: args.switches.has("end-running") }, by);
  await tellDone(io, `${nameOf(scope)} is stopped (${id})`);
  if ("session" in scope) await noteUnknownSession(io, stateDir, scope.session);
  return 0;
}

async function resume(args: Arguments, io: Io): Promise<number> {
  const scope = scopeOf(args, "resume");
  const reason = neededFlag(args, { command: "resume", flag: "reason" });
  const { stateDir, by } = await signed(args, "resume");
  const { liftStop } = await import("../govern/stops.ts");
  const { stops, halts } = liftStop(stateDir, { scope, reason }, by);
  const lifted = stops.length + halts.length;
  await tellDone(io, lifted === 0 ? `${nameOf(scope)} was not stopped` : `${nameOf(scope)} is resumed: ${lifted} lifted`);
  return 0;
}

function stopRow({ scope, ...stop }: Stop): object {
  return { ...stop, ...scope };
}

function haltRow({ session, agent, halted_at, code, decision_id }: Halt): object {
  return { id: "halt", session, agent, stopped_at: halted_at, stopped_by: "policy", reason: code, decision_id };
}

async function list(args: Arguments, io: Io): Promise<number> {
  const { stateDir } = await governOptions(args);
  const { listStops } = await import("../govern/stops.ts");
  const { stops, halts, unreadable } = listStops(stateDir);
  const rows = [...stops.map(stopRow), ...halts.map(haltRow)];
  await printList(io, rows, {
    json: args.switches.has("json"),
    columns: ["id", "session", "agent", "all", "end_running", "stopped_at", "stopped_by", "reason"],
  });
  for (const { session, problem } of unreadable) io.note(`session \`${session}\` is halted, since ${problem}`);
  return unreadable.length === 0 ? 0 : 1;
}

/** `regate stop|resume|stops` (design §8; trials U03). */
export const STOP_COMMANDS: readonly Command[] = [
  {
    path: ["stop"],
    summary: "refuse every further call of a session, an agent or all, until a human resumes them",
    options: [{ name: "end-running", kind: "switch", describe: "end what runs, too, within two seconds" }, ...SIGNED_FLAGS],
    examples: [['$0 stop --all --end-running --reason "incident 12" --key anna', "nothing runs any more, also after a restart"]],
    run: stop,
  },
  {
    path: ["resume"],
    summary: "lift stops under the same scope; --all lifts every stop",
    options: SIGNED_FLAGS,
    examples: [['$0 resume --all --reason "incident 12 is over" --key anna', "calls are judged again"]],
    run: resume,
  },
  {
    path: ["stops"],
    summary: "list what is stopped: by humans, and by policies that halted a session",
    options: [GOVERN_FLAGS.json, ...placeOptions()],
    examples: [["$0 stops --json", "all of them as JSON"]],
    run: list,
  },
];

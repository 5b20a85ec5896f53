import { ConfigError } from "../config/config-error.ts";
import type { Arguments, Command, Io, OptionSpec } from "./command.ts";
import { endingCommand } from "./end-by-id.ts";
import {
  durationOf,
  GOVERN_FLAGS,
  governOptions,
  neededFlag,
  noteUnknownSession,
  placeOptions,
  printList,
  signed,
  tellDone,
} from "./govern.ts";
import { write } from "./output.ts";

const GRANT = "elevation grant";
const DEFAULT_FOR = "10m";

function toolProblem(name: string): string | undefined {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name) ? undefined : "is not the wire name of a tool";
}

function roleProblem(role: string): string | undefined {
  return /^[a-z][a-z0-9_-]{0,63}$/.test(role) ? undefined : "must be 1 to 64 of a-z, 0-9, - and _, a letter first";
}

function usesProblem(value: string): string | undefined {
  return /^[1-9][0-9]{0,4}$/.test(value) && Number(value) <= 10_000 ? undefined : "must be a whole number from 1 to 10000";
}

const GRANT_FLAGS: readonly OptionSpec[] = [
  { name: "tool", kind: "list", placeholder: "NAME", describe: "tool that it covers, by wire name (repeatable)", problem: toolProblem },
  GOVERN_FLAGS.session,
  GOVERN_FLAGS.agent,
  {
    name: "role",
    kind: "text",
    placeholder: "ROLE",
    describe: "role that policy looks for (default: human-approved-agent)",
    problem: roleProblem,
  },
  GOVERN_FLAGS.for(DEFAULT_FOR),
  {
    name: "uses",
    kind: "text",
    placeholder: "NUMBER",
    describe: "calls that it covers (default: any number until it expires)",
    problem: usesProblem,
  },
  GOVERN_FLAGS.reason,
  GOVERN_FLAGS.key,
  ...placeOptions(),
];

async function grant(args: Arguments, io: Io): Promise<number> {
  const tools = args.lists.get("tool") ?? [];
  if (tools.length === 0) throw new ConfigError("config.command_line", `\`--tool\` is missing (see \`regate ${GRANT} --help\`)`);
  const [session, agent] = [args.values.get("session"), args.values.get("agent")];
  if (session === undefined && agent === undefined)
    throw new ConfigError(
      "config.command_line",
      `\`--session\` or \`--agent\` is missing: an elevation is for somebody (see \`regate ${GRANT} --help\`)`,
    );
  const reason = neededFlag(args, { command: GRANT, flag: "reason" });
  const seconds = durationOf(args, { flag: "for", fallback: DEFAULT_FOR });
  const [role, uses] = [args.values.get("role"), args.values.get("uses")];
  const { stateDir, by } = await signed(args, GRANT);
  const { grantElevation } = await import("../govern/elevations.ts");
  const granted = grantElevation(
    stateDir,
    {
      tools,
      reason,
      seconds,
      ...(session === undefined ? {} : { session }),
      ...(agent === undefined ? {} : { agent }),
      ...(role === undefined ? {} : { role }),
      ...(uses === undefined ? {} : { uses: Number(uses) }),
    },
    by,
  );
  await tellDone(io, `elevation ${granted.id} is in force until ${granted.expires_at}`);
  await noteUnknownSession(io, stateDir, session);
  return 0;
}

async function list(args: Arguments, io: Io): Promise<number> {
  const { stateDir } = await governOptions(args);
  const { listElevations, verifyElevations } = await import("../govern/elevations.ts");
  const elevations = verifyElevations(stateDir).kind === "missing" ? [] : listElevations(stateDir, new Date()).elevations;
  const columns = ["id", "state", "role", "tools", "session", "agent", "expires_at", "used", "uses", "granted_by", "reason"];
  await printList(io, elevations, { json: args.switches.has("json"), columns });
  return 0;
}

async function verify(args: Arguments, io: Io): Promise<number> {
  const { stateDir } = await governOptions(args);
  const { verifyElevations } = await import("../govern/elevations.ts");
  const state = verifyElevations(stateDir);
  if (state.kind === "missing") {
    await write(io.stdout, "there is no chain of elevations: nothing was ever granted\n");
    return 0;
  }
  if (state.kind === "broken") {
    io.note(`the chain of elevations does not hold, so none is in force: ${state.reason}`);
    return 1;
  }
  await write(
    io.stdout,
    `the chain of elevations holds: ${state.end.seq === 1 ? "1 entry" : `${state.end.seq} entries`}, the last with hash ${state.end.hash}\n`,
  );
  return 0;
}

/** `regate elevation grant|drop|list|verify` (design §8). */
export const ELEVATION_COMMANDS: readonly Command[] = [
  {
    path: ["elevation", "grant"],
    summary: "let an agent use tools, for a time, as one that a human has approved",
    options: GRANT_FLAGS,
    examples: [
      [
        '$0 elevation grant --tool run_shell --session mcp-1796059967621941478 --uses 1 --reason "clean the build" --key anna',
        "one destructive command of this session within ten minutes",
      ],
    ],
    run: grant,
  },
  endingCommand({
    of: "elevation",
    verb: "drop",
    done: "is dropped",
    example: { reason: "done", effect: "from the next call on it covers nothing" },
    end: async (...change) => (await import("../govern/elevations.ts")).dropElevation(...change),
  }),
  {
    path: ["elevation", "list"],
    summary: "list elevations and how they stand",
    options: [GOVERN_FLAGS.json, ...placeOptions()],
    examples: [["$0 elevation list --json", "all of them as JSON"]],
    run: list,
  },
  {
    path: ["elevation", "verify"],
    summary: "prove the chain of elevations: order, completeness and every signature",
    options: placeOptions(),
    examples: [["$0 elevation verify", "says where and why it breaks, with exit code 1"]],
    run: verify,
  },
];

import { ConfigError } from "../config/config-error.ts";
import { MAX_SOURCE } from "../govern/names.ts";
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

const GRANT = "lease grant";
const DEFAULT_TTL = "5m";

function sourceProblem(source: string): string | undefined {
  if (source.length > MAX_SOURCE) return `must be at most ${MAX_SOURCE} characters`;
  return /^(?:env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:\/.+)$/s.test(source) ? undefined : "must be `env:NAME` or `file:/absolute/path`";
}

const GRANT_FLAGS: readonly OptionSpec[] = [
  GOVERN_FLAGS.session,
  {
    name: "from",
    kind: "text",
    placeholder: "SOURCE",
    describe: "where the server finds the secret: env:NAME, or file:/path of a file 0600 of its user",
    problem: sourceProblem,
  },
  { name: "as", kind: "text", placeholder: "VAR", describe: "variable of the session's commands that gets the secret" },
  { ...GOVERN_FLAGS.for(DEFAULT_TTL), name: "ttl" },
  GOVERN_FLAGS.reason,
  GOVERN_FLAGS.key,
  ...placeOptions(),
];

async function grant(args: Arguments, io: Io): Promise<number> {
  const needed = (flag: string): string => neededFlag(args, { command: GRANT, flag });
  const [session, source, destination, reason] = [needed("session"), needed("from"), needed("as"), needed("reason")];
  const seconds = durationOf(args, { flag: "ttl", fallback: DEFAULT_TTL });
  const { isLeaseVariable } = await import("../govern/lease-names.ts");
  if (!isLeaseVariable(destination))
    throw new ConfigError("config.command_line", `\`--as\`: \`${destination}\` is no name, or one by which programs find or run others`);
  const { stateDir, by } = await signed(args, GRANT);
  const { grantLease } = await import("../govern/leases.ts");
  const granted = grantLease(stateDir, { session, source, destination, seconds, reason }, by);
  await tellDone(io, `lease ${granted.id} gives \`${destination}\` to commands of session \`${session}\` until ${granted.expires_at}`);
  await noteUnknownSession(io, stateDir, session);
  return 0;
}

async function list(args: Arguments, io: Io): Promise<number> {
  const { stateDir } = await governOptions(args);
  const { listLeases } = await import("../govern/leases.ts");
  const { leases, unreadable } = listLeases(stateDir, new Date());
  const columns = ["id", "state", "session", "destination", "source_type", "source_name", "expires_at", "granted_by", "reason"];
  await printList(io, leases, { json: args.switches.has("json"), columns });
  if (unreadable.length === 0) return 0;
  io.note(`not a lease, and grants nothing, in \`leases\`: ${unreadable.map((name) => `\`${name}\``).join(", ")}`);
  return 1;
}

/** `regate lease grant|revoke|list` (design §8). */
export const LEASE_COMMANDS: readonly Command[] = [
  {
    path: ["lease", "grant"],
    summary: "give a secret to the commands of a session, for a time, without showing it to the agent",
    options: GRANT_FLAGS,
    examples: [
      [
        '$0 lease grant --session mcp-1796059967621941478 --from file:/run/secrets/deploy --as DEPLOY_TOKEN --reason "release 1.4" --key anna',
        "commands find the secret in $DEPLOY_TOKEN; it is taken out of everything that they print",
      ],
    ],
    run: grant,
  },
  endingCommand({
    of: "lease",
    verb: "revoke",
    done: "is revoked",
    example: { reason: "released", effect: "from the next command on it gives nothing" },
    end: async (...change) => (await import("../govern/leases.ts")).revokeLease(...change),
  }),
  {
    path: ["lease", "list"],
    summary: "list leases: their metadata, never a secret",
    options: [GOVERN_FLAGS.json, ...placeOptions()],
    examples: [["$0 lease list --json", "all of them as JSON"]],
    run: list,
  },
];

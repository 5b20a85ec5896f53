import { z } from "zod";
import type { JsonObject } from "../call/json.ts";
import type { Leases } from "../govern/active-leases.ts";
import { isGovernError } from "../govern/govern-error.ts";
import { withoutSecrets } from "../govern/live-secrets.ts";
import { commandEnvironment } from "../shell/command-environment.ts";
import { MAX_COMMAND_BYTES, runCommand } from "../shell/run.ts";
import type { Confinement } from "../shell/confinement.ts";
import { isShellError } from "../shell/shell-error.ts";
import type { ShellErrorCode } from "../shell/shell-error.ts";
import { planSchema } from "./plan.ts";
import { ToolError } from "./tool-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** What run_shell needs. */
export interface RunShellPorts {
  /** Real path of the working directory of all commands. */
  readonly workdir: string;
  /** The server's environment; commands get its allow-list only. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly confinement: Confinement;
  /** Where the secrets of leases come from; without it a call with leases does not run. */
  readonly leases?: Pick<Leases, "environmentOf">;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** The command's own time limit comes first; this is for a command that cannot even be ended. */
const TOOL_TIMEOUT_MS = MAX_TIMEOUT_MS + 10_000;

const input = z.strictObject({
  command: z
    .string()
    .refine((text) => !text.includes("\0"), "must not hold a NUL")
    .refine((text) => Buffer.byteLength(text) <= MAX_COMMAND_BYTES, `must not be longer than ${MAX_COMMAND_BYTES} bytes`)
    .describe("bash command line"),
  dry_run: z.boolean().optional().describe("true: nothing is executed, the answer is the plan"),
  timeout_ms: z
    .int("must be a whole number")
    .min(1, "must be greater than zero")
    .max(MAX_TIMEOUT_MS, `must not exceed ${MAX_TIMEOUT_MS}`)
    .default(DEFAULT_TIMEOUT_MS)
    .describe("milliseconds after which the command is ended"),
});

const result = z.strictObject({
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  truncated: z.boolean(),
  stdout: z.string(),
  stderr: z.string(),
  duration_ms: z.int(),
});

/** What the agent may read when nothing was executed; the rest is the server's own affair. */
const MESSAGES: Partial<Record<ShellErrorCode, string>> = {
  "shell.bash_missing": "run_shell: there is no bash on this machine",
  "shell.workdir_missing": "run_shell: the working directory is missing",
  "shell.spawn_failed": "run_shell: the command could not be started",
  "shell.sandbox_missing": "run_shell: policy demands a sandbox for this command, and there is none",
};

/**
 * run_shell (design §7): one bash command, `{command, dry_run?, timeout_ms?}` → `{exit_code, signal, timed_out, truncated, stdout, stderr,
 * duration_ms}`. A dry run never gets here: the corridor answers it with the plan, the other form of the output.
 */
export function runShellTool({ workdir, environment, confinement, leases: secrets }: RunShellPorts): Tool {
  const base = commandEnvironment(environment);
  return {
    name: "run_shell",
    title: "Run a shell command",
    description:
      "Runs one bash command in the working directory and returns its exit code, stdout and stderr. stdin is empty, output is cut after 64 KiB a stream, and everything that the command started ends with it. With dry_run: true nothing is executed: the answer is the parsed plan.",
    input,
    output: z.union([result, planSchema]),
    timeoutMs: TOOL_TIMEOUT_MS,
    async handler(args, { call, decision, session, leases = [], signal, beforeSpawn }) {
      const { command, timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS } = args as z.input<typeof input>;
      const variables = variablesOf(session);
      let giveBack: (() => void) | undefined;
      try {
        const launcher = confinement.launcherFor(decision.sandbox, { home: session.home ?? [] });
        giveBack = await confinement.slots.take(signal);
        // Read at the last moment, and nowhere else.
        const env = { ...base, ...variables, ...secretsOf(secrets, leases) };
        const ran = await runCommand({
          command,
          expected: classified(call),
          cwd: workdir,
          env,
          timeoutMs,
          signal,
          launcher,
          beforeSpawn,
        });
        const { stdout, stderr, truncated, timed_out: isLate, signal: ender } = ran;
        // A command that was ended may have been in the middle of a secret.
        const isCut = truncated || isLate || ender !== null;
        const output = { stdout: withoutSecrets(stdout, isCut), stderr: withoutSecrets(stderr, isCut) };
        return { structured: { ...ran, ...output } satisfies JsonObject };
      } catch (error) {
        throw readable(error);
      } finally {
        giveBack?.();
      }
    },
  };
}

/** What the profile that was active when the call was judged gives to commands. Nothing runs when it cannot be known who is active. */
function variablesOf({ variables }: ToolContext["session"]): Readonly<Record<string, string>> {
  if (variables === null) throw new ToolError("run_shell: the profile store cannot be read, nothing was executed");
  return variables;
}

function secretsOf(secrets: RunShellPorts["leases"], leases: NonNullable<ToolContext["leases"]>): Readonly<Record<string, string>> {
  if (leases.length === 0) return {};
  try {
    if (secrets !== undefined) return secrets.environmentOf(leases);
  } catch (error) {
    if (isGovernError(error)) throw new ToolError(`run_shell: ${error.message}, nothing was executed`, { cause: error });
    throw error;
  }
  throw new Error("a call with leases has nowhere to take their secrets from");
}

/** The command of the call that was classified and decided. */
function classified(call: ToolContext["call"]): string {
  const command = call.arguments["command"];
  if (typeof command !== "string") throw new Error("a call without a command has nothing to run");
  return command;
}

function readable(error: unknown): unknown {
  if (!isShellError(error)) return error;
  const message = error.code === "shell.sandbox_failed" ? `run_shell: ${error.message}` : MESSAGES[error.code];
  return message === undefined ? error : new ToolError(message, { cause: error });
}

import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { JsonObject, JsonValue } from "../call/json.ts";
import { visible } from "../call/visible.ts";
import { commandEnvironment } from "../shell/command-environment.ts";
import type { Confinement } from "../shell/confinement.ts";
import type { RunResult } from "../shell/launch.ts";
import { runProgram } from "../shell/run.ts";
import { isShellError } from "../shell/shell-error.ts";
import { type CloudQueries, CREDENTIAL_FOLDERS } from "./cloud-queries.ts";
import { findProgram, type FoundProgram } from "./find-program.ts";
import { ToolError } from "./tool-error.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** What cloud_query needs. */
export interface CloudQueryPorts {
  readonly queries: CloudQueries;
  /** Real path of the working directory. */
  readonly workdir: string;
  /** The server's environment: its search path finds the programs, and they get the allow-list of commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly confinement: Confinement;
}

const TIMEOUT_MS = 120_000;
/** Largest answer of a provider; the answer of the tool holds it twice and stays below 2 MB. */
const OUTPUT_CAP_BYTES = 600_000;

const name = z.string().min(1).max(64);
const input = z.strictObject({
  namespace: name.describe("aws, gcp, azure, oci, k8s, or one that the operator added"),
  function: name.describe("what to read, such as identity, regions, instances, clusters or buckets"),
});
const output = z.strictObject({ namespace: z.string(), function: z.string(), value: z.unknown() });

/**
 * cloud_query (design §7): one read-only query from a table, run by the provider's own program with fixed arguments, without a shell and
 * with nothing of the agent in its command line; `{namespace, function}` → `{namespace, function, value}`.
 */
export function cloudQueryTool(ports: CloudQueryPorts): Tool {
  return {
    name: "cloud_query",
    title: "Query the cloud",
    description: `Runs one read-only query of a cloud provider and returns its JSON. Namespaces and functions: ${listOf(ports.queries)}.`,
    input,
    output,
    timeoutMs: TIMEOUT_MS + 5_000,
    async handler(args, context) {
      const { namespace, function: called } = args as z.output<typeof input>;
      const argv = argvOf(ports.queries, namespace, called);
      const found = findProgram(argv[0], ports.environment["PATH"], ports.workdir);
      if (found === undefined) throw new ToolError(`cloud_query: the program \`${argv[0]}\` is not installed`);
      const result = await runQuery(ports, { argv, found, context });
      return { structured: { namespace, function: called, value: valueOf(argv[0], result) } satisfies JsonObject };
    },
  };
}

function listOf(queries: CloudQueries): string {
  return [...queries].map(([namespace, functions]) => `${namespace} (${[...functions.keys()].join(", ")})`).join("; ");
}

function argvOf(queries: CloudQueries, namespace: string, called: string): readonly [string, ...string[]] {
  const functions = queries.get(namespace);
  if (functions === undefined) throw new ToolError(`unknown namespace: ${visible(namespace)}`);
  const query = functions.get(called);
  if (query === undefined) throw new ToolError(`unknown function: ${visible(namespace)}.${visible(called)}`);
  return query.argv;
}

interface Query {
  readonly argv: readonly [string, ...string[]];
  readonly found: FoundProgram;
  readonly context: ToolContext;
}

async function runQuery({ workdir, environment, confinement }: CloudQueryPorts, { argv, found, context }: Query): Promise<RunResult> {
  const { decision, session, signal } = context;
  if (session.variables === null) throw new ToolError("cloud_query: the profile store cannot be read, nothing was executed");
  if (decision.sandbox?.network === false) throw new ToolError("cloud_query: policy grants this call no network");
  const env = { ...commandEnvironment(environment), ...session.variables };
  const folder = CREDENTIAL_FOLDERS.get(argv[0]);
  const lent = folder === undefined ? [] : [join(env["HOME"] ?? homedir(), folder)];
  let giveBack: (() => void) | undefined;
  try {
    const wish = confinement.kind === "bwrap" ? { network: true, write: "none" as const } : { ...decision.sandbox, network: true };
    const launcher = confinement.launcherFor(wish, { shown: found.folders, lent });
    giveBack = await confinement.slots.take(signal);
    const [, ...words] = argv;
    const options = { cwd: workdir, env, timeoutMs: TIMEOUT_MS, signal, outputCapBytes: OUTPUT_CAP_BYTES, launcher };
    return await runProgram([found.path, ...words], options);
  } catch (error) {
    throw isShellError(error) ? new ToolError(`cloud_query: ${error.message}`, { cause: error }) : error;
  } finally {
    giveBack?.();
  }
}

const CREDENTIAL =
  /credential|log ?in|authenticat|unauthori[sz]ed|token|sign in|not configured|kubeconfig|current-context|connection refused/i;

function valueOf(program: string, result: RunResult): JsonValue {
  if (result.timed_out) throw new ToolError(`cloud_query: \`${program}\` did not answer in time`);
  if (result.exit_code !== 0) throw new ToolError(failureOf(program, result));
  if (result.truncated) throw new ToolError(`cloud_query: the answer of \`${program}\` is larger than ${OUTPUT_CAP_BYTES} bytes`);
  try {
    return JSON.parse(result.stdout) as JsonValue;
  } catch (cause) {
    throw new ToolError(`cloud_query: the answer of \`${program}\` is not JSON`, { cause });
  }
}

/** What the program itself says may hold names and secrets, and stays here. */
function failureOf(program: string, { exit_code: exit, signal, stderr }: RunResult): string {
  const folder = CREDENTIAL_FOLDERS.get(program);
  if (CREDENTIAL.test(stderr)) {
    const where = folder === undefined ? "" : ` in ~/${folder} or in the variables of the active profile`;
    return `cloud_query: \`${program}\` found no credential that the provider accepts${where}`;
  }
  return `cloud_query: \`${program}\` failed with ${exit === null ? (signal ?? "no exit code") : `exit code ${exit}`}`;
}

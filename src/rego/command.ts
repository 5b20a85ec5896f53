import { readCapabilities } from "./capabilities-file.ts";
import { GatherError } from "./gather.ts";
import { reportProblems } from "./report.ts";
import type { CommandIo, CommandResult } from "./report.ts";
import type { RegoOptions } from "./requests.ts";
import { readSchemas } from "./schemas.ts";
import { openToolchain } from "./toolchain.ts";
import type { Toolchain } from "./toolchain.ts";

/** Options that the policy commands share; the names are OPA's. */
export interface CommonOptions {
  /** Files, folders and patterns; `data.prefix:path` too. */
  readonly paths?: readonly string[];
  /** Base name patterns to leave out (`--ignore`). */
  readonly ignore?: readonly string[];
  /** `-b`: each path is a bundle, with `.manifest` roots. */
  readonly bundle?: boolean;
  readonly v0Compatible?: boolean;
  /** A file, or an OPA version such as `v1.22.4`. */
  readonly capabilities?: string;
  /** A schema file, or a folder of them. */
  readonly schema?: string;
  readonly strict?: boolean;
  /** Errors after which the compiler stops, 10 when absent. */
  readonly maxErrors?: number;
}

/**
 * Runs a command with a toolchain, closes what it opened, and turns what cannot be read into errors and exit code 1.
 * @param format of errors
 * @param run the command itself
 */
export async function withToolchain(
  io: CommandIo,
  format: "pretty" | "json",
  run: (toolchain: Toolchain) => Promise<CommandResult>,
): Promise<CommandResult> {
  const toolchain = io.toolchain ?? openToolchain();
  try {
    return await run(toolchain);
  } catch (error) {
    reportProblems(io, error instanceof GatherError ? error.problems : [{ code: "error", message: (error as Error).message }], format);
    return { exitCode: 1 };
  } finally {
    if (io.toolchain === undefined) await toolchain.close();
  }
}

/** The options as fields of a request; reads the capabilities and schema files. */
export async function regoOptions(options: CommonOptions, cwd: string): Promise<RegoOptions> {
  const { capabilities, schema, strict, maxErrors, v0Compatible } = options;
  return {
    ...(v0Compatible === true ? { regoVersion: "v0" } : {}),
    ...(capabilities === undefined ? {} : { capabilities: await readCapabilities(cwd, capabilities) }),
    ...(schema === undefined ? {} : { schemas: await readSchemas(cwd, schema) }),
    ...(strict === undefined ? {} : { strict }),
    ...(maxErrors === undefined ? {} : { maxErrors }),
  };
}

import { ConfigError } from "./config-error.ts";
import { readBoundedFile } from "./read-file.ts";
import { pathOf, type Picked } from "./sources.ts";

/** Says what is wrong with the text of a shell tables file, as a phrase that names the place; undefined when it may be used. */
export type ShellTablesCheck = (text: string) => Promise<string | undefined>;

/** The operator's additions to the classifier's tables, as text that has passed the check. */
export interface ShellTablesOption {
  readonly shellTablesText?: string;
  readonly shellTablesFile?: string;
}

const MAX_BYTES = 1_048_576;

/**
 * Reads the file that `--shell-tables` names (docs/shell-classification.md).
 * @param check what the classifier makes of the text; this room does not know its tables
 * @throws ConfigError `config.option`, one line that names the file and the place in it
 */
export async function readShellTables(picked: Picked | undefined, check: ShellTablesCheck): Promise<ShellTablesOption> {
  if (picked === undefined) return {};
  const path = pathOf(picked);
  const read = readBoundedFile(path, { maxBytes: MAX_BYTES, links: true });
  const problem = read.ok ? await check(read.text) : read.problem;
  if (!read.ok || problem !== undefined) {
    throw new ConfigError("config.option", `shell tables file \`${picked.value}\` ${problem ?? "cannot be used"}`, {
      cause: read.ok ? undefined : read.cause,
    });
  }
  return { shellTablesText: read.text, shellTablesFile: path };
}

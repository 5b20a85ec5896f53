import type { ShellTables } from "../shell/tables/build.ts";
import type { ShellTablesOption } from "../config/shell-tables-file.ts";

/** What is wrong with the text of a shell tables file; loads the classifier only when there is such a file. */
export async function shellTablesProblem(text: string): Promise<string | undefined> {
  const { loadShellTables, ShellTablesError } = await import("../shell/extend.ts");
  try {
    loadShellTables(text);
    return undefined;
  } catch (error) {
    if (!(error instanceof ShellTablesError)) throw error;
    return error.path === "" ? error.message : `key ${error.message}`;
  }
}

/** The operator's tables for the classifier; undefined unless a file is named. */
export async function shellTables({ shellTablesText: text }: ShellTablesOption): Promise<ShellTables | undefined> {
  if (text === undefined) return undefined;
  const { loadShellTables } = await import("../shell/extend.ts");
  return loadShellTables(text);
}

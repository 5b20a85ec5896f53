import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { regoOptions, withToolchain } from "./command.ts";
import type { CommonOptions } from "./command.ts";
import { gather } from "./gather.ts";
import { lineDiff } from "./line-diff.ts";
import { complain, problemsOf, reportProblems } from "./report.ts";
import type { CommandIo, CommandResult } from "./report.ts";

/** `regate policy fmt`; without `list`, `diff` or `overwrite` the formatted text is written out, as `opa fmt` does. */
export interface PolicyFmtOptions extends CommonOptions, CommandIo {
  /** `-l`: names of files that would change. */
  readonly list?: boolean;
  /** `-d`: what would change. */
  readonly diff?: boolean;
  /** `-w`: change the files. */
  readonly overwrite?: boolean;
  /** Exit code 2 when a file would change. */
  readonly fail?: boolean;
  /** `--v0-v1`: formats v0 Rego so that both versions read it. */
  readonly v0v1?: boolean;
  readonly dropV0Imports?: boolean;
}

/**
 * Formats Rego files as `opa fmt` does. All files are looked at: an error, or a difference with `fail`, does not hide the others.
 * Exit code 2 for files that cannot be formatted and for differences with `fail`.
 */
export async function policyFmt(options: PolicyFmtOptions): Promise<CommandResult> {
  return withToolchain(options, "pretty", async (toolchain) => {
    const { cwd, paths = [], ignore = [], v0v1, dropV0Imports = false } = options;
    const { files } = await gather({ cwd, paths, ignore, onlyRego: true });
    const version = v0v1 === true ? ({ regoVersion: "v0v1" } as const) : {};
    const outcome = await toolchain.format({ files, dropV0Imports, ...(await regoOptions(options, cwd)), ...version });
    if (!outcome.ok) {
      reportProblems(options, problemsOf(outcome));
      return { exitCode: 1 };
    }
    const { formatted, errors } = outcome.value;
    const changed = new Map([...formatted].filter(([path, text]) => files.get(path) !== text));
    await deliver(options, { files, formatted, changed });
    if (errors.length > 0) reportProblems(options, errors);
    const different = options.fail === true && changed.size > 0;
    if (different) complain(options, `unexpected diff: ${changed.size} of ${files.size} files\n`);
    return { exitCode: different || errors.length > 0 ? 2 : 0 };
  });
}

interface Texts {
  readonly files: ReadonlyMap<string, string>;
  readonly formatted: ReadonlyMap<string, string>;
  readonly changed: ReadonlyMap<string, string>;
}

/** Lists, shows, writes or prints; with `fail` alone nothing is shown but the names. */
async function deliver(options: PolicyFmtOptions, { files, formatted, changed }: Texts): Promise<void> {
  if (options.diff === true) for (const [path, text] of changed) options.write(lineDiff(path, files.get(path) ?? "", text));
  if (options.list === true || (options.fail === true && options.diff !== true))
    for (const path of changed.keys()) options.write(`${path}\n`);
  if (options.overwrite === true)
    for (const [path, text] of changed) await replaceText(resolve(options.cwd, path), files.get(path) ?? "", text);
  const silent = options.diff === true || options.list === true || options.overwrite === true || options.fail === true;
  if (!silent) for (const text of formatted.values()) options.write(text);
}

/** Writes only over the text that was formatted: a file that changed meanwhile is left alone. */
async function replaceText(file: string, before: string, after: string): Promise<void> {
  if ((await readFile(file, "utf8")) !== before) throw new Error(`${file}: changed while it was formatted`);
  await writeFile(file, after);
}

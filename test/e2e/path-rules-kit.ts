import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { PROGRAM } from "./run.ts";

/** The JSON block of docs/gateway.md that follows a text, with `/srv/work` put elsewhere. */
function fromPage(after: string, work: string): string {
  const [, rest = ""] = readFileSync("docs/gateway.md", "utf8").split(after);
  return (/```json\n(.*?)```/s.exec(rest)?.[1] ?? "").replaceAll("/srv/work", work);
}

/** A folder for all tests of a file. */
function folderOfFile(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Bundles as the page shows them: for server-filesystem with a folder in place of `/srv/work`, and for names. */
export interface Shown {
  readonly files: string;
  readonly names: string;
}

/** Builds what the page shows in a copy of the shipped tree, as the page says. Call it once, before the tests. */
export function buildShown(work: string): Shown {
  const cwd = folderOfFile("regate-tree-");
  for (const part of ["policy", "bundles"]) cpSync(part, join(cwd, part), { recursive: true });
  const rules = ["memory_names", "git_arguments"];
  for (const rule of rules) cpSync(`examples/policies/${rule}`, join(cwd, "policy/gate/rules", rule), { recursive: true });
  const bundle = fromPage("`bundles/files/bundle.json`:", work);
  const names = { ...(JSON.parse(bundle) as object), rules: ["agent_session", ...rules], self_test: [{ input: {}, allow: false }] };
  for (const [name, own, data] of [
    ["files", bundle, fromPage("`bundles/files/data.json`", work)],
    ["names", JSON.stringify(names), `{"regate":${fromPage("its data under `regate`:", work)}}`],
  ] as const) {
    mkdirSync(join(cwd, "bundles", name));
    writeFileSync(join(cwd, "bundles", name, "bundle.json"), own);
    writeFileSync(join(cwd, "bundles", name, "data.json"), data);
  }
  execFileSync(process.execPath, [PROGRAM, "policy", "build", "files", "names"], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  return { files: join(cwd, "wasm/files"), names: join(cwd, "wasm/names") };
}

/** A folder `work` with closed and open files, links in it, and a neighbour whose name begins with its own. */
export function workFolder(): string {
  const root = folderOfFile("regate-paths-");
  const work = join(root, "work");
  for (const folder of ["work/out", "work/.git", "work-evil", "work/caf\u00e9"]) mkdirSync(join(root, folder), { recursive: true });
  for (const [file, text] of [
    ["work/a.txt", "open\n"],
    ["work/out/b.txt", "open\n"],
    ["work/caf\u00e9/a.txt", "open\n"],
    ["work/.env", "SECRET=1\n"],
    ["work/.env.local", "SECRET=2\n"],
    ["work/server.pem", "SECRET=3\n"],
    ["work/.git/config", "SECRET=4\n"],
    ["work-evil/a.txt", "SECRET=5\n"],
  ] as const) {
    writeFileSync(join(root, file), text);
  }
  symlinkSync(join(root, "work-evil"), join(work, "away"));
  symlinkSync(join(work, ".env"), join(work, "inside"));
  return work;
}

/** The command of a server whose every input byte is kept in a file first: `tee` writes to its own output before it writes to files. */
export function loggedBy(log: string, command: readonly string[]): { command: string; args: string[] } {
  return { command: "sh", args: ["-c", 'tee -a "$0" /dev/fd/3 3>&1 >/dev/null | "$@"', log, ...command] };
}

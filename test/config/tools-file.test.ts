import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseToolNames, readToolsFile } from "../../src/config/tools-file.ts";

const folder = mkdtempSync(join(tmpdir(), "regate-allowlist-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function refusal(act: () => unknown): { code: string; message: string } {
  try {
    act();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error("nothing was refused");
}

const LONGEST = `a${"b".repeat(64)}`;

const accepted: readonly (readonly [string, string, readonly string[]])[] = [
  ["one name a line", "run_shell\naudit_log\n", ["run_shell", "audit_log"]],
  ["a last line without LF", "run_shell", ["run_shell"]],
  ["CRLF", "run_shell\r\naudit_log\r\n", ["run_shell", "audit_log"]],
  ["outer spaces and tabs", " \trun_shell \t\n", ["run_shell"]],
  ["blanks before the CR", "run_shell \r\n", ["run_shell"]],
  ["blank lines and comments", "\n  \n# all of them\n  # indented\nrun_shell\n#\n", ["run_shell"]],
  ["a comment after a blank", "run_shell # the shell\naudit_log\t#x\n", ["run_shell", "audit_log"]],
  ["a comment after several blanks", "run_shell \t  ## x # y\n", ["run_shell"]],
  ["duplicates", "run_shell\nrun_shell\n", ["run_shell"]],
  ["names that differ in letter case", "run_shell\nRun_Shell\n", ["run_shell", "Run_Shell"]],
  ["names of tools that do not exist", "future.tool-2_x\n", ["future.tool-2_x"]],
  ["65 characters", `${LONGEST}\n`, [LONGEST]],
  ["constructor and __proto__-like names", "constructor\ntoString\n", ["constructor", "toString"]],
  ["an empty file", "", []],
  ["comments only", "# none\n", []],
];

const badNames: readonly (readonly [string, string, string])[] = [
  ["66 characters", `${LONGEST}c`, `${LONGEST}c`],
  ["a hash without a blank before it", "name#x", "name#x"],
  ["a leading point", ".name", ".name"],
  ["a leading hyphen", "-name", "-name"],
  ["a leading underscore", "__proto__", "__proto__"],
  ["two names on a line", "run_shell audit_log", "run_shell audit_log"],
  ["a comma", "run_shell,audit_log", "run_shell,audit_log"],
  ["letters outside ASCII", "rün_shell", "rün_shell"],
  ["full-width letters", "ｒun_shell", "ｒun_shell"],
  ["a NUL", "run\0shell", "run\0shell"],
  ["two CRs", "run_shell\r\r", "run_shell\r"],
  ["a CR inside", "run\rshell", "run\rshell"],
  ["a form feed", "run_shell\f", "run_shell\f"],
  ["a no-break space", "run_shell\u00a0", "run_shell\u00a0"],
  ["U+2028 instead of LF", "run_shell\u2028audit_log", "run_shell\u2028audit_log"],
  ["a byte order mark", "\ufeffrun_shell", "\ufeffrun_shell"],
  ["a pattern", "run_*", "run_*"],
];

describe("parseToolNames", () => {
  it.each(accepted)("[003-list-comments] takes %s", (_name, text, names) => {
    expect([...parseToolNames(text, "list.txt")]).toEqual(names);
  });
  it.each(badNames)("[003-list-fails-closed] refuses %s and names file and line", (_name, line, shown) => {
    const error = refusal(() => parseToolNames(`audit_log\n${line}\n`, "dir/list.txt"));
    expect(error.code).toBe("config.allowlist");
    expect(error.message).toContain("allowlist `dir/list.txt`: line 2:");
    expect(error.message).toContain(`\`${shown}\``);
  });
  it("shows only the start of an over-long line", () => {
    const { message } = refusal(() => parseToolNames("x".repeat(60_000), "list.txt"));
    expect(message.length).toBeLessThan(300);
  });
  it("needs no quadratic time for a long run of blanks", () => {
    // With it this would take many minutes.
    const line = `a${" ".repeat(2_000_000)}b`;
    expect(refusal(() => parseToolNames(line, "list.txt")).code).toBe("config.allowlist");
  });
});

describe("readToolsFile", () => {
  it("[003-list-source] reads a regular file of 65,536 bytes", () => {
    const path = file("limit.txt", `run_shell\n#${"x".repeat(65_536 - 11)}`);
    expect([...readToolsFile(path, path)]).toEqual(["run_shell"]);
  });
  const refused: readonly (readonly [string, () => string, string])[] = [
    ["a missing file", () => join(folder, "none.txt"), "does not exist"],
    ["65,537 bytes", () => file("large.txt", `run_shell\n#${"x".repeat(65_537 - 11)}`), "is larger than 65536 bytes"],
    ["a directory", () => folder, "is not a regular file"],
    ["a device", () => "/dev/null", "is not a regular file"],
    ["an endless device", () => "/dev/zero", "is not a regular file"],
    [
      "a pipe",
      () => {
        const path = join(folder, "pipe");
        execFileSync("mkfifo", [path]);
        return path;
      },
      "is not a regular file",
    ],
    [
      "a link to a good file",
      () => {
        const path = join(folder, "link");
        symlinkSync(file("target.txt", "run_shell\n"), path);
        return path;
      },
      "is not a regular file",
    ],
    ["a file below a file", () => join(file("plain.txt", ""), "x"), "cannot be read (ENOTDIR)"],
    ["bytes that are not UTF-8", () => file("latin.txt", Uint8Array.of(0x61, 0xff, 0x0a)), "is not UTF-8 text"],
    ["a lone surrogate in UTF-8", () => file("surrogate.txt", Uint8Array.of(0xed, 0xa0, 0x80)), "is not UTF-8 text"],
    ["a path with a NUL", () => "a\0b", "cannot be read (ERR_INVALID_ARG_VALUE)"],
  ];
  it.each(refused)("[003-list-fails-closed] refuses %s", (_name, make, problem) => {
    const path = make();
    const error = refusal(() => readToolsFile(path, "as/given"));
    expect(error.code).toBe("config.allowlist");
    expect(error.message).toBe(`allowlist \`as/given\` ${problem}: give a regular text file with one tool name a line`);
  });
  it("reads through a folder that is a link", () => {
    const real = join(folder, "real");
    mkdirSync(real);
    writeFileSync(join(real, "list.txt"), "run_shell\n");
    symlinkSync(real, join(folder, "alias"));
    expect([...readToolsFile(join(folder, "alias", "list.txt"), "x")]).toEqual(["run_shell"]);
  });
});

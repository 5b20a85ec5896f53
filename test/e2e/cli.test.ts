import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { cleanEnv, PROGRAM, regate } from "./run.ts";

const VERSION = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;

/** Command line, and the flag or word that the one line must name. */
const REFUSED: readonly (readonly [string, readonly string[], string])[] = [
  ["no command", [], "no command given"],
  ["an unknown command", ["sevre"], "`sevre`"],
  ["a group alone", ["policy"], "`policy`"],
  ["an unknown flag", ["serve", "--bundel", "x"], "`--bundel`"],
  ["an unknown flag with a value", ["decide", "--bundel=x"], "`--bundel`"],
  ["a camel-case spelling", ["serve", "--agentToolsFile", "x"], "`--agentToolsFile`"],
  ["a negated flag", ["serve", "--no-agent-tools-file"], "`--no-agent-tools-file`"],
  ["a negated switch", ["serve", "--no-require-agent-dry-run"], "`--no-require-agent-dry-run`"],
  ["a dotted flag", ["serve", "--agent-id.x", "1"], "`--agent-id.x`"],
  ["a repeated flag", ["serve", "--agent-id", "a", "--agent-id", "b"], "`--agent-id`"],
  ["a flag at the end", ["serve", "--agent-tools-file"], "`--agent-tools-file`"],
  ["a flag before a flag", ["serve", "--agent-tools-file", "--require-agent-dry-run"], "`--agent-tools-file`"],
  ["an empty agent id", ["serve", "--agent-id", ""], "`--agent-id`"],
  ["a bad agent id", ["serve", "--agent-id", "a b"], "`--agent-id`"],
  ["a bad choice", ["serve", "--destructive-match", "x"], "`--destructive-match`"],
  ["a bad number", ["serve", "--policy-deadline-ms", "x"], "`--policy-deadline-ms`"],
  ["a switch set to false", ["serve", "--require-agent-dry-run=false"], "`--require-agent-dry-run`"],
  ["a switch set to true", ["serve", "--require-agent-dry-run=true"], "`--require-agent-dry-run`"],
  ["a switch and a word", ["serve", "--require-agent-dry-run", "false"], "`--require-agent-dry-run`"],
  ["a stray word", ["serve", "now"], "`now`"],
  ["a word after --", ["serve", "--", "now"], "`now`"],
  ["a word too many", ["decide", "a", "b"], "`b`"],
  ["a line feed in a word", ["serve", "a\nb"], "`a\\u{a}b`"],
  ["a bidirectional override in a word", ["serve", "a\u202eb"], "`a\\u{202e}b`"],
  ["an input file that does not exist", ["decide", "/no/such/input"], "`/no/such/input`"],
  ["an input that is a directory", ["decide", "/"], "`/`"],
  ["an unknown bundle", ["decide", "--bundle", "nope"], "`nope`"],
  ["a missing configuration", ["serve", "--config", "/no/such/config"], "`/no/such/config`"],
  ["tokens over stdio", ["serve", "--auth-issuer", "https://issuer.example"], "`--auth-issuer`"],
  ["a keys directory that is a file", ["keys", "create", "anna", "--keys-dir", "/etc/hostname"], "`/etc/hostname`"],
  ["a check of nothing", ["policy", "check", "--strict"], "`policy check`"],
  ["a test of nothing", ["policy", "test"], "`policy test`"],
  ["a format of nothing", ["policy", "fmt"], "`policy fmt`"],
  ["no dead letter", ["worker", "dlq", "replay", "--redis", "redis://127.0.0.1:1"], "the id of the dead letter"],
  ["a lock file that is none", ["pins", "show", "--pins", "/etc/hostname"], "lock file `/etc/hostname` cannot be read: not JSON"],
  ["a command beside a stream of them", ["shell", "classify", "--stream", "ls"], "`shell classify --stream`"],
  ["a missing working directory", ["serve", "--workdir", "/no/such/dir"], "`/no/such/dir`"],
];

describe("refused command lines", () => {
  it.each(REFUSED)("%s: exit 2, one line that names it, nothing on stdout", (_name, words, named) => {
    const run = regate(words);
    expect({ status: run.status, stdout: run.stdout, lines: run.lines.length }).toEqual({ status: 2, stdout: "", lines: 1 });
    expect(run.lines[0]).toMatch(/^regate: /);
    expect(run.lines[0]).toContain(named);
    expect(run.stderr.endsWith("\n")).toBe(true);
  });
});

describe("help and version", () => {
  it("the version of Regate and of OPA", () => {
    const run = regate(["--version"]);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toBe(`regate ${VERSION}\nopa 1.22.4\n`);
  });
  it.each([
    [["--help"], "regate serve"],
    [["policy", "test", "--help"], "--coverage"],
    [["serve", "-h"], "--agent-tools-file"],
    [["decide", "--help"], "--stream"],
  ] as const)("help of %j has examples and goes to stdout", (words, contains) => {
    const run = regate(words);
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toContain(contains);
    expect(run.stdout).toContain("Examples:");
  });
  it("help does not depend on the language of the user", () => {
    expect(regate(["serve", "--help"], { env: { LC_ALL: "de_DE.UTF-8", LANG: "fr_FR.UTF-8" } }).stdout).toBe(
      regate(["serve", "--help"]).stdout,
    );
  });
  it("completion scripts for bash work in bash", () => {
    const script = `${regate(["completion", "bash"]).stdout}
      regate() { "${process.execPath}" "${PROGRAM}" "$@"; }
      COMP_WORDS=(regate policy t); COMP_CWORD=2; _regate; echo "\${COMPREPLY[@]}"
      COMP_WORDS=(regate serve --destructive-match ""); COMP_CWORD=3; _regate; echo "\${COMPREPLY[@]}"`;
    const run = spawnSync("bash", ["-c", script], { encoding: "utf8", env: cleanEnv() });
    expect(run.stdout).toBe("test\nwords text\n");
  });
  it("completion scripts for zsh name the program", () => {
    expect(regate(["completion", "zsh"]).stdout).toMatch(/^#compdef regate\n/);
  });
});

const POLICY = "package a\n\nallow if input.x == 1\n";
const TEST = `package a_test\n\nimport data.a\n\ntest_allow if a.allow with input as {"x": 1}\n\ntest_other if a.allow with input as {"x": 2}\n`;

/** Command line in a folder with `a.rego` and `a_test.rego`; exit code, and what stdout or stderr must hold. */
interface PolicyRun {
  readonly status: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

/** Command line beside `good/` and `bad/`; exit code, and what stdout or stderr must hold. Each start of OPA costs seconds: few rows. */
const POLICY_RUNS: readonly (readonly [string, readonly string[], PolicyRun])[] = [
  [
    "test: failures are exit 2; letters together and values attached",
    ["test", "-vrtest_", "good"],
    { status: 2, stdout: /test_allow: PASS[^]*test_other: FAIL/ },
  ],
  [
    "test: JSON, a value after =, ignored names",
    ["test", "-f=json", "--run=test_allow", "--ignore", "none,b.rego", "."],
    { status: 0, stdout: /"name": "test_allow"/ },
  ],
  [
    "check: errors are exit 1 with file, row and column",
    ["check", "bad"],
    { status: 1, stdout: /^$/, stderr: /bad\/b\.rego:3:\d+: rego_unsafe_var_error/ },
  ],
  ["fmt: OPA's form of a switch", ["fmt", "--fail=false", "-l=true", "good", "bad"], { status: 0, stdout: /^bad\/b\.rego\n$/ }],
  ["fmt --fail: exit 2", ["fmt", "--fail", "bad"], { status: 2 }],
  ["build: a bundle", ["build", "-e", "a/allow", "-o", "out.tar.gz", "good/a.rego"], { status: 0 }],
  [
    "a number that is none",
    ["check", "-m", "many", "."],
    { status: 2, stdout: /^$/, stderr: /^regate: `-m`: `many` must be a whole number .*\n$/ },
  ],
  [
    "a duration that is none",
    ["build", "--timeout", "soon"],
    { status: 2, stdout: /^$/, stderr: /^regate: `--timeout`: `soon` must be a duration .*\n$/ },
  ],
];

describe("policy", () => {
  it.each(POLICY_RUNS)("%s", (_name, words, expected) => {
    const cwd = temporaryFolder();
    for (const folder of ["good", "bad"]) mkdirSync(join(cwd, folder));
    writeFileSync(join(cwd, "good/a.rego"), POLICY);
    writeFileSync(join(cwd, "good/a_test.rego"), TEST);
    writeFileSync(join(cwd, "bad/b.rego"), "package  b\n\nallow if x == 1\n");
    const run = regate(["policy", ...words], { cwd });
    expect(run.status).toBe(expected.status);
    expect(run.stdout).toMatch(expected.stdout ?? "");
    expect(run.stderr).toMatch(expected.stderr ?? "");
  });
});

describe("a reader that goes away", () => {
  it("ends the program without a word", async () => {
    const child = spawn(
      "bash",
      ["-c", `yes '{}' | head -20000 | "${process.execPath}" "${PROGRAM}" decide --stream | head -1; echo "\${PIPESTATUS[2]}"`],
      {
        env: cleanEnv(),
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let stderr = "";
    let stdout = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    await once(child, "close");
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^\{"allow":false.*\}\n1\n$/);
  });
});

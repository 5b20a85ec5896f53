import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./client.ts";
import { cleanEnv, PROGRAM, regate } from "./run.ts";

interface Decision {
  readonly allow: boolean;
  readonly reasons: readonly { readonly code: string }[];
}

const AGENT_SESSION = ["decide", "--bundle", "agent-session"];
const BOUND = '{"session_id":"mcp-1","agent":{"id":"a","session_id":"mcp-1"}}';

function decisions(stdout: string): readonly Decision[] {
  expect(stdout === "" || stdout.endsWith("\n")).toBe(true);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Decision);
}

function deep(levels: number): string {
  return `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
}

describe("decide", () => {
  it("an allowed input: one line, exit 0", () => {
    const run = regate(AGENT_SESSION, { input: BOUND });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(decisions(run.stdout)).toMatchObject([{ allow: true }]);
  });
  it("the empty input is a denial by the default bundle, exit 0", () => {
    const run = regate(["decide"], { input: "{}" });
    expect(run.status).toBe(0);
    expect(decisions(run.stdout)).toMatchObject([{ allow: false }]);
  });
  it.each([
    ["a denial", "{}", 3],
    ["an allow", BOUND, 0],
  ])("--fail with %s: exit %#", (_name, input, status) => {
    expect(regate([...AGENT_SESSION, "--fail"], { input }).status).toBe(status);
  });
  it("a file of several lines", () => {
    const path = join(temporaryFolder(), "input.json");
    writeFileSync(path, BOUND.replaceAll(",", ",\n"));
    expect(decisions(regate([...AGENT_SESSION, path]).stdout)).toMatchObject([{ allow: true }]);
  });
  it("- means standard input", () => {
    expect(decisions(regate([...AGENT_SESSION, "-"], { input: BOUND }).stdout)).toMatchObject([{ allow: true }]);
  });
  it("a file whose name starts with a hyphen, after --", () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "-input"), BOUND);
    expect(decisions(regate([...AGENT_SESSION, "--", "-input"], { cwd }).stdout)).toMatchObject([{ allow: true }]);
  });
  const DENIED: readonly (readonly [string, string | Uint8Array])[] = [
    ["nothing", ""],
    ["text that is not JSON", "allow"],
    ["an array", "[]"],
    ["a string", '"x"'],
    ["null", "null"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ["a byte order mark", `\ufeff${BOUND}`],
    ["two equal keys", BOUND.replace('"id":"a"', '"id":"a","id":"b"')],
    ["a lone surrogate", BOUND.replace('"a"', String.raw`"\ud800"`)],
    ["a nesting of 10,000", deep(10_000)],
    ["2^53 + 1", BOUND.replace("{", '{"n":9007199254740993,')],
    ["1e400", BOUND.replace("{", '{"n":1e400,')],
    ["two documents", BOUND + BOUND],
    ["50 MB", `{"a":"${"x".repeat(50_000_000)}"}`],
  ];
  it.each(DENIED)("%s is denied by the engine", (_name, input) => {
    const run = regate([...AGENT_SESSION, "--fail"], { input });
    expect(run.status).toBe(3);
    expect(decisions(run.stdout)).toMatchObject([{ allow: false, reasons: [{ code: "policy.error" }] }]);
  });
  it("an environment variable names the bundle, the flag beats it", () => {
    const env = { REGATE_BUNDLE: "agent-session" };
    expect(decisions(regate(["decide"], { input: BOUND, env }).stdout)).toMatchObject([{ allow: true }]);
    expect(decisions(regate(["decide", "--bundle", "ai-agent"], { input: BOUND, env }).stdout)).toMatchObject([{ allow: false }]);
  });
  it("--entrypoint gate/listing asks whether a tool may be listed", () => {
    const input = JSON.stringify({
      tool: { name: "run_shell" },
      agent: { id: "a", session_id: "mcp-1" },
      session_id: "mcp-1",
      command: "run_shell",
    });
    const ask = (words: readonly string[]): boolean | undefined =>
      decisions(regate(["decide", "--bundle", "ai-agent", ...words], { input }).stdout)[0]?.allow;
    expect(ask(["--entrypoint", "gate/listing"])).toBe(true);
    expect(ask(["--entrypoint", "gate/decision"])).toBe(false);
  });
  it("a bundle that does not speak the dialect fails its self-test", () => {
    const run = regate([...AGENT_SESSION, "--policy-dialect", "decision"], { input: BOUND });
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(run.stderr).toMatch(/^regate: bundle `agent-session`: self-test .*\n$/);
  });
  it("a deadline changes no decision", () => {
    const run = regate([...AGENT_SESSION, "--policy-deadline-ms", "60000"], { input: BOUND });
    expect(run.status).toBe(0);
    expect(decisions(run.stdout)).toMatchObject([{ allow: true }]);
  });
});

describe("decide --stream", () => {
  it("gives exactly one decision a line, in order, whatever a line is", () => {
    const lines = [BOUND, "{}", "", "nonsense", BOUND, "[]", deep(10_000), '"\u2028"', BOUND.replace(":", ":\u0085"), `${BOUND}\r`, BOUND];
    const run = regate([...AGENT_SESSION, "--stream"], { input: lines.join("\n") });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(decisions(run.stdout).map(({ allow }) => allow)).toEqual([
      true,
      false,
      false,
      false,
      true,
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });
  it("denies a line that is not UTF-8 and goes on", () => {
    const input = Buffer.concat([Buffer.from(`${BOUND}\n`), Uint8Array.of(0xff, 0x0a), Buffer.from(`${BOUND}\n`)]);
    expect(decisions(regate([...AGENT_SESSION, "--stream"], { input }).stdout).map(({ allow }) => allow)).toEqual([true, false, true]);
  });
  it("no line, no decision", () => {
    expect(regate([...AGENT_SESSION, "--stream"])).toMatchObject({ status: 0, stdout: "" });
  });
  it("--fail: exit 3 when one of many is denied", () => {
    expect(regate([...AGENT_SESSION, "--stream", "--fail"], { input: `${BOUND}\n{}\n${BOUND}\n` }).status).toBe(3);
    expect(regate([...AGENT_SESSION, "--stream", "--fail"], { input: `${BOUND}\n${BOUND}\n` }).status).toBe(0);
  });
  it("a normal line is still decided after 5,000 hostile ones", () => {
    const hostile = [
      String.raw`{"a":"\ud800"}`,
      deep(200),
      '{"__proto__":{"allow":true}}',
      '{"a":1e999}',
      '{"tool":{"name":"constructor"}}',
    ];
    const input = `${Array.from({ length: 5000 }, (_, index) => hostile[index % hostile.length]).join("\n")}\n${BOUND}\n`;
    const all = decisions(regate([...AGENT_SESSION, "--stream"], { input }).stdout);
    expect(all).toHaveLength(5001);
    expect(all.filter(({ allow }) => allow)).toHaveLength(1);
    expect(all.at(-1)).toMatchObject({ allow: true });
  });
  it("answers a line before the next one comes", async () => {
    const child = spawn(process.execPath, [PROGRAM, ...AGENT_SESSION, "--stream"], { env: cleanEnv(), stdio: ["pipe", "pipe", "inherit"] });
    for (const allow of [true, false, true]) {
      child.stdin.write(`${allow ? BOUND : "{}"}\n`);
      const [chunk] = (await once(child.stdout, "data")) as [Buffer];
      expect(decisions(chunk.toString())).toMatchObject([{ allow }]);
    }
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });
});

describe("shell classify", () => {
  it("classifies a word", () => {
    const run = regate(["shell", "classify", "sudo rm -rf build"]);
    expect(run.status).toBe(0);
    expect(Object.keys(JSON.parse(run.stdout) as object)).toEqual(["verdict", "findings", "commands", "redirects"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ verdict: "destructive" });
  });
  it("classifies standard input without its last LF", () => {
    expect(JSON.parse(regate(["shell", "classify"], { input: "ls -l\n" }).stdout)).toMatchObject({
      verdict: "clear",
      commands: [{ name: "ls" }],
    });
  });
  it("gives one verdict a line, also for lines without a command", () => {
    const input = ['{"command":"ls"}', '{"command":"rm x"}', "{}", "x", '{"command":5}', '{"command":"$x"}', ""].join("\n");
    const verdicts = regate(["shell", "classify", "--stream"], { input })
      .stdout.trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { verdict: string }).verdict);
    expect(verdicts).toEqual(["clear", "destructive", "unverifiable", "unverifiable", "unverifiable", "unverifiable"]);
  });
  it("--shell-tables adds what the operator knows; a mistake is exit 2 and one line", () => {
    const file = join(temporaryFolder(), "tables.json");
    const verdict = (): unknown => {
      const run = regate(["shell", "classify", "--shell-tables", file, "zap-cluster x"]);
      return run.status === 0 ? (JSON.parse(run.stdout) as { verdict: unknown }).verdict : [run.status, run.stdout, ...run.lines];
    };
    writeFileSync(file, "{}");
    expect(verdict()).toBe("clear");
    writeFileSync(file, '{"destructive":["zap-cluster"]}');
    expect(verdict()).toBe("destructive");
    writeFileSync(file, '{"destructive":["Zap"]}');
    expect(verdict()).toEqual([
      2,
      "",
      `regate: shell tables file \`${file}\` key \`destructive[0]\`: a program is its base name in lower case`,
    ]);
  });
  it("--destructive-match=text also searches the raw text", () => {
    const verdict = (words: readonly string[]): unknown =>
      (JSON.parse(regate(["shell", "classify", ...words, "echo delete-me"]).stdout) as { verdict: unknown }).verdict;
    expect(verdict([])).toBe("clear");
    expect(verdict(["--destructive-match", "text"])).toBe("destructive");
  });
});
